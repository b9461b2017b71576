#include "hone/estimate/data_regression.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "hone/core/cholesky.h"
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
  parallel_for(z.rows(), [&](Index i) { basis.values(phi.row(i), z.row(i)); });
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

double DataRegression::varying_log_likelihood(std::span<const double> y,
                                              std::span<const double> phi,
                                              std::span<const double> z, double wider) const {
  std::vector<double> mean(y.size(), 0.0), log_variance(y.size());
  const auto add = [](std::span<double> sum, double factor, std::span<const double> row) {
    for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += factor * row[j];
  };
  for (std::size_t k = 0; k < phi.size(); ++k) add(mean, phi[k], mean_.row(static_cast<Index>(k)));
  std::ranges::copy(log_variance_.row(0), log_variance.begin());
  for (std::size_t d = 0; d < z.size(); ++d) {
    add(log_variance, z[d], log_variance_.row(static_cast<Index>(d) + 1));
  }
  double sum = 0;
  for (std::size_t j = 0; j < y.size(); ++j) {
    const double from = log_variance_(0, static_cast<Index>(j));
    const double log =
        std::clamp(log_variance[j], from - kMostLogVariance, from + kMostLogVariance);
    sum += log + (y[j] - mean[j]) * (y[j] - mean[j]) * std::exp(-log) / wider;
  }
  return -sum / 2;
}

double DataRegression::log_likelihood(const Parabola& parabola, std::span<const double> y,
                                      std::span<const double> phi,
                                      std::span<const double> z) const {
  const double wider = 1 + product(phi, leverage_, phi);
  const double narrow = log_variance_.rows() > 0 ? varying_log_likelihood(y, phi, z, wider)
                                                 : quadratic(parabola, phi) / wider;
  return certainty_ * (narrow - telling_columns_ / 2 * std::log(wider));
}

void DataRegression::log_likelihoods(std::span<double> out, std::span<const double> y,
                                     MatrixView<const double> z) const {
  const Parabola parabola = this->parabola(y);
  std::vector<double> phi(static_cast<std::size_t>(basis_.size()));
  const auto at = [&](std::span<const double> point) {
    basis_.values(phi, point);
    return log_likelihood(parabola, y, phi, point);
  };
  // What all parameters get wrong in the same way must not cost the differences their digits.
  const double centre = at(std::vector<double>(static_cast<std::size_t>(parameters()), 0.0));
  for (Index i = 0; i < z.rows(); ++i) out[static_cast<std::size_t>(i)] = at(z.row(i)) - centre;
}

std::optional<double> DataRegression::log_density_at_centre(std::span<const double> y) const {
  const auto columns = static_cast<double>(y.size());
  if (certainty_ != 1 || telling_columns_ != columns) return std::nullopt;
  const std::vector<double> centre(static_cast<std::size_t>(parameters()), 0.0);
  std::vector<double> phi(static_cast<std::size_t>(basis_.size()));
  basis_.values(phi, centre);
  return log_likelihood(parabola(y), y, phi, centre) + log_root_precision_ -
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

DataRegression DataRegression::from_arrays(std::span<const NamedArray> arrays, Index parameters) {
  const auto matrix = [&](const char* name, Index rows, Index cols) {
    const auto values = array_values<double>(arrays, name, std::vector<Index>{rows, cols});
    const std::vector<Index>& shape = find_array(arrays, name).shape;
    Matrix<double> result(shape[0], shape[1]);
    std::ranges::copy(values, result.data());
    if (!std::ranges::all_of(values, [](double value) { return std::isfinite(value); })) {
      fail_misfit();
    }
    return result;
  };
  const double degree = array_values<double>(arrays, "degree", std::vector<Index>{1})[0];
  if (!(degree >= 1 && degree <= kMostDegree && degree == std::floor(degree))) fail_misfit();
  const int whole = static_cast<int>(degree);
  if (PolynomialBasis::size_of(parameters, whole) > kMostMonomials) fail_misfit();
  DataRegression result{PolynomialBasis(parameters, whole)};
  const Index size = result.basis_.size();
  result.mean_ = matrix("mean", size, -1);
  result.leverage_ = matrix("leverage", size, size);
  result.precision_ = matrix("precision", -1, result.columns());
  const Index rows = result.precision_.rows();
  if (rows != 1 && rows != result.columns()) fail_misfit();
  for (Index j = 0; j < result.columns(); ++j) {
    if (!(result.precision_(rows == 1 ? 0 : j, j) > 0)) fail_misfit();
  }
  if (std::ranges::find(arrays, "log_variance", &NamedArray::name) != arrays.end()) {
    result.log_variance_ = matrix("log_variance", 1 + parameters, result.columns());
  }
  result.certainty_ = array_values<double>(arrays, "certainty", std::vector<Index>{1})[0];
  if (!(result.certainty_ > 0 && result.certainty_ <= 1)) fail_misfit();
  result.finish();
  return result;
}

std::vector<NamedArray> DataRegression::to_arrays() const {
  const auto array = [](const char* name, const Matrix<double>& matrix) {
    return NamedArray{name,
                      {matrix.rows(), matrix.cols()},
                      std::vector(matrix.data(), matrix.data() + matrix.rows() * matrix.cols())};
  };
  std::vector<NamedArray> arrays{{"degree", {1}, std::vector{static_cast<double>(basis_.degree())}},
                                 {"certainty", {1}, std::vector{certainty_}},
                                 array("mean", mean_),
                                 array("leverage", leverage_),
                                 array("precision", precision_)};
  if (log_variance_.rows() > 0) arrays.push_back(array("log_variance", log_variance_));
  return arrays;
}

}  // namespace hone
