// The paper's rotated eggbox: g(Q^T theta) with the eggbox's g_k(w) = sin(pi w_k) and noise 0.1,
// where Q turns the diagonal of the cube into the last axis. The prior is uniform on the smallest
// box around the turned cube, 795 times its volume, so that w leaves the cube and meets more
// periods of g.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "hone/core/error.h"
#include "hone/tasks/builtin.h"
#include "hone/tasks/gaussian_noise.h"
#include "hone/tasks/reference.h"

namespace hone {
namespace {

constexpr int kDimensions = 10;
constexpr double kSigma = 0.1;
constexpr const char* kName = "rotated_eggbox";

// Q turns a = (1, .., 1) / sqrt(10) into b = e_9 in the plane of both and leaves the rest alone:
//   Q = 1 - (a + b) (a + b)^T / (1 + a.b) + 2 b a^T
// Its transpose is the same with a and b exchanged.
const double kDiagonal = 1 / std::sqrt(kDimensions);  // an element of a, and a.b

double sum(std::span<const double> v) {
  return std::accumulate(v.begin(), v.end(), 0.0);
}

void turn(std::span<double> theta, std::span<const double> w) {  // theta = Q w
  const double along_a = kDiagonal * sum(w);
  const double shift = (along_a + w.back()) / (1 + kDiagonal);
  for (std::size_t k = 0; k < w.size(); ++k) theta[k] = w[k] - kDiagonal * shift;
  theta.back() += -shift + 2 * along_a;
}

void turn_back(std::span<double> w, std::span<const double> theta) {  // w = Q^T theta
  const double along_b = theta.back();
  const double shift = (kDiagonal * sum(theta) + along_b) / (1 + kDiagonal);
  for (std::size_t k = 0; k < w.size(); ++k) {
    w[k] = theta[k] - kDiagonal * shift + 2 * kDiagonal * along_b;
  }
  w.back() -= shift;
}

// The box: the sums of the negative and of the positive elements in each row of Q.
const double kSide = 1 - kDiagonal * kDiagonal / (1 + kDiagonal);  // Q_kk, 0.924
const double kHeight = kDimensions * kDiagonal;                    // 3.162

Prior make_prior() {
  const auto uniform = [](double low, double high) {
    return make_distribution({"uniform", {{"low", low}, {"high", high}}, {}});
  };
  std::vector<Parameter> parameters;
  for (int d = 0; d < kDimensions; ++d) {
    const bool last = d == kDimensions - 1;
    parameters.push_back({fmt::format("theta_{}", d), fmt::format("$\\theta_{{{}}}$", d),
                          last ? uniform(0, kHeight) : uniform(-kSide, kSide)});
  }
  return Prior(std::move(parameters));
}

}  // namespace

Task rotated_eggbox_task() {
  const GaussianNoise model{kName,
                            [](std::span<double> x, std::span<const double> theta) {
                              turn_back(x, theta);
                              for (double& value : x) value = std::sin(std::numbers::pi * value);
                            },
                            std::vector<double>(kDimensions, kSigma)};
  const std::vector<double> corner(kDimensions, 0.25);
  std::vector<double> truth(kDimensions);
  turn(truth, corner);
  return {
      .name = kName,
      .description = "The eggbox turned until no axis follows it, in a much larger prior.",
      .prior = make_prior(),
      .truth = truth,
      .observation = model.noiseless(truth),
      .budget = 10000,
      .simulator = [model] { return model.simulator(); },
      .reference = model.with_likelihood({}),
  };
}

}  // namespace hone
