#include "hone/estimate/likelihood_estimator.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "hone/estimate/network_coordinates.h"
#include "hone/estimate/piece_summaries.h"
#include "hone/estimate/telling_columns.h"
#include "hone/posterior/sample_posterior.h"

namespace hone {
namespace {

// Below this a density is nothing: its logarithm stays a number.
constexpr float kLeastLog = -1e30F;

// In the place of the scores of an element that is absent. It equals itself, which NaN does not:
// features are compared with those that were asked for last.
constexpr float kAbsent = std::numeric_limits<float>::max();

bool is_absent(std::span<const float> scores) {
  return scores.front() == kAbsent;
}

std::vector<NamedArray> prefixed(const std::string& prefix, std::vector<NamedArray> arrays) {
  for (NamedArray& array : arrays) array.name = prefix + array.name;
  return arrays;
}

MatrixView<const float> columns_from(MatrixView<const float> table, Index begin, Index count) {
  return {table.data() + begin, table.rows(), count, table.stride()};
}

}  // namespace

bool is_constant_column(const DensityStack& likelihood, Index k) {
  return likelihood.transforms() == 1 &&
         likelihood.theta_scores().inverse[static_cast<std::size_t>(likelihood.target(k))] == 0;
}

LikelihoodEstimator::LikelihoodEstimator(TruncatedPrior prior, std::vector<Marginal> marginals,
                                         int ensemble,
                                         std::shared_ptr<const LikelihoodNetworks> networks,
                                         std::vector<double> weights)
    : LikelihoodPosterior(std::move(prior), std::move(marginals), ensemble, std::move(weights)),
      shared_(std::move(networks)),
      networks_(*shared_) {
  HONE_ASSERT(networks_.likelihood.densities() % ensemble == 0);
  HONE_ASSERT(networks_.likelihood.theta_scores().cols() == networks_.pieces.columns);
  if (networks_.pieces.apart() && networks_.proposal) {
    context_columns_ = networks_.proposal->feature_stride();
  }
  if (networks_.first) first_columns_ = padded(networks_.pieces.given);
}

std::string LikelihoodEstimator::estimator() const {
  if (!networks_.columns.empty()) return column_likelihood_estimation().name;
  if (networks_.first) return transition_likelihood_estimation().name;
  return networks_.pieces.apart() ? element_likelihood_estimation().name
                                  : likelihood_estimation().name;
}

Index summary_count(const DataPieces& pieces) {
  return pieces.given > 0 ? series_summary_count(pieces.given)
                          : moment_count(pieces.columns, pieces.may_be_absent);
}

Matrix<float> piece_summaries(const LikelihoodNetworks& networks, MatrixView<const float> x) {
  const DataPieces& pieces = networks.pieces;
  return pieces.given > 0 ? series_summaries(x, pieces.given, networks.likelihood.theta_scores())
                          : element_moments(x, pieces.count, pieces.may_be_absent);
}

// Standard scores, padded. Of data that are taken apart those of their summaries, which are the
// context of the proposal, of the first values of a series, and then of every piece; of other data
// the proposal sees what the likelihood is of.
Matrix<float> LikelihoodEstimator::features(MatrixView<const float> all) const {
  const Matrix<float> chosen = choose_columns(all, networks_.columns);
  const MatrixView<const float> x = networks_.columns.empty() ? all : chosen.view();
  const DataPieces& pieces = networks_.pieces;
  const Index width = padded(pieces.columns), begin = context_columns_ + first_columns_;
  Matrix<float> scores(x.rows(), begin + pieces.count * width);
  const auto columns_at = [&](Index from, Index count) {
    return MatrixView<float>(scores.data() + from, x.rows(), count, scores.cols());
  };
  if (context_columns_ > 0) {
    const Matrix<float> context = networks_.proposal->features(piece_summaries(networks_, x));
    for (Index i = 0; i < x.rows(); ++i) {
      std::ranges::copy(context.row(i), scores.row(i).begin());
    }
  }
  if (networks_.first) {
    networks_.first->theta_scores().apply(columns_at(context_columns_, first_columns_),
                                          columns_from(x, 0, pieces.given));
  }
  for (Index i = 0; i < pieces.count; ++i) {
    networks_.likelihood.theta_scores().apply(columns_at(begin + i * width, width),
                                              columns_from(x, i * pieces.step(), pieces.columns));
    if (!pieces.may_be_absent) continue;
    const auto columns = static_cast<std::size_t>(pieces.columns);
    for (Index r = 0; r < x.rows(); ++r) {
      const auto own = scores.row(r).subspan(std::size_t(begin + i * width), columns);
      if (has_gap(own)) std::ranges::fill(own, kAbsent);
    }
  }
  return scores;
}

MatrixView<const float> LikelihoodEstimator::proposal_context(
    MatrixView<const float> features) const {
  return context_columns_ == 0 ? features : columns_from(features, 0, context_columns_);
}

MatrixView<const float> LikelihoodEstimator::first_values(MatrixView<const float> features) const {
  return columns_from(features, context_columns_, first_columns_);
}

MatrixView<const float> LikelihoodEstimator::piece(MatrixView<const float> features,
                                                   Index i) const {
  const Index width = padded(networks_.pieces.columns);
  return columns_from(features, context_columns_ + first_columns_ + i * width, width);
}

// The same of one piece, which some rows lack: they get nothing. Networks see 0 in its place.
void LikelihoodEstimator::add_present(std::span<float> out, Index k,
                                      MatrixView<const float> contexts,
                                      MatrixView<const float> features, Index p) const {
  const MatrixView<const float> values = piece(features, p);
  const Index each = contexts.rows() / features.rows();
  Matrix<float> known(values.rows(), values.cols());
  std::vector<char> there;
  for (Index i = 0; i < values.rows(); ++i) {
    there.push_back(is_absent(values.row(i)) ? 0 : 1);
    if (there.back() != 0) std::ranges::copy(values.row(i), known.row(i).begin());
  }
  if (std::ranges::count(there, char(1)) == 0) return;
  std::vector<float> log(out.size());
  networks_.likelihood.add_log_densities(log, k, {contexts, 1, known, each});
  for (std::size_t r = 0; r < log.size(); ++r) {
    if (there[r / std::size_t(each)] != 0) out[r] += log[r];
  }
}

// out[r] += log density k of the data of row r / each of features, given context r: the sum over
// their pieces.
void LikelihoodEstimator::add_log_densities(std::span<float> out, Index k,
                                            MatrixView<const float> contexts,
                                            MatrixView<const float> features) const {
  const DensityStack& likelihood = networks_.likelihood;
  const Index each = contexts.rows() / features.rows();
  const bool first_column = likelihood.first_member(k).columns.size() == 1;
  const Index pieces = networks_.pieces.count;
  if (pieces == 1 || likelihood.transforms() > 1 || !first_column) {
    for (Index p = 0; p < pieces; ++p) {
      if (networks_.pieces.may_be_absent) {
        add_present(out, k, contexts, features, p);
      } else {
        likelihood.add_log_densities(out, k, {contexts, 1, piece(features, p), each});
      }
    }
    return;
  }
  // A first column has the same density for all pieces.
  const bool may_be_absent = networks_.pieces.may_be_absent;
  const Matrix<float> nothing(features.rows(), padded(networks_.pieces.columns));
  const MatrixView<const float> some = may_be_absent ? nothing.view() : piece(features, 0);
  const Matrix<float> densities = likelihood.outputs(k, {contexts, 1, some, each});
  parallel_for(features.rows(), [&](Index i) {
    std::vector<float> y(static_cast<std::size_t>(each)), log(y.size());
    for (Index p = 0; p < pieces; ++p) {
      const auto values = piece(features, p).row(i);
      if (may_be_absent && is_absent(values)) continue;
      std::ranges::fill(y, values[static_cast<std::size_t>(likelihood.target(k))]);
      log_density(log.data(), densities.row(i * each).data(), y.data(), each, likelihood.shape(k));
      for (std::size_t j = 0; j < y.size(); ++j) {
        out[static_cast<std::size_t>(i * each) + j] += log[j];
      }
    }
  });
}

// out[r] += log density of the first values of a series, by member e.
void LikelihoodEstimator::add_first(std::span<float> out, int e, MatrixView<const float> parameters,
                                    MatrixView<const float> features) const {
  const DensityStack& first = *networks_.first;
  const Matrix<float> contexts = first.features(parameters);
  const Index factors = first.densities() / ensemble(), each = parameters.rows() / features.rows();
  for (Index k = e * factors; k < (e + 1) * factors; ++k) {
    if (is_constant_column(first, k)) continue;
    first.add_log_densities(out, k, {contexts, 1, first_values(features), each});
  }
}

Matrix<float> LikelihoodEstimator::log_joint(MatrixView<const float> features,
                                             MatrixView<const float> local) const {
  const Index rows = local.rows();
  const Matrix<float> parameters = parameter_features(prior(), local);
  const Matrix<float> contexts = networks_.likelihood.features(parameters);
  Matrix<float> out(ensemble(), rows);
  const Index factors = networks_.likelihood.densities() / ensemble();
  for (int e = 0; e < ensemble(); ++e) {
    for (Index k = e * factors; k < (e + 1) * factors; ++k) {
      if (is_constant_column(networks_.likelihood, k)) continue;
      add_log_densities(out.row(e), k, contexts, features);
    }
    if (networks_.first) add_first(out.row(e), e, parameters, features);
    // Data far from all that a network expects are beyond the range of floats, and as unlikely as
    // can be.
    for (float& log : out.row(e)) log = std::isfinite(log) ? log : kLeastLog;
  }
  if (!networks_.selection) return out;
  const RatioStack& selection = *networks_.selection;
  const Matrix<float> theta = network_coordinates(prior(), all_parameters(prior()), local);
  const Matrix<float> nothing(1, selection.feature_stride());
  for (Index k = 0; k < selection.size(); ++k) {
    Matrix<float> log_ratio(1, rows);
    selection.log_ratios(log_ratio, k, nothing, theta);
    const float share = 1 / static_cast<float>(selection.size());
    for (int e = 0; e < ensemble(); ++e) {
      for (Index r = 0; r < rows; ++r) out(e, r) += share * log_ratio(0, r);
    }
  }
  return out;
}

ProposalDraws LikelihoodEstimator::propose(MatrixView<const float> features, Index each) const {
  return draw_proposals(*networks_.proposal, prior(), proposal_context(features), each);
}

// As many networks are asked for every x, whatever there are: about 20,000.
Index LikelihoodEstimator::draws_of_many() const {
  constexpr Index kEvaluations = 20480, kFewest = 512, kMost = 1024;
  return std::clamp(kEvaluations / (networks_.likelihood.size() * networks_.pieces.count), kFewest,
                    kMost);
}

namespace {

double log_score_slope(const DensityStack& stack, Index column, float value) {
  const bool constant = stack.theta_scores().inverse[static_cast<std::size_t>(column)] == 0;
  return constant ? 0 : stack.log_score_slope(column, value);
}

}  // namespace

// Networks know standard scores, perhaps with softened tails: their slopes lead back to x.
double LikelihoodEstimator::log_slope(std::span<const float> x) const {
  const DataPieces& pieces = networks_.pieces;
  double sum = 0;
  for (Index j = 0; j < std::ssize(x); ++j) {
    const float value = x[static_cast<std::size_t>(j)];
    if (pieces.may_be_absent && std::isnan(value)) continue;
    sum += j < pieces.given
               ? log_score_slope(*networks_.first, j, value)
               : log_score_slope(networks_.likelihood,
                                 pieces.given + (j - pieces.given) % pieces.step(), value);
  }
  return sum;
}

std::optional<Matrix<double>> LikelihoodEstimator::log_evidence(MatrixView<const float> x) const {
  if (!networks_.proposal || !networks_.columns.empty()) return std::nullopt;
  const auto drawn = draws(features(x));
  Matrix<double> result(ensemble(), x.rows());
  for (Index i = 0; i < x.rows(); ++i) {
    const double slope = log_slope(x.row(i));
    for (int e = 0; e < ensemble(); ++e) result(e, i) = drawn->log_mean(e, i) + slope;
  }
  return result;
}

SharedPosterior LikelihoodEstimator::of_all_parameters() const {
  const std::span<const double> own = weights(0);  // those of all marginals
  return std::make_shared<const LikelihoodEstimator>(
      prior(), std::vector<Marginal>{joint(prior().dimensions())}, ensemble(), shared_,
      std::vector<double>(own.begin(), own.end()));
}

std::vector<NamedArray> LikelihoodEstimator::to_arrays() const {
  std::vector<NamedArray> arrays = prefixed("likelihood.", networks_.likelihood.to_arrays());
  const auto add = [&](std::vector<NamedArray> more) {
    std::ranges::move(more, std::back_inserter(arrays));
  };
  if (networks_.proposal) add(prefixed("proposal.", networks_.proposal->to_arrays()));
  if (networks_.selection) add(prefixed("selection.", networks_.selection->to_arrays()));
  if (networks_.first) add(prefixed("first.", networks_.first->to_arrays()));
  if (networks_.pieces.apart()) {
    const char* name = networks_.first ? "steps" : "elements";
    arrays.push_back({name, {1}, std::vector{static_cast<double>(networks_.pieces.count)}});
    if (networks_.pieces.may_be_absent) arrays.push_back({"absent", {1}, std::vector{1.0}});
  }
  if (!networks_.columns.empty()) {
    const std::vector<double> columns(networks_.columns.begin(), networks_.columns.end());
    arrays.push_back({"columns", {std::ssize(columns)}, columns});
    arrays.push_back(
        {"data_columns", {1}, std::vector{static_cast<double>(networks_.data_columns)}});
  }
  arrays.push_back(marginals_to_array(marginals()));
  arrays.push_back({"weights", {std::ssize(all_weights())}, all_weights()});
  return arrays;
}

}  // namespace hone
