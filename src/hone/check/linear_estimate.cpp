#include "hone/check/linear_estimate.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "hone/core/parallel.h"

namespace hone {
namespace {

constexpr int kMostSteps = 40, kPatience = 4;
constexpr std::size_t kFolds = 3;
// A value so far out is as far as it matters: one wild number must not rule a regression.
constexpr double kFarthest = 5;

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// out = X v
void multiply(std::vector<double>& out, const Matrix<double>& x, std::span<const double> v) {
  for (Index i = 0; i < x.rows(); ++i) out[static_cast<std::size_t>(i)] = dot(x.row(i), v);
}

// out = X^T v
void multiply_transposed(std::vector<double>& out, const Matrix<double>& x,
                         std::span<const double> v) {
  out.assign(static_cast<std::size_t>(x.cols()), 0.0);
  for (std::size_t i = 0; i < v.size(); ++i) {
    if (v[i] == 0) continue;
    const auto row = x.row(static_cast<Index>(i));
    for (std::size_t c = 0; c < out.size(); ++c) out[c] += v[i] * row[c];
  }
}

bool held_out(std::size_t row, std::size_t fold) {
  return row % kFolds == fold;
}

struct Fit {
  std::vector<double> weights;  // of the columns
  std::vector<double> fitted;   // estimates of all rows
};

// CGLS: b after k steps minimises |X b - y| in the Krylov space of PLS with k components. The rows
// of one fold are not fitted; they choose k.
Fit fit(const Matrix<double>& x, std::span<const double> y, std::size_t fold) {
  const std::size_t n = y.size(), columns = static_cast<std::size_t>(x.cols());
  Fit now{std::vector<double>(columns), std::vector<double>(n)}, best = now;
  std::vector<double> residual(y.begin(), y.end()), q(n), s;
  double lowest = 0;
  for (std::size_t i = fold; i < n; i += kFolds) {
    lowest += y[i] * y[i];
    residual[i] = 0;
  }
  multiply_transposed(s, x, residual);
  std::vector<double> p = s;
  double gamma = dot(s, s);
  int worse = 0;
  for (int step = 0; step < kMostSteps && worse < kPatience && gamma > 0; ++step) {
    multiply(q, x, p);
    double length = 0;
    for (std::size_t i = 0; i < n; ++i) length += held_out(i, fold) ? 0 : q[i] * q[i];
    if (!(length > 0)) break;
    const double alpha = gamma / length;
    for (std::size_t c = 0; c < columns; ++c) now.weights[c] += alpha * p[c];
    double error = 0;
    for (std::size_t i = 0; i < n; ++i) {
      now.fitted[i] += alpha * q[i];
      if (held_out(i, fold)) {
        error += std::pow(y[i] - now.fitted[i], 2);
      } else {
        residual[i] -= alpha * q[i];
      }
    }
    worse = error < lowest ? 0 : worse + 1;
    if (error < lowest) {
      lowest = error;
      best = now;
    }
    multiply_transposed(s, x, residual);
    const double next = dot(s, s);
    for (std::size_t c = 0; c < columns; ++c) p[c] = s[c] + next / gamma * p[c];
    gamma = next;
  }
  return best;
}

}  // namespace

LinearEstimates::LinearEstimates(MatrixView<const float> x, MatrixView<const double> theta)
    : centre_(static_cast<std::size_t>(x.cols()), 0.0),
      inverse_(static_cast<std::size_t>(x.cols()), 0.0),
      mean_(static_cast<std::size_t>(theta.cols()), 0.0),
      weights_(theta.cols(), x.cols()),
      learned_(x.rows(), theta.cols()) {
  const double n = static_cast<double>(x.rows());
  parallel_for(x.cols(), [&](Index c) {
    const auto at = static_cast<std::size_t>(c);
    double there = 0, square = 0;
    for (Index i = 0; i < x.rows(); ++i) {
      if (!std::isfinite(x(i, c))) continue;
      there += 1;
      centre_[at] += static_cast<double>(x(i, c));
    }
    if (there > 0) centre_[at] /= there;
    for (Index i = 0; i < x.rows(); ++i) {
      if (!std::isfinite(x(i, c))) continue;
      square += std::pow(static_cast<double>(x(i, c)) - centre_[at], 2) / there;
    }
    inverse_[at] = square > 0 ? 1 / std::sqrt(square) : 0;
  });
  const Matrix<double> z = scores(x);
  parallel_for(theta.cols(), [&](Index d) {
    std::vector<double> y;
    for (Index i = 0; i < theta.rows(); ++i) y.push_back(theta(i, d));
    const double mean = std::accumulate(y.begin(), y.end(), 0.0) / n;
    for (double& value : y) value -= mean;
    mean_[static_cast<std::size_t>(d)] = mean;
    for (std::size_t fold = 0; fold < kFolds; ++fold) {
      const Fit one = fit(z, y, fold);
      for (std::size_t c = 0; c < one.weights.size(); ++c) {
        weights_.row(d)[c] += one.weights[c] / static_cast<double>(kFolds);
      }
      for (std::size_t i = fold; i < y.size(); i += kFolds) {
        learned_(static_cast<Index>(i), d) = mean + one.fitted[i];
      }
    }
  });
}

Matrix<double> LinearEstimates::scores(MatrixView<const float> x) const {
  Matrix<double> z(x.rows(), x.cols());
  parallel_for(x.rows(), [&](Index i) {
    for (std::size_t c = 0; c < centre_.size(); ++c) {
      const double value = static_cast<double>(x.row(i)[c]);
      if (!std::isfinite(value)) continue;  // missing: as the mean
      z.row(i)[c] = std::clamp((value - centre_[c]) * inverse_[c], -kFarthest, kFarthest);
    }
  });
  return z;
}

Matrix<double> LinearEstimates::operator()(MatrixView<const float> x) const {
  const Matrix<double> z = scores(x);
  Matrix<double> result(x.rows(), weights_.rows());
  parallel_for(x.rows(), [&](Index i) {
    for (Index d = 0; d < weights_.rows(); ++d) {
      result(i, d) = mean_[static_cast<std::size_t>(d)] + dot(z.row(i), weights_.row(d));
    }
  });
  return result;
}

}  // namespace hone
