#include "hone/posterior/sample_posterior.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "hone/core/error.h"

namespace hone {

SamplePosterior::SamplePosterior(TruncatedPrior prior, const std::vector<Marginal>& marginals,
                                 std::vector<double> observation, WeightedPoints samples)
    : AmortizedPosterior(std::move(prior), marginals, 1, std::vector(marginals.size(), 1.0)),
      observation_(std::move(observation)),
      samples_(std::move(samples)) {
  for (const Marginal& marginal : this->marginals()) {
    densities_.emplace_back(this->prior(), marginal, samples_);
  }
}

Matrix<float> SamplePosterior::features(MatrixView<const float> x) const {
  Matrix<float> copy(x.rows(), x.cols());
  for (Index i = 0; i < x.rows(); ++i) std::ranges::copy(x.row(i), copy.row(i).begin());
  return copy;
}

void SamplePosterior::require_observation(std::span<const float> x) const {
  const bool same = std::ranges::equal(
      x, observation_, [](float a, double b) { return a == static_cast<float>(b); });
  if (same) return;
  fail(ErrorKind::input,
       "this posterior is known for the observation of its run alone: its method does not learn "
       "from simulations what other data would say");
}

Matrix<float> SamplePosterior::log_densities(Index marginal, const Matrix<float>& features,
                                             MatrixView<const float> local) const {
  require_observation(features.row(0));
  Matrix<float> out(1, local.rows());
  densities_[static_cast<std::size_t>(marginal)].log_densities(out.row(0), local);
  return out;
}

std::vector<Matrix<float>> SamplePosterior::log_density_blocks(
    Index marginal, MatrixView<const float> features, MatrixView<const float> local) const {
  const Index n = features.rows(), m = local.rows() / n;
  std::vector<Matrix<float>> result;
  result.emplace_back(n, m);
  for (Index i = 0; i < n; ++i) {
    require_observation(features.row(i));
    densities_[static_cast<std::size_t>(marginal)].log_densities(result[0].row(i),
                                                                 local.rows(i * m, m));
  }
  return result;
}

std::optional<Matrix<double>> SamplePosterior::joint_samples(std::span<const double> x, Index rows,
                                                             const Rng& rng) const {
  require_observation(features(x).row(0));
  const SampleDensity all(prior(), joint(prior().dimensions()), samples_);
  return local_to_theta(prior(), all.draw(rows, rng));
}

SharedPosterior SamplePosterior::with_marginals(const std::vector<Marginal>& marginals) const {
  Matrix<double> points(samples_.points.rows(), samples_.points.cols());
  std::copy_n(samples_.points.data(), points.rows() * points.cols(), points.data());
  return std::make_shared<const SamplePosterior>(
      prior(), marginals, observation_, WeightedPoints{std::move(points), samples_.weights});
}

std::vector<NamedArray> SamplePosterior::to_arrays() const {
  const Matrix<double>& points = samples_.points;
  return {{"samples",
           {points.rows(), points.cols()},
           std::vector<double>(points.data(), points.data() + points.rows() * points.cols())},
          {"sample_weights", {points.rows()}, samples_.weights},
          {"observation", {std::ssize(observation_)}, observation_},
          marginals_to_array(marginals())};
}

SharedPosterior SamplePosterior::load(const Prior& prior, const Region& region,
                                      std::span<const NamedArray> arrays) {
  const Index dimensions = prior.dimensions();
  const auto values = array_values<double>(arrays, "samples", std::array<Index, 2>{-1, dimensions});
  const Index rows = std::ssize(values) / dimensions;
  const auto weights = array_values<double>(arrays, "sample_weights", std::array{rows});
  const auto observation =
      array_values<double>(arrays, "observation", std::array<Index, 1>{Index{-1}});
  const auto unit = [](double v) { return v >= 0 && v <= 1; };
  if (rows < 2 || !std::ranges::all_of(values, unit) || !std::ranges::all_of(weights, unit)) {
    fail(ErrorKind::io, "its samples do not lie in the prior, or their weights are not probable");
  }
  Matrix<double> points(rows, dimensions);
  std::ranges::copy(values, points.data());
  return std::make_shared<const SamplePosterior>(
      TruncatedPrior(prior, region), marginals_from_arrays(arrays, prior.dimensions()),
      std::vector<double>(observation.begin(), observation.end()),
      WeightedPoints{std::move(points), {weights.begin(), weights.end()}});
}

NamedArray marginals_to_array(const std::vector<Marginal>& marginals) {
  std::size_t longest = 1;
  for (const Marginal& marginal : marginals) longest = std::max(longest, marginal.size());
  std::vector<double> values;
  for (const Marginal& marginal : marginals) {
    for (std::size_t j = 0; j < longest; ++j) {
      values.push_back(j < marginal.size() ? marginal[j] : -1);
    }
  }
  return {kMarginalsArray, {std::ssize(marginals), static_cast<Index>(longest)}, std::move(values)};
}

std::vector<Marginal> marginals_from_arrays(std::span<const NamedArray> arrays, int dimensions) {
  const auto values = array_values<double>(arrays, kMarginalsArray, std::array<Index, 2>{-1, -1});
  const Index longest = find_array(arrays, kMarginalsArray).shape[1];
  std::vector<Marginal> marginals;
  for (Index first = 0; first < std::ssize(values); first += longest) {
    Marginal marginal;
    for (Index j = 0; j < longest; ++j) {
      const double value = values[static_cast<std::size_t>(first + j)];
      if (value == -1) break;
      if (!(value >= 0 && value < dimensions) || value != std::floor(value)) {
        fail(ErrorKind::io, "its marginals do not fit the parameters of the problem");
      }
      marginal.push_back(static_cast<int>(value));
    }
    if (marginal.empty()) fail(ErrorKind::io, "one of its marginals is empty");
    marginals.push_back(std::move(marginal));
  }
  if (marginals.empty()) fail(ErrorKind::io, "it has no marginals");
  return marginals;
}

}  // namespace hone
