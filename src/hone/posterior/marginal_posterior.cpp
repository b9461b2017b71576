#include "hone/posterior/marginal_posterior.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "hone/core/error.h"
#include "hone/core/rng.h"

namespace hone {
namespace {

// Points on which a network's normalisation is computed: a grid in one and two dimensions, random
// points of the truncated prior in more.
constexpr Index kCells1d = 2048, kCells2d = 128, kRandomPoints = 16384;

Matrix<float> normalization_points(Index dimensions) {
  if (dimensions == 1) return local_grid(kCells1d, 1);
  if (dimensions == 2) return local_grid(kCells2d, 2);
  Matrix<float> points(kRandomPoints, dimensions);
  Rng rng = Rng(0).child("normalization points");
  for (Index i = 0; i < points.rows(); ++i) {
    for (float& value : points.row(i)) value = static_cast<float>(rng.uniform());
  }
  return points;
}

template <typename T>
double log_mean_exp(std::span<const T> values) {
  const double peak = static_cast<double>(*std::ranges::max_element(values));
  double sum = 0;
  for (const T value : values) sum += std::exp(static_cast<double>(value) - peak);
  return peak + std::log(sum / static_cast<double>(values.size()));
}

}  // namespace

Matrix<float> local_grid(Index cells, Index dimensions) {
  Index rows = 1;
  for (Index d = 0; d < dimensions; ++d) rows *= cells;
  Matrix<float> grid(rows, dimensions);
  for (Index i = 0; i < rows; ++i) {
    Index rest = i;
    for (Index d = dimensions - 1; d >= 0; --d, rest /= cells) {
      grid(i, d) = static_cast<float>((static_cast<double>(rest % cells) + 0.5) /
                                      static_cast<double>(cells));
    }
  }
  return grid;
}

namespace {

LogDensities log_densities_at(const AmortizedPosterior& posteriors, const Marginal& marginal,
                              std::span<const double> x) {
  auto features = std::make_shared<const Matrix<float>>(posteriors.features(x));
  return [&posteriors, features, index = posteriors.find(marginal)](MatrixView<const float> local) {
    return posteriors.log_densities(index, *features, local);
  };
}

std::vector<double> weights_of(const AmortizedPosterior& posteriors, const Marginal& marginal) {
  const auto weights = posteriors.weights(posteriors.find(marginal));
  return {weights.begin(), weights.end()};
}

}  // namespace

MarginalPosterior::MarginalPosterior(const AmortizedPosterior& posteriors, const Marginal& marginal,
                                     std::span<const double> x, double power)
    : MarginalPosterior(posteriors.prior(), marginal, log_densities_at(posteriors, marginal, x),
                        power, weights_of(posteriors, marginal)) {}

MarginalPosterior::MarginalPosterior(TruncatedPrior prior, Marginal marginal,
                                     LogDensities log_densities, double power,
                                     std::vector<double> weights)
    : prior_(std::move(prior)),
      marginal_(std::move(marginal)),
      log_densities_(std::move(log_densities)),
      weights_(std::move(weights)) {
  const Matrix<float> points = normalization_points(dimensions());
  const Matrix<float> values = raw_log_densities(points);
  if (weights_.empty()) {
    weights_.assign(static_cast<std::size_t>(values.rows()),
                    1.0 / static_cast<double>(values.rows()));
  }
  HONE_ASSERT(static_cast<Index>(weights_.size()) == values.rows());
  for (Index e = 0; e < values.rows(); ++e) {
    log_normalizer_.push_back(log_mean_exp(std::span<const float>(values.row(e))));
    if (!std::isfinite(log_normalizer_.back())) {
      fail(ErrorKind::numerical, "the ratio of marginal {} is not finite at this data vector",
           marginal_name(marginal_, prior_.prior().names()));
    }
  }
  if (power == 1) return;
  std::vector<double> densities = log_density_local(points);
  for (double& value : densities) value *= power;
  log_power_normalizer_ = log_mean_exp(std::span<const double>(densities));
  power_ = power;
}

// What the networks say, and nothing outside the constraint of the region.
Matrix<float> MarginalPosterior::raw_log_densities(MatrixView<const float> local) const {
  Matrix<float> values = log_densities_(local);
  const Region& region = prior_.region();
  if (!region.has_constraint() || dimensions() != region.dimensions()) return values;
  std::vector<double> u(static_cast<std::size_t>(dimensions()));
  for (Index i = 0; i < local.rows(); ++i) {
    for (Index j = 0; j < dimensions(); ++j) {
      const int d = marginal_[static_cast<std::size_t>(j)];
      u[static_cast<std::size_t>(d)] =
          prior_.axis(d).to_unit(unit_point(static_cast<double>(local(i, j)))).u;
    }
    if (region.constraint()->contains(u)) continue;
    for (Index e = 0; e < values.rows(); ++e) {
      values(e, i) = -std::numeric_limits<float>::infinity();
    }
  }
  return values;
}

Matrix<double> MarginalPosterior::member_log_densities(MatrixView<const float> local) const {
  const Matrix<float> values = raw_log_densities(local);
  Matrix<double> densities(values.rows(), values.cols());
  for (Index e = 0; e < values.rows(); ++e) {
    for (Index i = 0; i < values.cols(); ++i) {
      densities(e, i) = static_cast<double>(values(e, i)) - log_normalizer_[std::size_t(e)];
    }
  }
  return densities;
}

std::vector<double> MarginalPosterior::log_density_local(MatrixView<const float> local) const {
  const Matrix<double> members = member_log_densities(local);
  std::vector<double> result(static_cast<std::size_t>(local.rows()));
  for (Index i = 0; i < local.rows(); ++i) {
    double peak = -std::numeric_limits<double>::infinity(), sum = 0;
    for (Index e = 0; e < members.rows(); ++e) {
      if (weights_[static_cast<std::size_t>(e)] > 0) peak = std::max(peak, members(e, i));
    }
    if (peak == -std::numeric_limits<double>::infinity()) {
      result[static_cast<std::size_t>(i)] = peak;  // outside a constraint
      continue;
    }
    for (Index e = 0; e < members.rows(); ++e) {
      const double weight = weights_[static_cast<std::size_t>(e)];
      if (weight > 0) sum += weight * std::exp(members(e, i) - peak);
    }
    result[static_cast<std::size_t>(i)] = power_ * (peak + std::log(sum)) - log_power_normalizer_;
  }
  return result;
}

std::vector<double> MarginalPosterior::log_density(MatrixView<const double> theta) const {
  const TruncatedPrior& truncated = prior();
  Matrix<float> local(theta.rows(), dimensions());
  std::vector<double> jacobian(static_cast<std::size_t>(theta.rows()), 0.0);
  for (Index i = 0; i < theta.rows(); ++i) {
    for (Index j = 0; j < dimensions(); ++j) {
      const int d = marginal()[static_cast<std::size_t>(j)];
      const Distribution& axis = truncated.prior()[d];
      const bool inside = truncated.region().contains_axis(d, to_unit(axis, theta(i, j))) &&
                          theta(i, j) >= axis.lower() && theta(i, j) <= axis.upper();
      jacobian[std::size_t(i)] +=
          inside ? axis.log_density(theta(i, j)) - std::log(truncated.axis(d).mass())
                 : -std::numeric_limits<double>::infinity();
      local(i, j) = static_cast<float>(truncated.to_local(d, theta(i, j)));
    }
  }
  std::vector<double> result = log_density_local(local);
  for (std::size_t i = 0; i < result.size(); ++i) result[i] += jacobian[i];
  return result;
}

}  // namespace hone
