#include "hone/inference/likelihood_estimator.h"

#include <algorithm>
#include <cmath>

#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "hone/inference/network_coordinates.h"
#include "hone/inference/set_elements.h"
#include "hone/posterior/sample_posterior.h"

namespace hone {
namespace {

// Below this a density is nothing: its logarithm stays a number.
constexpr float kLeastLog = -1e30F;

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
  if (networks_.elements > 1 && networks_.proposal) {
    context_columns_ = networks_.proposal->feature_stride();
  }
}

// Standard scores, padded. Of a set those of its moments, which are the context of the proposal,
// and then of every element; of other data the proposal sees what the likelihood is of.
Matrix<float> LikelihoodEstimator::features(MatrixView<const float> x) const {
  const Index width = padded(columns());
  Matrix<float> scores(x.rows(), context_columns_ + networks_.elements * width);
  if (context_columns_ > 0) {
    const Matrix<float> context =
        networks_.proposal->features(element_moments(x, networks_.elements));
    for (Index i = 0; i < x.rows(); ++i) {
      std::ranges::copy(context.row(i), scores.row(i).begin());
    }
  }
  for (Index e = 0; e < networks_.elements; ++e) {
    const MatrixView<float> own(scores.data() + context_columns_ + e * width, x.rows(), width,
                                scores.cols());
    networks_.likelihood.theta_scores().apply(own, columns_from(x, e * columns(), columns()));
  }
  return scores;
}

MatrixView<const float> LikelihoodEstimator::proposal_context(
    MatrixView<const float> features) const {
  return context_columns_ == 0 ? features : columns_from(features, 0, context_columns_);
}

MatrixView<const float> LikelihoodEstimator::element(MatrixView<const float> features,
                                                     Index e) const {
  const Index width = padded(columns());
  return columns_from(features, context_columns_ + e * width, width);
}

// out[r] += log density k of the data of row r / each of features, given context r. Elements of a
// set are independent of each other.
void LikelihoodEstimator::add_log_densities(std::span<float> out, Index k,
                                            MatrixView<const float> contexts,
                                            MatrixView<const float> features) const {
  const DensityStack& likelihood = networks_.likelihood;
  const Index each = contexts.rows() / features.rows();
  const bool first_column = likelihood.first_member(k).columns.size() == 1;
  if (networks_.elements == 1 || likelihood.transforms() > 1 || !first_column) {
    for (Index e = 0; e < networks_.elements; ++e) {
      likelihood.add_log_densities(out, k, {contexts, 1, element(features, e), each});
    }
    return;
  }
  // A first column has the same density for all elements.
  const Matrix<float> densities = likelihood.outputs(k, {contexts, 1, element(features, 0), each});
  parallel_for(features.rows(), [&](Index i) {
    std::vector<float> y(static_cast<std::size_t>(each)), log(y.size());
    for (Index e = 0; e < networks_.elements; ++e) {
      std::ranges::fill(y, element(features, e)(i, likelihood.target(k)));
      log_density(log.data(), densities.row(i * each).data(), y.data(), each, likelihood.shape(k));
      for (std::size_t j = 0; j < y.size(); ++j) {
        out[static_cast<std::size_t>(i * each) + j] += log[j];
      }
    }
  });
}

Matrix<float> LikelihoodEstimator::log_joint(MatrixView<const float> features,
                                             MatrixView<const float> local) const {
  const Index rows = local.rows();
  const Matrix<float> contexts = networks_.likelihood.features(parameter_features(prior(), local));
  Matrix<float> out(ensemble(), rows);
  const Index factors = networks_.likelihood.densities() / ensemble();
  for (int e = 0; e < ensemble(); ++e) {
    for (Index k = e * factors; k < (e + 1) * factors; ++k) {
      if (is_constant_column(networks_.likelihood, k)) continue;
      add_log_densities(out.row(e), k, contexts, features);
    }
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
  return std::clamp(kEvaluations / (networks_.likelihood.size() * networks_.elements), kFewest,
                    kMost);
}

// Networks know standard scores, perhaps with softened tails: their slopes lead back to x.
std::optional<Matrix<double>> LikelihoodEstimator::log_evidence(MatrixView<const float> x) const {
  if (!networks_.proposal) return std::nullopt;
  const auto drawn = draws(features(x));
  Matrix<double> result(ensemble(), x.rows());
  const DensityStack& likelihood = networks_.likelihood;
  for (Index i = 0; i < x.rows(); ++i) {
    double log_slope = 0;
    for (Index j = 0; j < x.cols(); ++j) {
      const Index column = j % columns();
      const bool constant =
          likelihood.theta_scores().inverse[static_cast<std::size_t>(column)] == 0;
      if (!constant) log_slope += likelihood.log_score_slope(column, x(i, j));
    }
    for (int e = 0; e < ensemble(); ++e) result(e, i) = drawn->log_mean(e, i) + log_slope;
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
  if (networks_.elements > 1) {
    arrays.push_back({"elements", {1}, std::vector{static_cast<double>(networks_.elements)}});
  }
  arrays.push_back(marginals_to_array(marginals()));
  arrays.push_back({"weights", {std::ssize(all_weights())}, all_weights()});
  return arrays;
}

}  // namespace hone
