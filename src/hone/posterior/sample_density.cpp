#include "hone/posterior/sample_density.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "hone/prior/standard_normal.h"

namespace hone {
namespace {

bool is_bounded(const Distribution& axis) {
  return std::isfinite(axis.lower()) && std::isfinite(axis.upper());
}

double normal_quantile(const UnitPoint& point) {
  constexpr double kLeast = 1e-300;
  return point.u <= point.complement
             ? standard_normal_quantile(std::max(point.u, kLeast))
             : -standard_normal_quantile(std::max(point.complement, kLeast));
}

double inside(double local) {
  constexpr double kEnd = 1e-9;
  return std::clamp(local, kEnd, 1 - kEnd);
}

double to_kernel(const TruncatedPrior& prior, int d, double local, bool bounded) {
  if (bounded) return local;
  const double at = inside(local);
  return normal_quantile(prior.axis(d).to_unit({at, 1 - at}));
}

double from_kernel(const TruncatedPrior& prior, int d, double value, bool bounded) {
  if (bounded) return inside(value);
  const UnitPoint unit{standard_normal_cdf(value), standard_normal_cdf(-value)};
  return inside(prior.axis(d).to_local(unit).u);
}

// log of d(kernel coordinate) / d(local coordinate).
double log_stretch(const TruncatedPrior& prior, int d, double value, bool bounded) {
  if (bounded) return 0;
  const double log_normal = -0.5 * value * value - 0.5 * std::log(2 * std::numbers::pi);
  return std::log(prior.axis(d).mass()) - log_normal;
}

}  // namespace

SampleDensity::SampleDensity(const TruncatedPrior& prior, Marginal marginal,
                             const WeightedPoints& local, Index selection)
    : prior_(prior), marginal_(std::move(marginal)) {
  for (const int d : marginal_) bounded_.push_back(is_bounded(prior.prior()[d]));
  Matrix<double> points(local.points.rows(), std::ssize(marginal_));
  for (Index i = 0; i < points.rows(); ++i) {
    for (std::size_t j = 0; j < marginal_.size(); ++j) {
      points(i, static_cast<Index>(j)) =
          to_kernel(prior, marginal_[j], local.points(i, marginal_[j]), bounded_[j]);
    }
  }
  density_.emplace(WeightedPoints{std::move(points), local.weights}, bounded_, selection);
}

void SampleDensity::log_densities(std::span<float> out, MatrixView<const float> local) const {
  Matrix<double> points(local.rows(), local.cols());
  std::vector<double> stretch(static_cast<std::size_t>(local.rows()), 0.0);
  for (Index i = 0; i < local.rows(); ++i) {
    for (std::size_t j = 0; j < marginal_.size(); ++j) {
      double& point = points(i, static_cast<Index>(j));
      point = to_kernel(prior_, marginal_[j], static_cast<double>(local(i, static_cast<Index>(j))),
                        bounded_[j]);
      stretch[static_cast<std::size_t>(i)] += log_stretch(prior_, marginal_[j], point, bounded_[j]);
    }
  }
  const std::vector<double> values = density_->densities(points);
  constexpr double kPrior = 1e-10;
  for (std::size_t i = 0; i < values.size(); ++i) {
    out[i] = static_cast<float>(std::log(values[i] * std::exp(stretch[i]) + kPrior));
  }
}

Matrix<double> SampleDensity::draw(Index rows, const Rng& rng) const {
  Matrix<double> result(rows, std::ssize(marginal_));
  for (Index i = 0; i < rows; ++i) {
    Rng draw = rng.child("row", static_cast<std::uint64_t>(i));
    density_->draw(result.row(i), draw);
    for (std::size_t j = 0; j < marginal_.size(); ++j) {
      double& value = result(i, static_cast<Index>(j));
      value = from_kernel(prior_, marginal_[j], value, bounded_[j]);
    }
  }
  return result;
}

Matrix<double> local_to_theta(const TruncatedPrior& prior, MatrixView<const double> local) {
  Matrix<double> theta(local.rows(), local.cols());
  for (Index i = 0; i < local.rows(); ++i) {
    for (Index d = 0; d < local.cols(); ++d) {
      theta(i, d) = prior.to_theta(static_cast<int>(d), inside(local(i, d)));
    }
  }
  return theta;
}

}  // namespace hone
