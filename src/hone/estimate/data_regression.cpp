#include "hone/estimate/data_regression.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "hone/core/cholesky.h"
#include "hone/core/eigen_system.h"
#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "hone/engine/dense.h"
#include "hone/engine/ridge.h"
#include "hone/estimate/factors.h"
#include "hone/prior/standard_normal.h"

namespace hone {
namespace {

// Of standard scores: what is known better than this is known well enough.
constexpr double kLeastVariance = 1e-6;
constexpr int kVarianceSteps = 6;
constexpr double kMostLogVariance = 12;  // either way

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// a^T M b of a symmetric M or, in one row, its diagonal.
double product(std::span<const double> a, const Matrix<double>& m, std::span<const double> b) {
  double sum = 0;
  if (m.rows() == 1) {
    for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * m.row(0)[j] * b[j];
  } else {
    for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * dot(m.row(static_cast<Index>(j)), b);
  }
  return sum;
}

Matrix<double> monomials(const PolynomialBasis& basis, const Matrix<double>& z) {
  Matrix<double> phi(z.rows(), basis.size());
  for (Index i = 0; i < z.rows(); ++i) basis.values(phi.row(i), z.row(i));
  return phi;
}

// (A^T A)^-1
Matrix<double> inverse_of_square(const Matrix<double>& a) {
  Matrix<double> square = transposed_product(a, a);
  for (Index i = 0; i < square.rows(); ++i) square(i, i) += 1e-9 * static_cast<double>(a.rows());
  invert(square);
  return square;
}

// y - phi B
Matrix<double> residuals(const RegressionRows& rows, const Matrix<double>& phi,
                         const Matrix<double>& mean) {
  Matrix<double> result = product(phi.view(), mean.view());
  for (Index i = 0; i < result.rows(); ++i) {
    for (Index j = 0; j < result.cols(); ++j) result(i, j) = rows.y(i, j) - result(i, j);
  }
  return result;
}

// (1, columns); `freedom`: rows less what was fitted to them.
Matrix<double> variances(const Matrix<double>& residual, double freedom) {
  Matrix<double> result(1, residual.cols());
  for (Index i = 0; i < residual.rows(); ++i) {
    for (Index j = 0; j < residual.cols(); ++j) result(0, j) += residual(i, j) * residual(i, j);
  }
  for (double& value : result.row(0)) value = std::max(value / freedom, kLeastVariance);
  return result;
}

Matrix<double> inverse_covariance(const Matrix<double>& residual, double freedom,
                                  double shrinkage) {
  Matrix<double> covariance = transposed_product(residual, residual);
  for (Index i = 0; i < covariance.rows(); ++i) {
    for (Index j = 0; j < covariance.cols(); ++j) {
      covariance(i, j) *= (i == j ? 1 : 1 - shrinkage) / freedom;
    }
    covariance(i, i) += kLeastVariance;
  }
  invert(covariance);
  return covariance;
}

// (curvature + damping its diagonal)^-1 gradient
std::vector<double> damped_step(const Matrix<double>& curvature, std::span<const double> gradient,
                                double damping) {
  Matrix<double> damped(curvature.rows(), curvature.cols());
  for (Index i = 0; i < damped.rows(); ++i) {
    std::ranges::copy(curvature.row(i), damped.row(i).begin());
    damped(i, i) *= 1 + damping;
  }
  const Matrix<double> root = cholesky(damped);
  std::vector<double> step(gradient.begin(), gradient.end());
  solve_lower(step, root, step);
  solve_lower_transposed(step, root, step);
  return step;
}

// log variance = w_0 + w . z of each column, by maximum likelihood: Fisher scoring, whose weights
// are the same for all rows. (1 + parameters, columns)
Matrix<double> fit_log_variance(const Matrix<double>& residual, const Matrix<double>& z,
                                const Matrix<double>& average, double correction) {
  Matrix<double> design(z.rows(), z.cols() + 1);
  for (Index i = 0; i < z.rows(); ++i) {
    design(i, 0) = 1;
    std::ranges::copy(z.row(i), design.row(i).begin() + 1);
  }
  const Matrix<double> inverse = inverse_of_square(design);
  Matrix<double> weights(design.cols(), residual.cols());
  for (Index j = 0; j < residual.cols(); ++j) weights(0, j) = std::log(average(0, j));
  for (int step = 0; step < kVarianceSteps; ++step) {
    Matrix<double> excess = hone::product(design.view(), weights.view());
    for (Index i = 0; i < excess.rows(); ++i) {
      for (Index j = 0; j < excess.cols(); ++j) {
        const double log_variance = std::clamp(excess(i, j), -30.0, 30.0);
        const double square = correction * residual(i, j) * residual(i, j);
        // An outlier must not throw the first steps off.
        excess(i, j) = std::min(square * std::exp(-log_variance), 20.0) - 1;
      }
    }
    const Matrix<double> change =
        hone::product(inverse.view(), transposed_product(design, excess).view());
    for (Index k = 0; k < weights.rows(); ++k) {
      for (Index j = 0; j < weights.cols(); ++j) weights(k, j) += change(k, j);
    }
  }
  return weights;
}

// log det M / 2 of a symmetric M or, in one row, its diagonal.
double log_root_determinant(const Matrix<double>& m) {
  if (m.rows() > 1) return log_determinant(cholesky(m));
  double sum = 0;
  for (const double value : m.row(0)) sum += std::log(value) / 2;
  return sum;
}

}  // namespace

DataRegression::DataRegression(const RegressionRows& rows, const RegressionForm& form)
    : basis_(rows.z.cols(), form.degree) {
  const Matrix<double> phi = monomials(basis_, rows.z);
  HONE_ASSERT(rows.y.rows() == rows.z.rows() && phi.rows() > phi.cols());
  leverage_ = inverse_of_square(phi);
  mean_ = hone::product(leverage_.view(), transposed_product(phi, rows.y).view());
  const Matrix<double> residual = residuals(rows, phi, mean_);
  const auto n = static_cast<double>(phi.rows());
  const double freedom = n - static_cast<double>(phi.cols());
  if (form.scatter == Scatter::correlated) {
    precision_ = inverse_covariance(residual, freedom, form.shrinkage);
  } else {
    precision_ = variances(residual, freedom);
    if (form.scatter == Scatter::varying) {
      log_variance_ = fit_log_variance(residual, rows.z, precision_, n / freedom);
    }
    for (double& value : precision_.row(0)) value = 1 / value;
  }
  finish();
  if (form.low_rank) leave_out_noise(transposed_product(phi, phi));
}

// With R^T R = Phi^T Phi and noise of unit variance, W = R B is what it should be plus a matrix of
// independent standard normal numbers, (monomials, columns). Of its singular values squared lambda,
// those up to (sqrt(monomials) + sqrt(columns))^2 are noise, the others are too large: times f they
// are nearest to the right ones (Gavish and Donoho, 2017). square: Phi^T Phi
void DataRegression::leave_out_noise(const Matrix<double>& square) {
  const Matrix<double> root = cholesky(square);  // R^T
  const EigenSystem system =
      eigen_system(transposed_product(root, hone::product(curvature_.view(), root.view())));
  const auto monomials = static_cast<double>(mean_.rows());
  const double large = std::max(monomials, telling_columns_);
  const double beta = std::min(monomials, telling_columns_) / large;
  Matrix<double> kept(mean_.rows(), mean_.rows());  // rows: R^-1 v
  Matrix<double> shrunk(mean_.rows(), mean_.rows());
  for (Index k = 0; k < kept.rows(); ++k) {
    const double lambda = system.values[static_cast<std::size_t>(k)] / large;
    const double above = (lambda - beta - 1) * (lambda - beta - 1) - 4 * beta;
    const bool tells = lambda > (1 + std::sqrt(beta)) * (1 + std::sqrt(beta));
    const double factor = tells ? std::sqrt(above) / lambda : 0;
    std::vector<double> v;
    for (Index i = 0; i < kept.rows(); ++i) v.push_back(system.vectors(i, k));
    solve_lower_transposed(kept.row(k), root, v);
    std::ranges::transform(kept.row(k), shrunk.row(k).begin(),
                           [&](double value) { return factor * value; });
  }
  // B' = R^-1 V f V^T R B = K^T f K (R^T R) B, and the leverage K^T f K.
  leverage_ = transposed_product(kept, shrunk);
  mean_ = hone::product(leverage_.view(), hone::product(square.view(), mean_.view()).view());
  finish();
}

DataRegression::DataRegression(PolynomialBasis basis) : basis_(std::move(basis)) {}

void DataRegression::finish() {
  if (precision_.rows() == 1) {
    weighted_ = Matrix<double>(mean_.rows(), mean_.cols());
    for (Index k = 0; k < mean_.rows(); ++k) {
      for (Index j = 0; j < mean_.cols(); ++j) weighted_(k, j) = mean_(k, j) * precision_(0, j);
    }
  } else {
    weighted_ = hone::product(mean_.view(), precision_.view());
  }
  curvature_ = Matrix<double>(mean_.rows(), mean_.rows());
  parallel_for(mean_.rows(), [&](Index k) {
    for (Index l = 0; l < mean_.rows(); ++l) curvature_(k, l) = dot(weighted_.row(k), mean_.row(l));
  });
  log_root_precision_ = log_variance_.rows() > 0 ? 0 : log_root_determinant(precision_);
  telling_columns_ = 0;
  for (Index j = 0; j < mean_.cols(); ++j) {
    bool tells = false;
    for (Index k = 0; k < mean_.rows(); ++k) tells = tells || mean_(k, j) != 0;
    telling_columns_ += tells ? 1 : 0;
  }
}

std::vector<double> DataRegression::inverse_noise() const {
  HONE_ASSERT(precision_.rows() == 1);
  std::vector<double> result;
  for (const double value : precision_.row(0)) result.push_back(std::sqrt(value));
  return result;
}

void DataRegression::set_certainty(double certainty) {
  HONE_ASSERT(certainty > 0 && certainty <= 1);
  certainty_ = certainty;
}

DataRegression::Parabola DataRegression::parabola(std::span<const double> y) const {
  Parabola result{std::vector<double>(static_cast<std::size_t>(basis_.size())),
                  product(y, precision_, y)};
  for (Index k = 0; k < basis_.size(); ++k) {
    result.slope[static_cast<std::size_t>(k)] = dot(weighted_.row(k), y);
  }
  return result;
}

// log p(y | phi) with constant scatter, without what widens it.
double DataRegression::quadratic(const Parabola& parabola, std::span<const double> phi) const {
  return dot(parabola.slope, phi) - (product(phi, curvature_, phi) + parabola.square) / 2;
}

// The same where the scatter varies, with `wider` times the variance: for every row of phi and z.
std::vector<double> DataRegression::varying(std::span<const double> y, const Matrix<double>& phi,
                                            const Matrix<double>& z,
                                            std::span<const double> wider) const {
  const Matrix<double> mean = hone::product(phi.view(), mean_.view());
  Matrix<double> variance =
      hone::product(z.view(), log_variance_.view().rows(1, log_variance_.rows() - 1));
  const std::span<const double> from = log_variance_.row(0);
  std::vector<double> result(wider.size());
  for (Index i = 0; i < z.rows(); ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < y.size(); ++j) {
      const auto column = static_cast<Index>(j);
      const double log =
          from[j] + std::clamp(variance(i, column), -kMostLogVariance, kMostLogVariance);
      const double distance = y[j] - mean(i, column);
      sum += log + distance * distance * std::exp(-log) / wider[static_cast<std::size_t>(i)];
    }
    result[static_cast<std::size_t>(i)] = -sum / 2;
  }
  return result;
}

// log p(y | row of z), without a constant of y.
std::vector<double> DataRegression::unscaled(std::span<const double> y, const Matrix<double>& z,
                                             const Parabola& parabola) const {
  const Matrix<double> phi = monomials(basis_, z);
  const Matrix<double> spread = hone::product(phi.view(), leverage_.view());
  std::vector<double> wider;
  for (Index i = 0; i < phi.rows(); ++i) wider.push_back(1 + dot(spread.row(i), phi.row(i)));
  std::vector<double> result;
  if (log_variance_.rows() > 0) {
    result = varying(y, phi, z, wider);
  } else {
    const Matrix<double> curved = hone::product(phi.view(), curvature_.view());
    for (Index i = 0; i < phi.rows(); ++i) {
      const double square = dot(curved.row(i), phi.row(i)) + parabola.square;
      result.push_back((dot(parabola.slope, phi.row(i)) - square / 2) /
                       wider[static_cast<std::size_t>(i)]);
    }
  }
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] -= telling_columns_ / 2 * std::log(wider[i]);
  }
  return result;
}

void DataRegression::log_likelihoods(std::span<double> out, std::span<const double> y,
                                     MatrixView<const double> z) const {
  // What all parameters get wrong in the same way must not cost the differences their digits: the
  // last point is the centre.
  Matrix<double> points(z.rows() + 1, z.cols());
  for (Index i = 0; i < z.rows(); ++i) std::ranges::copy(z.row(i), points.row(i).begin());
  const std::vector<double> log = unscaled(y, points, parabola(y));
  for (Index i = 0; i < z.rows(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    out[at] = certainty_ * (log[at] - log.back());
  }
}

std::optional<double> DataRegression::log_density_at_centre(std::span<const double> y) const {
  const auto columns = static_cast<double>(y.size());
  if (certainty_ != 1 || telling_columns_ != columns) return std::nullopt;
  const Matrix<double> centre(1, parameters());
  return unscaled(y, centre, parabola(y))[0] + log_root_precision_ -
         columns / 2 * std::log(2 * std::numbers::pi);
}

struct DataRegression::Point {
  std::vector<double> scores;
  double log_density = 0;  // of the posterior
  Matrix<double> slopes;   // (monomials, parameters): d phi / d score
  std::vector<double> gradient;
  Matrix<double> curvature;  // minus the second derivative, without what the monomials curve
};

DataRegression::Point DataRegression::point_at(const Parabola& parabola, std::vector<double> scores,
                                               const Coordinate& coordinate) const {
  constexpr double kStep = 1e-3;
  const Index parameters = basis_.variables();
  std::vector<double> z(scores.size()), phi(static_cast<std::size_t>(basis_.size()));
  for (std::size_t d = 0; d < z.size(); ++d) z[d] = coordinate(static_cast<Index>(d), scores[d]);
  basis_.values(phi, z);
  Matrix<double> slopes(basis_.size(), parameters);
  basis_.slopes(slopes, phi, z);
  for (Index d = 0; d < parameters; ++d) {
    const double at = scores[static_cast<std::size_t>(d)];
    const double slope = (coordinate(d, at + kStep) - coordinate(d, at - kStep)) / (2 * kStep);
    for (Index k = 0; k < slopes.rows(); ++k) slopes(k, d) *= slope;
  }
  std::vector<double> force = parabola.slope;
  for (std::size_t k = 0; k < force.size(); ++k) {
    force[k] -= dot(curvature_.row(static_cast<Index>(k)), phi);
    force[k] *= certainty_;
  }
  Point point{std::move(scores), certainty_ * quadratic(parabola, phi), {}, {}, {}};
  point.log_density -= dot(point.scores, point.scores) / 2;
  point.curvature = transposed_product(slopes, hone::product(curvature_.view(), slopes.view()));
  for (double& value : std::span(point.curvature.data(), slopes.cols() * slopes.cols()))
    value *= certainty_;
  for (Index d = 0; d < parameters; ++d) {
    double sum = -point.scores[static_cast<std::size_t>(d)];
    for (Index k = 0; k < slopes.rows(); ++k) {
      sum += slopes(k, d) * force[static_cast<std::size_t>(k)];
    }
    point.gradient.push_back(sum);
    point.curvature(d, d) += 1;
  }
  return point;
}

NormalScores DataRegression::peak(std::span<const double> y, const Coordinate& coordinate) const {
  constexpr Index kStarts = 32;
  constexpr int kSteps = 20;
  constexpr double kFarthest = 4.5;
  const Parabola parabola = this->parabola(y);
  Point best = point_at(parabola, std::vector<double>(static_cast<std::size_t>(parameters()), 0.0),
                        coordinate);
  const Matrix<double> starts = even_points(kStarts, parameters());
  for (Index i = 0; i < kStarts; ++i) {
    std::vector<double> scores(starts.row(i).begin(), starts.row(i).end());
    for (double& score : scores) score = standard_normal_quantile(score);
    Point point = point_at(parabola, std::move(scores), coordinate);
    if (point.log_density > best.log_density) best = std::move(point);
  }
  double damping = 1e-3;
  for (int step = 0; step < kSteps; ++step) {
    const std::vector<double> change = damped_step(best.curvature, best.gradient, damping);
    std::vector<double> scores = best.scores;
    for (std::size_t d = 0; d < scores.size(); ++d) {
      scores[d] = std::clamp(scores[d] + change[d], -kFarthest, kFarthest);
    }
    Point next = point_at(parabola, std::move(scores), coordinate);
    if (next.log_density > best.log_density) {
      const double gain = next.log_density - best.log_density;
      best = std::move(next);
      damping /= 10;
      if (gain < 1e-4) break;
    } else {
      damping *= 10;
    }
  }
  invert(best.curvature);
  return {std::move(best.scores), cholesky(best.curvature)};
}

}  // namespace hone
