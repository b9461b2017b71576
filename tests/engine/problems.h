#pragma once

#include <cmath>
#include <vector>

#include "hone/core/matrix.h"
#include "hone/core/rng.h"
#include "hone/engine/trainer.h"

namespace hone::test {

// theta ~ N(0, 1)^3; columns 2 j and 2 j + 1 of x are theta_j + 0.7 noise. Their mean m_j is
// sufficient and independent of the other parameters: log r(x, theta_j) is that of m_j alone.
struct GaussianProblem {
  static constexpr Index kParameters = 3, kDataSize = 6;
  static constexpr double kNoise = 0.7, kVariance = kNoise * kNoise / 2;  // of m given theta

  Matrix<float> x, theta;
  std::vector<Index> training, validation;
  MatrixRows source{x};

  GaussianProblem(Index rows, Index validation_rows, Rng rng)
      : x(rows, kDataSize), theta(rows, kParameters) {
    for (Index i = 0; i < rows; ++i) {
      (i < rows - validation_rows ? training : validation).push_back(i);
      for (Index j = 0; j < kParameters; ++j) theta(i, j) = float(rng.normal());
      for (Index j = 0; j < kDataSize; ++j) {
        x(i, j) = float(double(theta(i, j / 2)) + kNoise * rng.normal());
      }
    }
    source = MatrixRows(x);
  }

  TrainingData data() const { return {source, theta, training, validation}; }

  // log p(m | theta_j) - log p(m) with m the mean of the two values of row i.
  double log_ratio(Index i, Index j, double theta_j) const {
    const double m = 0.5 * double(x(i, 2 * j) + x(i, 2 * j + 1));
    const auto log_normal = [](double z, double v) { return -0.5 * (z * z / v + std::log(v)); };
    return log_normal(m - theta_j, kVariance) - log_normal(m, 1 + kVariance);
  }
  // A draw from p(theta_j | row i of x).
  double posterior_draw(Index i, Index j, Rng& rng) const {
    const double m = 0.5 * double(x(i, 2 * j) + x(i, 2 * j + 1));
    const double shrink = 1 / (1 + kVariance);
    return m * shrink + std::sqrt(kVariance * shrink) * rng.normal();
  }
};

inline std::vector<MemberSpec> one_dimensional(int count) {
  std::vector<MemberSpec> members;
  for (int j = 0; j < count; ++j) members.push_back({{j % 3}, std::uint64_t(j / 3)});
  return members;
}

}  // namespace hone::test
