#include "hone/inference/kernel_draws.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "hone/core/parallel.h"
#include "hone/prior/standard_normal.h"

namespace hone {
namespace {

constexpr Index kDrawsPerCentre = 16;
constexpr double kUniformShare = 0.1;
constexpr std::array<double, 2> kKernelWidths{1, 0.25};  // of those that suit a normal posterior

// Kernels on some points, in normal scores: (centres, parameters), and their standard deviations.
struct KernelCentres {
  Matrix<double> centres;
  std::vector<double> widths;
};

KernelCentres make_kernels(MatrixView<const float> local, std::span<const double> weights,
                           Rng& rng) {
  const Index dimensions = local.cols();
  const Index centres = std::max<Index>(1, local.rows() / kDrawsPerCentre);
  const auto score = [&](Index i, Index d) {
    return standard_normal_quantile(static_cast<double>(local(i, d)));
  };
  KernelCentres result{Matrix<double>(centres, dimensions), {}};
  // One draw for every equal share of the weight.
  Index at = 0;
  double sum = weights[0];
  const double first = rng.uniform();
  for (Index c = 0; c < centres; ++c) {
    const double level = (static_cast<double>(c) + first) / static_cast<double>(centres);
    while (sum < level && at + 1 < local.rows()) sum += weights[static_cast<std::size_t>(++at)];
    for (Index d = 0; d < dimensions; ++d) result.centres(c, d) = score(at, d);
  }
  // Silverman's rule.
  const auto n = static_cast<double>(centres), parameters = static_cast<double>(dimensions);
  const double width = std::pow(4 / ((parameters + 2) * n), 1 / (parameters + 4));
  for (Index d = 0; d < dimensions; ++d) {
    double mean = 0, square = 0;
    for (Index c = 0; c < centres; ++c) mean += result.centres(c, d) / n;
    for (Index c = 0; c < centres; ++c) {
      square += (result.centres(c, d) - mean) * (result.centres(c, d) - mean) / n;
    }
    result.widths.push_back(std::max(width * std::sqrt(square), 1e-5));
  }
  return result;
}

// log of the mean kernel at normal scores z, over the density of the standard normal there.
double log_kernel_density(const KernelCentres& kernels, std::span<const double> z) {
  double sum = 0, log_standard = 0;
  for (const double one : z) log_standard -= one * one / 2;
  for (const double factor : kKernelWidths) {
    double norm = 1;
    for (const double width : kernels.widths) norm /= factor * width;
    for (Index c = 0; c < kernels.centres.rows(); ++c) {
      double square = 0;
      for (std::size_t d = 0; d < z.size(); ++d) {
        const double distance =
            (z[d] - kernels.centres(c, static_cast<Index>(d))) / (factor * kernels.widths[d]);
        square += distance * distance;
      }
      if (square < 80) sum += norm * std::exp(-square / 2 - log_standard);
    }
  }
  return std::log(std::max(sum, 1e-300) /
                  static_cast<double>(kernels.centres.rows() * std::ssize(kKernelWidths)));
}

}  // namespace

ProposalDraws draw_around(MatrixView<const float> local, std::span<const double> weights, Rng rng) {
  const Index each = local.rows(), dimensions = local.cols();
  const KernelCentres kernels = make_kernels(local, weights, rng);
  const auto uniform_from = std::llround((1 - kUniformShare) * static_cast<double>(each));
  Matrix<double> z(each, dimensions);
  for (Index i = 0; i < each; ++i) {
    const Index centre = i % kernels.centres.rows();
    const double factor = kKernelWidths[static_cast<std::size_t>(i / kernels.centres.rows()) % 2];
    for (Index d = 0; d < dimensions; ++d) {
      z(i, d) = i < uniform_from
                    ? kernels.centres(centre, d) +
                          factor * kernels.widths[static_cast<std::size_t>(d)] * rng.normal()
                    : standard_normal_quantile(rng.uniform());
    }
  }
  ProposalDraws result{Matrix<float>(each, dimensions),
                       std::vector<float>(static_cast<std::size_t>(each))};
  parallel_for(each, [&](Index i) {
    const double density = std::exp(log_kernel_density(kernels, z.row(i)));
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
