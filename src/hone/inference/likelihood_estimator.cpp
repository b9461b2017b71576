#include "hone/inference/likelihood_estimator.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "hone/inference/factors.h"
#include "hone/inference/kernel_draws.h"
#include "hone/inference/network_coordinates.h"
#include "hone/inference/set_elements.h"
#include "hone/posterior/sample_posterior.h"

namespace hone {
namespace {

// Below these a density is nothing: its logarithm stays a number.
constexpr float kLeastLog = -1e30F;
constexpr double kNothing = 1e-40;

// Where fewer draws than this share count, others are made around them, so often at most.
constexpr double kEnough = 0.25;
constexpr int kRefinements = 2;

double effective_size(std::span<const double> weights) {
  double squares = 0;
  for (const double weight : weights) squares += weight * weight;
  return 1 / squares;
}

// Of the members, for row i of some x.
std::vector<double> average_weights(const std::vector<Matrix<double>>& members, Index i,
                                    std::span<const double> shares) {
  std::vector<double> average(static_cast<std::size_t>(members.at(0).cols()));
  for (std::size_t e = 0; e < members.size(); ++e) {
    for (std::size_t j = 0; j < average.size(); ++j) {
      average[j] += shares[e] * members[e](i, static_cast<Index>(j));
    }
  }
  return average;
}

bool same(MatrixView<const float> a, MatrixView<const float> b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return false;
  for (Index i = 0; i < a.rows(); ++i) {
    if (!std::ranges::equal(a.row(i), b.row(i))) return false;
  }
  return true;
}

Matrix<float> copy(MatrixView<const float> from) {
  Matrix<float> result(from.rows(), from.cols());
  for (Index i = 0; i < from.rows(); ++i) std::ranges::copy(from.row(i), result.row(i).begin());
  return result;
}

std::vector<NamedArray> prefixed(const std::string& prefix, std::vector<NamedArray> arrays) {
  for (NamedArray& array : arrays) array.name = prefix + array.name;
  return arrays;
}

MatrixView<const float> columns_from(MatrixView<const float> table, Index begin, Index count) {
  return {table.data() + begin, table.rows(), count, table.stride()};
}

// Columns of the points that belong to a marginal.
Matrix<float> columns_of(MatrixView<const float> points, const Marginal& marginal) {
  Matrix<float> result(points.rows(), std::ssize(marginal));
  for (Index i = 0; i < points.rows(); ++i) {
    for (Index j = 0; j < result.cols(); ++j) {
      result(i, j) = points(i, marginal[static_cast<std::size_t>(j)]);
    }
  }
  return result;
}

}  // namespace

bool is_constant_column(const DensityStack& likelihood, Index k) {
  return likelihood.transforms() == 1 &&
         likelihood.theta_scores().inverse[static_cast<std::size_t>(likelihood.target(k))] == 0;
}

LikelihoodEstimator::LikelihoodEstimator(TruncatedPrior prior, std::vector<Marginal> marginals,
                                         int ensemble, LikelihoodNetworks networks,
                                         std::vector<double> weights)
    : AmortizedPosterior(std::move(prior), std::move(marginals), ensemble, std::move(weights)),
      networks_(std::move(networks)) {
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

bool LikelihoodEstimator::is_joint(const Marginal& marginal) const {
  return std::ssize(marginal) == prior().dimensions();
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

// Weights of proposed draws, per member (n, each): p(x | theta) p(theta) / q(theta | x), which add
// up to 1 for every x, and the log of their mean before.
void LikelihoodEstimator::set_weights(Draws& draws, const ProposalDraws& proposed) const {
  const Matrix<float> log = log_joint(draws.features, proposed.local);
  const Index n = draws.features.rows(), each = proposed.local.rows() / n;
  draws.weights.clear();
  draws.log_mean = Matrix<double>(ensemble(), n);
  for (int e = 0; e < ensemble(); ++e) {
    Matrix<double>& weights = draws.weights.emplace_back(n, each);
    for (Index i = 0; i < n; ++i) {
      double peak = -std::numeric_limits<double>::infinity(), sum = 0;
      for (Index j = 0; j < each; ++j) {
        const Index r = i * each + j;
        weights(i, j) = static_cast<double>(log(e, r)) -
                        static_cast<double>(proposed.log_density[static_cast<std::size_t>(r)]);
        peak = std::max(peak, weights(i, j));
      }
      for (double& weight : weights.row(i)) sum += weight = std::exp(weight - peak);
      for (double& weight : weights.row(i)) weight /= sum;
      draws.log_mean(e, i) = peak + std::log(sum / static_cast<double>(each));
    }
  }
}

std::shared_ptr<const LikelihoodEstimator::Draws> LikelihoodEstimator::draws(
    MatrixView<const float> features, Index each) const {
  {
    const std::lock_guard lock(mutex_);
    if (last_ && last_->local.rows() == features.rows() * each && same(last_->features, features)) {
      return last_;
    }
  }
  HONE_ASSERT(networks_.proposal.has_value());
  auto result = std::make_shared<Draws>();
  result->features = copy(features);
  ProposalDraws proposed =
      draw_proposals(*networks_.proposal, prior(), proposal_context(features), each);
  set_weights(*result, proposed);
  // One x has the time for draws where the first ones found the posterior.
  for (int turn = 0; features.rows() == 1 && turn < kRefinements; ++turn) {
    if (!refine(proposed, *result, turn)) break;
  }
  result->local = std::move(proposed.local);
  const std::lock_guard lock(mutex_);
  last_ = result;
  return result;
}

// Draws again around those that count, if these are few, and keeps what has more that count.
bool LikelihoodEstimator::refine(ProposalDraws& proposed, Draws& draws, int turn) const {
  const std::vector<double> before = average_weights(draws.weights, 0, weights(0));
  const double size = effective_size(before);
  if (size > kEnough * static_cast<double>(before.size())) return false;
  ProposalDraws around =
      draw_around(proposed.local, before, Rng(0).child("around", static_cast<std::uint64_t>(turn)));
  Draws found{.features = copy(draws.features), .local = {}, .weights = {}, .log_mean = {}};
  set_weights(found, around);
  if (effective_size(average_weights(found.weights, 0, weights(0))) <= size) return false;
  proposed = std::move(around);
  draws.weights = std::move(found.weights);
  draws.log_mean = std::move(found.log_mean);
  return true;
}

// As many networks are asked for every x, whatever there are: about 20,000.
Index LikelihoodEstimator::draws_of_many() const {
  constexpr Index kEvaluations = 20480, kFewest = 512, kMost = 1024;
  return std::clamp(kEvaluations / (networks_.likelihood.size() * networks_.elements), kFewest,
                    kMost);
}

std::vector<Matrix<float>> LikelihoodEstimator::joint_blocks(const Marginal& marginal,
                                                             MatrixView<const float> features,
                                                             MatrixView<const float> local) const {
  Matrix<float> all(local.rows(), local.cols());
  for (Index i = 0; i < local.rows(); ++i) {
    for (Index j = 0; j < local.cols(); ++j) {
      all(i, marginal[static_cast<std::size_t>(j)]) = local(i, j);
    }
  }
  const Matrix<float> log = log_joint(features, all);
  std::vector<Matrix<float>> result;
  for (int e = 0; e < ensemble(); ++e) {
    result.emplace_back(features.rows(), local.rows() / features.rows());
    std::ranges::copy(log.row(e), result.back().data());
  }
  return result;
}

std::shared_ptr<const LikelihoodEstimator::Members> LikelihoodEstimator::smoothed(
    Index marginal, const std::shared_ptr<const Draws>& drawn) const {
  {
    const std::lock_guard lock(mutex_);
    if (smoothed_draws_ != drawn) {
      smoothed_draws_ = drawn;
      smoothed_.clear();
    }
    if (const auto found = smoothed_.find(marginal); found != smoothed_.end()) return found->second;
  }
  const Matrix<float> points =
      columns_of(drawn->local, marginals()[static_cast<std::size_t>(marginal)]);
  auto members = std::make_shared<Members>();
  for (int e = 0; e < ensemble(); ++e) {
    members->emplace_back(points, drawn->weights[static_cast<std::size_t>(e)].row(0),
                          WeightedDensity::Cells{});
  }
  const std::lock_guard lock(mutex_);
  if (smoothed_draws_ == drawn) smoothed_[marginal] = members;
  return members;
}

Matrix<float> LikelihoodEstimator::log_densities(Index marginal, const Matrix<float>& features,
                                                 MatrixView<const float> local) const {
  const Marginal& columns = marginals()[static_cast<std::size_t>(marginal)];
  Matrix<float> out(ensemble(), local.rows());
  if (is_joint(columns)) {
    const auto blocks = joint_blocks(columns, features, local);
    for (int e = 0; e < ensemble(); ++e) {
      std::ranges::copy(blocks[static_cast<std::size_t>(e)].row(0), out.row(e).begin());
    }
    return out;
  }
  const auto members = smoothed(marginal, draws(features, kDraws));
  parallel_for(local.rows(), [&](Index i) {
    for (int e = 0; e < ensemble(); ++e) {
      const double density = (*members)[static_cast<std::size_t>(e)](local.row(i));
      out(e, i) = static_cast<float>(std::log(std::max(density, kNothing)));
    }
  });
  return out;
}

std::vector<Matrix<float>> LikelihoodEstimator::log_density_blocks(
    Index marginal, MatrixView<const float> features, MatrixView<const float> local) const {
  const Marginal& columns = marginals()[static_cast<std::size_t>(marginal)];
  if (is_joint(columns)) return joint_blocks(columns, features, local);
  const Index many = draws_of_many();
  const auto drawn = draws(features, many);
  const Matrix<float> points = columns_of(drawn->local, columns);
  const Index each = local.rows() / features.rows();
  // The members together: smoothing takes longer than all else here.
  Matrix<float> together(features.rows(), each);
  parallel_for(features.rows(), [&](Index i) {
    const WeightedDensity density(points.view().rows(i * many, many),
                                  average_weights(drawn->weights, i, weights(marginal)),
                                  {.line = 256, .plane = 40});
    for (Index j = 0; j < each; ++j) {
      together(i, j) =
          static_cast<float>(std::log(std::max(density(local.row(i * each + j)), kNothing)));
    }
  });
  std::vector<Matrix<float>> result;
  for (int e = 0; e < ensemble(); ++e) result.push_back(copy(together));
  return result;
}

std::optional<double> LikelihoodEstimator::effective_draws(std::span<const double> x) const {
  if (!networks_.proposal) return std::nullopt;
  return effective_size(average_weights(draws(features(x), kDraws)->weights, 0, weights(0)));
}

// Networks know standard scores, perhaps with softened tails: their slopes lead back to x.
std::optional<Matrix<double>> LikelihoodEstimator::log_evidence(MatrixView<const float> x) const {
  if (!networks_.proposal) return std::nullopt;
  const auto drawn = draws(features(x), x.rows() == 1 ? kDraws : draws_of_many());
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
