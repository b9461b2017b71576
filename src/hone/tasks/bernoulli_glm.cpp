// The benchmark task of sbibm: a neuron fires or not in each of 100 time bins, with log-odds
// psi = V beta, where V holds an offset and the last 9 values of a fixed stimulus. The data are the
// sufficient statistics V^T y: the number of spikes and the spike-triggered sums of the stimulus.
//
// sbibm's prior on beta = (offset, filter f) is a correlated Gaussian: offset ~ N(0, 2), and F f
// standard normal for a matrix F of differences that makes f smooth. The parameters here are the
// independent ones, z = (offset / sqrt(2), F f); Task::from_published takes beta to z.

#include <array>
#include <cmath>

#include "hone/core/cholesky.h"
#include "hone/tasks/builtin.h"
#include "hone/tasks/gaussian_noise.h"
#include "hone/tasks/numpy_legacy.h"
#include "hone/tasks/reference.h"

namespace hone {
namespace {

constexpr const char* kName = "bernoulli_glm";
constexpr int kParameters = 10;
constexpr int kFilter = kParameters - 1;
constexpr int kBins = 100;

using Vector = std::array<double, kParameters>;

// F = D D + diag(sqrt(k / 9)) with the differences (D f)_k = f_k - f_{k-1}; lower triangle.
Matrix<double> make_smoothness() {
  Matrix<double> f(kFilter, kFilter);
  for (Index k = 0; k < kFilter; ++k) {
    f(k, k) = 1 + std::sqrt(static_cast<double>(k) / kFilter);
    if (k > 0) f(k, k - 1) = -2;
    if (k > 1) f(k, k - 2) = 1;
  }
  return f;
}

const Matrix<double>& smoothness() {
  static const Matrix<double> matrix = make_smoothness();
  return matrix;
}

// V: (100, 10); column 0 is the offset, column 1 + l the stimulus l bins ago. sbibm drew the
// stimulus with NumPy and kept it as float.
Matrix<double> make_design() {
  NumpyLegacyRandom random(42);
  Matrix<double> design(kBins, kParameters);
  for (Index t = 0; t < kBins; ++t) {
    const double stimulus = static_cast<float>(random.normal());
    design(t, 0) = 1;
    for (Index lag = 0; lag < kFilter && t + lag < kBins; ++lag) {
      design(t + lag, 1 + lag) = stimulus;
    }
  }
  return design;
}

const Matrix<double>& design() {
  static const Matrix<double> matrix = make_design();
  return matrix;
}

Vector beta_of(std::span<const double> z) {
  Vector beta{};
  beta[0] = std::sqrt(2.0) * z[0];
  solve_lower(std::span(beta).subspan(1), smoothness(), z.subspan(1));
  return beta;
}

void from_published(std::span<double> beta) {
  beta[0] /= std::sqrt(2.0);
  const std::span<double> filter = beta.subspan(1);
  for (Index k = kFilter; k-- > 0;) {  // from the end: element k needs those before it
    double sum = 0;
    for (Index j = 0; j <= k; ++j) sum += smoothness()(k, j) * filter[static_cast<std::size_t>(j)];
    filter[static_cast<std::size_t>(k)] = sum;
  }
}

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

double log_one_plus_exp(double psi) {
  return psi > 0 ? psi + std::log1p(std::exp(-psi)) : std::log1p(std::exp(psi));
}

// log P(y) = sum_t y_t psi_t - log(1 + e^psi_t), and sum_t y_t psi_t = beta . x. Different spike
// trains have different x, because the stimulus is as good as random, so P(x) is P(y).
double log_likelihood(std::span<const double> x, std::span<const double> z) {
  require_observation(x, kParameters, kName);
  const Vector beta = beta_of(z);
  double sum = dot(beta, x);
  for (Index t = 0; t < kBins; ++t) sum -= log_one_plus_exp(dot(design().row(t), beta));
  return sum;
}

void simulate(std::span<double> x, std::span<const double> z, Rng& noise) {
  const Vector beta = beta_of(z);
  std::fill(x.begin(), x.end(), 0.0);
  for (Index t = 0; t < kBins; ++t) {
    const auto row = design().row(t);
    if (noise.uniform() >= 1 / (1 + std::exp(-dot(row, beta)))) continue;
    for (std::size_t k = 0; k < x.size(); ++k) x[k] += row[k];
  }
}

Prior make_prior() {
  std::vector<Parameter> parameters;
  for (int k = 0; k < kParameters; ++k) {
    parameters.push_back({fmt::format("z_{}", k), fmt::format("$z_{{{}}}$", k),
                          make_distribution({"normal", {{"mean", 0}, {"sigma", 1}}, {}})});
  }
  return Prior(std::move(parameters));
}

}  // namespace

Task bernoulli_glm_task() {
  // Observation 1 of the benchmark.
  std::vector<double> truth = {1.215716,   2.1386335,  3.6156292,  3.3703978,  0.3342961,
                               -1.5749966, -2.4357948, -2.1009881, -1.1669482, 0.3189116};
  from_published(truth);
  return {
      .name = kName,
      .description = "Offset and filter of a neuron that fires or not in 100 time bins.",
      .prior = make_prior(),
      .truth = truth,
      .observation = {56, 3.32306, 14.356438, 11.104893, -4.167525, -18.507809, -21.917496,
                      -9.553517, -0.357257, -5.497825},
      .budget = 10000,
      .simulator =
          [] {
            return make_simulator(kParameters, [](std::span<double> x, std::span<const double> z,
                                                  Rng noise) { simulate(x, z, noise); });
          },
      .reference = {log_likelihood,
                    samples_by_rejection(make_prior(), kParameters, kName, log_likelihood,
                                         {.draws = 10000, .components = 4}),
                    {}},
      .from_published = from_published,
  };
}

}  // namespace hone
