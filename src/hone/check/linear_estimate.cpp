#include "hone/check/linear_estimate.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "hone/core/parallel.h"

namespace hone {
namespace {

constexpr int kMostSteps = 40, kPatience = 4;
// A value so far out is as far as it matters: one wild number must not rule a regression.
constexpr double kFarthest = 5;

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// out = X v over some rows.
void multiply(std::vector<double>& out, const Matrix<double>& x, Index begin, Index end,
              std::span<const double> v) {
  out.assign(static_cast<std::size_t>(end - begin), 0.0);
  for (Index i = begin; i < end; ++i) out[static_cast<std::size_t>(i - begin)] = dot(x.row(i), v);
}

// out = X^T v over the first rows.
void multiply_transposed(std::vector<double>& out, const Matrix<double>& x,
                         std::span<const double> v) {
  out.assign(static_cast<std::size_t>(x.cols()), 0.0);
  for (std::size_t i = 0; i < v.size(); ++i) {
    const auto row = x.row(static_cast<Index>(i));
    for (std::size_t c = 0; c < out.size(); ++c) out[c] += v[i] * row[c];
  }
}

// CGLS: b after k steps minimises |X b - y| in the Krylov space of PLS with k components. The first
// `training` rows are fitted; the others choose k.
std::vector<double> fit(const Matrix<double>& x, std::span<const double> y, Index training) {
  const auto rest = y.subspan(static_cast<std::size_t>(training));
  std::vector<double> b(static_cast<std::size_t>(x.cols()), 0.0), best = b;
  std::vector<double> residual(y.begin(), y.begin() + training), s, q, predicted;
  multiply_transposed(s, x, residual);
  std::vector<double> p = s;
  double gamma = dot(s, s), lowest = dot(rest, rest);
  int worse = 0;
  for (int step = 0; step < kMostSteps && worse < kPatience && gamma > 0; ++step) {
    multiply(q, x, 0, training, p);
    const double length = dot(q, q);
    if (!(length > 0)) break;
    const double alpha = gamma / length;
    for (std::size_t c = 0; c < b.size(); ++c) b[c] += alpha * p[c];
    for (std::size_t i = 0; i < residual.size(); ++i) residual[i] -= alpha * q[i];
    multiply(predicted, x, training, x.rows(), b);
    double error = 0;
    for (std::size_t i = 0; i < rest.size(); ++i) error += std::pow(rest[i] - predicted[i], 2);
    worse = error < lowest ? 0 : worse + 1;
    if (error < lowest) {
      lowest = error;
      best = b;
    }
    multiply_transposed(s, x, residual);
    const double next = dot(s, s);
    for (std::size_t c = 0; c < p.size(); ++c) p[c] = s[c] + next / gamma * p[c];
    gamma = next;
  }
  return best;
}

}  // namespace

LinearEstimates::LinearEstimates(MatrixView<const float> x, MatrixView<const double> theta)
    : centre_(static_cast<std::size_t>(x.cols()), 0.0),
      inverse_(static_cast<std::size_t>(x.cols()), 0.0),
      mean_(static_cast<std::size_t>(theta.cols()), 0.0),
      weights_(theta.cols(), x.cols()) {
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
    std::ranges::copy(fit(z, y, x.rows() - x.rows() / 3), weights_.row(d).begin());
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
