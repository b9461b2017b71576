#include "hone/estimate/network_coordinates.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include <boost/math/special_functions/erf.hpp>

namespace hone {
namespace {

// The standard normal quantile.
double normal_quantile(const UnitPoint& point) {
  const bool low = point.u <= point.complement;
  const double tail = std::max(low ? point.u : point.complement, 1e-300);
  const double distance = std::numbers::sqrt2 * boost::math::erfc_inv(2 * tail);
  return low ? -distance : distance;
}

bool has_ends(const TruncatedPrior& prior, int d) {
  const Distribution& axis = prior.prior()[d];
  return std::isfinite(axis.lower()) && std::isfinite(axis.upper());
}

}  // namespace

float network_coordinate(const TruncatedPrior& prior, int d, float local) {
  if (prior.prior()[d].discrete()) {
    return static_cast<float>(prior.to_local(d, prior.to_theta(d, static_cast<double>(local))));
  }
  if (has_ends(prior, d)) return local;
  constexpr float kEnd = 1e-7F;  // a float does not tell more of its distance to 1
  const double inside = static_cast<double>(std::clamp(local, kEnd, 1 - kEnd));
  return static_cast<float>(normal_quantile(prior.axis(d).to_unit({inside, 1 - inside})));
}

float local_coordinate(const TruncatedPrior& prior, int d, float coordinate) {
  if (has_ends(prior, d)) return std::clamp(coordinate, 0.0F, 1.0F);
  const double half = static_cast<double>(coordinate) / std::numbers::sqrt2;
  const UnitPoint unit{0.5 * std::erfc(-half), 0.5 * std::erfc(half)};
  return static_cast<float>(prior.axis(d).to_local(unit).u);
}

double prior_coordinate(const TruncatedPrior& prior, int d, double local) {
  constexpr double kEnd = 1e-7;
  const double inside = std::clamp(local, kEnd, 1 - kEnd);
  const UnitPoint unit = prior.axis(d).to_unit({inside, 1 - inside});
  return has_ends(prior, d) ? unit.u : normal_quantile(unit);
}

// local = (Phi(y) - what is below) / mass of the axis.
double log_coordinate_slope(const TruncatedPrior& prior, int d, float coordinate) {
  if (has_ends(prior, d)) return 0;
  const double y = static_cast<double>(coordinate);
  return 0.5 * y * y + 0.5 * std::log(2 * std::numbers::pi) + std::log(prior.axis(d).mass());
}

Matrix<float> network_coordinates(const TruncatedPrior& prior, const Marginal& marginal,
                                  MatrixView<const float> local) {
  Matrix<float> result(local.rows(), local.cols());
  for (Index i = 0; i < local.rows(); ++i) {
    for (Index j = 0; j < local.cols(); ++j) {
      result(i, j) = network_coordinate(prior, marginal[static_cast<std::size_t>(j)], local(i, j));
    }
  }
  return result;
}

ColumnBounds coordinate_bounds(const TruncatedPrior& prior) {
  ColumnBounds bounds;
  for (int d = 0; d < prior.dimensions(); ++d) {
    const bool ends = has_ends(prior, d);
    const auto quantile = [&](const UnitPoint& local) {
      return static_cast<float>(normal_quantile(prior.axis(d).to_unit(local)));
    };
    bounds.lower.push_back(ends ? 0.0F : quantile({0, 1}));
    bounds.upper.push_back(ends ? 1.0F : quantile({1, 0}));
  }
  return bounds;
}

Marginal all_parameters(const TruncatedPrior& prior) {
  Marginal all(static_cast<std::size_t>(prior.dimensions()));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

Matrix<float> parameter_features(const TruncatedPrior& prior, MatrixView<const float> local) {
  constexpr float kEnd = 1e-5F;  // normal scores up to 4.3
  Matrix<float> result(local.rows(), 2 * local.cols());
  for (Index i = 0; i < local.rows(); ++i) {
    for (Index d = 0; d < local.cols(); ++d) {
      const double inside = static_cast<double>(std::clamp(local(i, d), kEnd, 1 - kEnd));
      result(i, 2 * d) = local(i, d);
      result(i, 2 * d + 1) = has_ends(prior, static_cast<int>(d))
                                 ? static_cast<float>(normal_quantile({inside, 1 - inside}))
                                 : network_coordinate(prior, static_cast<int>(d), local(i, d));
    }
  }
  return result;
}

}  // namespace hone
