#include "hone/estimate/kernel_draws.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "hone/core/cholesky.h"
#include "hone/core/parallel.h"
#include "hone/prior/standard_normal.h"

namespace hone {
namespace {

constexpr Index kDrawsPerCentre = 16;
constexpr double kUniformShare = 0.1;
constexpr std::array<double, 2> kKernelWidths{1, 0.25};  // of those that suit a normal posterior

// Normal kernels on some points, in coordinates in which the weighted points have unit covariance:
// y = L^-1 z of normal scores z, with the covariance L L^T. A posterior that is narrow across a
// correlation needs kernels that follow it.
struct NormalKernels {
  Matrix<double> centres;  // (centres, parameters), y
  Matrix<double> root;     // L, lower triangle
  double width = 1;        // of a kernel in every direction
};

// In place: z = L y
void multiply(std::span<double> y, const Matrix<double>& root) {
  for (Index d = std::ssize(y) - 1; d >= 0; --d) {
    double sum = 0;
    for (Index k = 0; k <= d; ++k) sum += root(d, k) * y[static_cast<std::size_t>(k)];
    y[static_cast<std::size_t>(d)] = sum;
  }
}
Matrix<double> normal_scores(MatrixView<const float> local) {
  Matrix<double> z(local.rows(), local.cols());
  for (Index i = 0; i < local.rows(); ++i) {
    for (Index d = 0; d < local.cols(); ++d) {
      z(i, d) = standard_normal_quantile(static_cast<double>(local(i, d)));
    }
  }
  return z;
}

// Lower triangle; a direction without any spread gets a little. Weights add up to 1.
Matrix<double> covariance_of(const Matrix<double>& z, std::span<const double> weights) {
  const Index dimensions = z.cols();
  Matrix<double> result(dimensions, dimensions);
  std::vector<double> mean(static_cast<std::size_t>(dimensions), 0.0), centred(mean);
  for (Index i = 0; i < z.rows(); ++i) {
    for (std::size_t d = 0; d < mean.size(); ++d) {
      mean[d] += weights[static_cast<std::size_t>(i)] * z.row(i)[d];
    }
  }
  for (Index i = 0; i < z.rows(); ++i) {
    for (std::size_t d = 0; d < mean.size(); ++d) centred[d] = z.row(i)[d] - mean[d];
    for (Index d = 0; d < dimensions; ++d) {
      const double factor =
          weights[static_cast<std::size_t>(i)] * centred[static_cast<std::size_t>(d)];
      for (Index k = 0; k <= d; ++k) result(d, k) += factor * centred[static_cast<std::size_t>(k)];
    }
  }
  for (Index d = 0; d < dimensions; ++d) result(d, d) += 1e-10 + 1e-6 * result(d, d);
  return result;
}

NormalKernels make_kernels(const Matrix<double>& z, std::span<const double> weights, Rng& rng) {
  const Index centres = std::max<Index>(1, z.rows() / kDrawsPerCentre);
  NormalKernels result{Matrix<double>(centres, z.cols()), cholesky(covariance_of(z, weights))};
  // One draw for every equal share of the weight.
  Index at = 0;
  double sum = weights[0];
  const double first = rng.uniform();
  for (Index c = 0; c < centres; ++c) {
    const double level = (static_cast<double>(c) + first) / static_cast<double>(centres);
    while (sum < level && at + 1 < z.rows()) sum += weights[static_cast<std::size_t>(++at)];
    solve_lower(result.centres.row(c), result.root, z.row(at));
  }
  // Silverman's rule.
  const auto n = static_cast<double>(centres), parameters = static_cast<double>(z.cols());
  result.width = std::pow(4 / ((parameters + 2) * n), 1 / (parameters + 4));
  return result;
}

// log of the mean kernel at normal scores z, over the density of the standard normal there.
double log_kernel_density(const NormalKernels& kernels, std::span<const double> z) {
  std::vector<double> y(z.size());
  solve_lower(y, kernels.root, z);
  double log_over_normal = -log_determinant(kernels.root), sum = 0;
  for (const double value : z) log_over_normal += value * value / 2;
  for (const double factor : kKernelWidths) {
    const double width = factor * kernels.width;
    const double norm = std::pow(width, -static_cast<double>(z.size()));
    for (Index c = 0; c < kernels.centres.rows(); ++c) {
      double square = 0;
      for (std::size_t d = 0; d < y.size(); ++d) {
        const double distance = (y[d] - kernels.centres.row(c)[d]) / width;
        square += distance * distance;
      }
      if (square < 80) sum += norm * std::exp(-square / 2);
    }
  }
  const auto count = static_cast<double>(kernels.centres.rows() * std::ssize(kKernelWidths));
  return std::log(std::max(sum, 1e-300) / count) + log_over_normal;
}

}  // namespace

ProposalDraws draw_around(MatrixView<const float> local, std::span<const double> weights, Rng rng) {
  const Index each = local.rows(), dimensions = local.cols();
  const NormalKernels kernels = make_kernels(normal_scores(local), weights, rng);
  const Index centres = kernels.centres.rows();
  const auto uniform_from = std::llround((1 - kUniformShare) * static_cast<double>(each));
  Matrix<double> z(each, dimensions);
  for (Index i = 0; i < each; ++i) {
    const auto turn = static_cast<std::size_t>(i / centres) % kKernelWidths.size();
    const double width = kKernelWidths[turn] * kernels.width;
    for (Index d = 0; d < dimensions; ++d) {
      z(i, d) = i < uniform_from ? kernels.centres(i % centres, d) + width * rng.normal()
                                 : standard_normal_quantile(rng.uniform());
    }
    if (i < uniform_from) multiply(z.row(i), kernels.root);
  }
  ProposalDraws result{Matrix<float>(each, dimensions),
                       std::vector<float>(static_cast<std::size_t>(each))};
  parallel_for(each, [&](Index i) {
    const double density = std::exp(std::min(log_kernel_density(kernels, z.row(i)), 600.0));
    result.log_density[static_cast<std::size_t>(i)] =
        static_cast<float>(std::log(kUniformShare + (1 - kUniformShare) * density));
    for (Index d = 0; d < dimensions; ++d) {
      result.local(i, d) = std::clamp(
          static_cast<float>(0.5 * std::erfc(-z(i, d) / std::numbers::sqrt2)), 1e-6F, 1 - 1e-6F);
    }
  });
  return result;
}

}  // namespace hone
