#include "hone/inference/likelihood_estimator.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "hone/inference/factors.h"
#include "hone/inference/network_coordinates.h"
#include "hone/inference/proposal_draws.h"
#include "hone/posterior/sample_posterior.h"

namespace hone {
namespace {

// Below these a density is nothing: its logarithm stays a number.
constexpr float kLeastLog = -1e5F;
constexpr double kNothing = 1e-40;

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

LikelihoodEstimator::LikelihoodEstimator(TruncatedPrior prior, std::vector<Marginal> marginals,
                                         int ensemble, LikelihoodNetworks networks,
                                         std::vector<double> weights)
    : AmortizedPosterior(std::move(prior), std::move(marginals), ensemble, std::move(weights)),
      networks_(std::move(networks)) {
  HONE_ASSERT(networks_.likelihood.size() == data_size() * ensemble);
}

// Standard scores, padded: the table of the likelihood and the context of the proposal.
Matrix<float> LikelihoodEstimator::features(MatrixView<const float> x) const {
  Matrix<float> scores(x.rows(), padded(x.cols()));
  networks_.likelihood.theta_scores().apply(scores, x);
  return scores;
}

bool LikelihoodEstimator::is_joint(const Marginal& marginal) const {
  return std::ssize(marginal) == prior().dimensions();
}

Matrix<float> LikelihoodEstimator::log_joint(MatrixView<const float> features,
                                             MatrixView<const float> local) const {
  const Index rows = local.rows(), each = rows / features.rows();
  const Matrix<float> contexts = networks_.likelihood.features(parameter_features(prior(), local));
  Matrix<float> out(ensemble(), rows);
  for (int e = 0; e < ensemble(); ++e) {
    for (Index j = 0; j < data_size(); ++j) {
      networks_.likelihood.add_log_densities(out.row(e), e * data_size() + j,
                                             {contexts, 1, features, each});
    }
    // Data far from all that a network expects are beyond the range of floats, and as unlikely as
    // can be.
    for (float& log : out.row(e)) log = std::isfinite(log) ? std::max(log, kLeastLog) : kLeastLog;
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
  ProposalDraws proposals = draw_proposals(*networks_.proposal, prior(), features, each);
  const Matrix<float> log = log_joint(features, proposals.local);
  for (int e = 0; e < ensemble(); ++e) {
    Matrix<double>& weights = result->weights.emplace_back(features.rows(), each);
    for (Index i = 0; i < features.rows(); ++i) {
      double peak = -std::numeric_limits<double>::infinity(), sum = 0;
      for (Index j = 0; j < each; ++j) {
        const Index r = i * each + j;
        weights(i, j) = static_cast<double>(log(e, r)) -
                        static_cast<double>(proposals.log_density[static_cast<std::size_t>(r)]);
        peak = std::max(peak, weights(i, j));
      }
      for (double& weight : weights.row(i)) sum += weight = std::exp(weight - peak);
      for (double& weight : weights.row(i)) weight /= sum;
    }
  }
  result->local = std::move(proposals.local);
  const std::lock_guard lock(mutex_);
  last_ = result;
  return result;
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
  const auto drawn = draws(features, kDraws);
  std::shared_ptr<const Smoothed> smoothed;
  {
    const std::lock_guard lock(mutex_);
    if (smoothed_ && smoothed_->draws == drawn && smoothed_->marginal == marginal) {
      smoothed = smoothed_;
    }
  }
  if (!smoothed) {
    auto fresh = std::make_shared<Smoothed>(Smoothed{drawn, marginal, {}});
    const Matrix<float> points = columns_of(drawn->local, columns);
    for (int e = 0; e < ensemble(); ++e) {
      fresh->members.emplace_back(points, drawn->weights[static_cast<std::size_t>(e)].row(0),
                                  WeightedDensity::Cells{});
    }
    smoothed = fresh;
    const std::lock_guard lock(mutex_);
    smoothed_ = fresh;
  }
  parallel_for(local.rows(), [&](Index i) {
    for (int e = 0; e < ensemble(); ++e) {
      const double density = smoothed->members[static_cast<std::size_t>(e)](local.row(i));
      out(e, i) = static_cast<float>(std::log(std::max(density, kNothing)));
    }
  });
  return out;
}

std::vector<Matrix<float>> LikelihoodEstimator::log_density_blocks(
    Index marginal, MatrixView<const float> features, MatrixView<const float> local) const {
  const Marginal& columns = marginals()[static_cast<std::size_t>(marginal)];
  if (is_joint(columns)) return joint_blocks(columns, features, local);
  const auto drawn = draws(features, kDrawsOfMany);
  const Matrix<float> points = columns_of(drawn->local, columns);
  const Index each = local.rows() / features.rows();
  std::vector<Matrix<float>> result;
  result.reserve(static_cast<std::size_t>(ensemble()));
  for (int e = 0; e < ensemble(); ++e) result.emplace_back(features.rows(), each);
  parallel_for(features.rows(), [&](Index i) {
    for (int e = 0; e < ensemble(); ++e) {
      const WeightedDensity density(points.view().rows(i * kDrawsOfMany, kDrawsOfMany),
                                    drawn->weights[static_cast<std::size_t>(e)].row(i),
                                    {.line = 512, .plane = 40});
      for (Index j = 0; j < each; ++j) {
        result[static_cast<std::size_t>(e)](i, j) =
            static_cast<float>(std::log(std::max(density(local.row(i * each + j)), kNothing)));
      }
    }
  });
  return result;
}

std::vector<double> LikelihoodEstimator::effective_sizes(const Matrix<float>& features) const {
  const auto drawn = draws(features, kDraws);
  std::vector<double> sizes;
  for (const Matrix<double>& weights : drawn->weights) {
    double squares = 0;
    for (const double weight : weights.row(0)) squares += weight * weight;
    sizes.push_back(1 / squares);
  }
  return sizes;
}

std::vector<NamedArray> LikelihoodEstimator::to_arrays() const {
  std::vector<NamedArray> arrays = prefixed("likelihood.", networks_.likelihood.to_arrays());
  const auto add = [&](std::vector<NamedArray> more) {
    std::ranges::move(more, std::back_inserter(arrays));
  };
  if (networks_.proposal) add(prefixed("proposal.", networks_.proposal->to_arrays()));
  if (networks_.selection) add(prefixed("selection.", networks_.selection->to_arrays()));
  arrays.push_back(marginals_to_array(marginals()));
  arrays.push_back({"weights", {std::ssize(all_weights())}, all_weights()});
  return arrays;
}

}  // namespace hone
