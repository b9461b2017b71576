// The benchmark task of sbibm: a neuron fires or not in each of 100 time bins, with log-odds
// psi = V beta, where V holds an offset and the last 9 values of a fixed stimulus. The data are the
// sufficient statistics V^T y: the number of spikes and the spike-triggered sums of the stimulus.
//
// The prior on beta = (offset, filter f) is a correlated Gaussian: offset ~ N(0, 2), and F f
// standard normal for a matrix F of differences that makes f smooth. So beta is a linear map of
// independent z = (offset / sqrt(2), F f).

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
double log_likelihood(std::span<const double> x, std::span<const double> beta) {
  require_observation(x, kParameters, kName);
  double sum = dot(beta, x);
  for (Index t = 0; t < kBins; ++t) sum -= log_one_plus_exp(dot(design().row(t), beta));
  return sum;
}

void simulate(std::span<double> x, std::span<const double> beta, Rng& noise) {
  std::fill(x.begin(), x.end(), 0.0);
  for (Index t = 0; t < kBins; ++t) {
    const auto row = design().row(t);
    if (noise.uniform() >= 1 / (1 + std::exp(-dot(row, beta)))) continue;
    for (std::size_t k = 0; k < x.size(); ++k) x[k] += row[k];
  }
}

std::vector<Parameter> normal_parameters(const char* name, const Vector& sigma) {
  std::vector<Parameter> parameters;
  for (int k = 0; k < kParameters; ++k) {
    const double width = sigma[static_cast<std::size_t>(k)];
    parameters.push_back({fmt::format("{}_{}", name, k), fmt::format("$\\{}_{{{}}}$", name, k),
                          make_distribution({"normal", {{"mean", 0}, {"sigma", width}}, {}})});
  }
  return parameters;
}

// z
Prior independent_prior() {
  Vector one{};
  one.fill(1);
  return Prior(normal_parameters("zeta", one));
}

// beta = A z: standard deviations and correlations of A A^T.
Prior make_prior() {
  std::array<Vector, kParameters> columns{};
  for (std::size_t k = 0; k < kParameters; ++k) {
    Vector z{};
    z[k] = 1;
    columns[k] = beta_of(z);
  }
  const auto covariance = [&](Index i, Index j) {
    double sum = 0;
    for (const Vector& column : columns) sum += column[std::size_t(i)] * column[std::size_t(j)];
    return sum;
  };
  Vector sigma{};
  std::vector<Copula::Pair> pairs;
  for (int i = 0; i < kParameters; ++i) {
    sigma[std::size_t(i)] = std::sqrt(covariance(i, i));
    for (int j = 0; j < i; ++j) {
      pairs.push_back({j, i, covariance(i, j) / (sigma[std::size_t(i)] * sigma[std::size_t(j)])});
    }
  }
  return {normal_parameters("beta", sigma), Copula(kParameters, std::move(pairs))};
}

// By rejection in z, where the prior is a product.
Matrix<double> reference_samples(std::span<const double> x, Index rows, const Rng& rng) {
  const auto in_z =
      samples_by_rejection(independent_prior(), kParameters, kName,
                           [](std::span<const double> data, std::span<const double> z) {
                             return log_likelihood(data, beta_of(z));
                           },
                           {.draws = 10000, .components = 4});
  Matrix<double> samples = in_z(x, rows, rng);
  for (Index i = 0; i < rows; ++i) {
    const Vector beta = beta_of(samples.row(i));
    std::ranges::copy(beta, samples.row(i).begin());
  }
  return samples;
}

}  // namespace

Task bernoulli_glm_task() {
  // Observation 1 of the benchmark.
  return {
      .name = kName,
      .description = "Offset and filter of a neuron that fires or not in 100 time bins.",
      .prior = make_prior(),
      .truth = {1.215716, 2.1386335, 3.6156292, 3.3703978, 0.3342961, -1.5749966, -2.4357948,
                -2.1009881, -1.1669482, 0.3189116},
      .observation = {56, 3.32306, 14.356438, 11.104893, -4.167525, -18.507809, -21.917496,
                      -9.553517, -0.357257, -5.497825},
      .budget = 10000,
      .simulator =
          [] {
            return make_simulator(kParameters, [](std::span<double> x, std::span<const double> beta,
                                                  Rng noise) { simulate(x, beta, noise); });
          },
      .reference = {log_likelihood, reference_samples, {}},
  };
}

}  // namespace hone
