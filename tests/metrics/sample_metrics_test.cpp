// Metrics of two samples against analytic answers.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "hone/metrics/effective_size.h"
#include "hone/metrics/histogram_kl.h"
#include "hone/metrics/marginal_pairs.h"
#include "hone/metrics/mmd.h"
#include "hone/metrics/sliced_wasserstein.h"

namespace hone {
namespace {

Matrix<double> normals(Index rows, Index cols, double shift, double scale, std::uint64_t seed) {
  Matrix<double> sample(rows, cols);
  Rng rng(seed);
  for (Index i = 0; i < rows; ++i) {
    for (double& value : sample.row(i)) value = shift + scale * rng.normal();
  }
  return sample;
}

std::span<const double> values(const Matrix<double>& column) {
  return {column.data(), static_cast<std::size_t>(column.rows())};
}

struct Moments {
  double mean = 0, deviation = 0;
};

template <typename F>
Moments repeated(int times, F&& value) {
  std::vector<double> all;
  for (int i = 0; i < times; ++i) all.push_back(value(static_cast<std::uint64_t>(i)));
  Moments m;
  for (const double one : all) m.mean += one / times;
  for (const double one : all) m.deviation += std::pow(one - m.mean, 2) / (times - 1);
  m.deviation = std::sqrt(m.deviation);
  return m;
}

// u^(1/k) has the density k x^(k - 1); KL(k || m) = log(k / m) - (k - m) / k
Matrix<double> powers(Index rows, double k, std::uint64_t seed) {
  Matrix<double> sample(rows, 1);
  Rng rng(seed);
  for (Index i = 0; i < rows; ++i) sample(i, 0) = std::pow(rng.uniform(), 1 / k);
  return sample;
}

TEST(HistogramKl, IsThatOfTheDensities) {
  constexpr Index rows = 40000;
  constexpr int times = 20;
  const HistogramKlOptions options{.bins = 100, .range = std::pair(0.0, 1.0)};
  const auto estimate = [&](double k, double m) {
    return repeated(times, [&](std::uint64_t i) {
      return histogram_kl(values(powers(rows, k, 2 * i)), values(powers(rows, m, 2 * i + 1)),
                          options);
    });
  };
  const double bias = histogram_kl_bias(rows, rows, 100);
  const auto exact = [](double k, double m) { return std::log(k / m) - (k - m) / k; };
  for (const auto& [k, m] : {std::pair(1.0, 1.0), std::pair(2.0, 1.0), std::pair(2.0, 1.2)}) {
    const Moments kl = estimate(k, m);
    const double tolerance = 4 * kl.deviation / std::sqrt(times) + 0.2 * bias;
    EXPECT_NEAR(kl.mean - bias, exact(k, m), tolerance) << k << " " << m;
    // Controls: not the other way round, and for equal samples not without the bias.
    if (k > 1.5 && m < 1.1) {
      EXPECT_GT(std::abs(kl.mean - bias - exact(m, k)), tolerance);
    }
    if (k == m) {
      EXPECT_GT(std::abs(kl.mean), tolerance);
    }
  }
}

TEST(HistogramKl, IsFiniteForDisjointSamplesAndRefusesWhatHasNoHistogram) {
  const auto a = normals(1000, 1, 0, 1, 1), b = normals(1000, 1, 100, 1, 2);
  const double kl = histogram_kl(values(a), values(b));
  EXPECT_TRUE(std::isfinite(kl));
  EXPECT_GT(kl, 3);
  const std::vector<double> same{2, 2, 2}, none, broken{1, std::nan("")};
  EXPECT_THROW(histogram_kl(same, same), Error);
  EXPECT_THROW(histogram_kl(none, same), Error);
  EXPECT_THROW(histogram_kl(same, broken), Error);
  EXPECT_THROW(histogram_kl(values(a), values(b), {.bins = 0}), Error);
  EXPECT_THROW(histogram_kl(values(a), values(b), {.range = std::pair(1.0, 1.0)}), Error);
}

TEST(SlicedWasserstein, IsTheDistanceOfShiftedAndScaledNormals) {
  // Per direction W_2^2 = (u . shift)^2 + (scale - 1)^2; the mean of (u . shift)^2 is |shift|^2 /
  // d.
  constexpr Index rows = 5000, cols = 3;
  const auto a = normals(rows, cols, 0, 1, 1);
  const double shift = 0.7, scale = 1.4;
  const auto b = normals(rows, cols, shift, scale, 2);
  const double exact = std::sqrt(shift * shift + (scale - 1) * (scale - 1));
  const Moments found = repeated(5, [&](std::uint64_t seed) {
    return sliced_wasserstein(a, b, {.directions = 100}, Rng(seed));
  });
  // Of the directions, and 0.02 of the samples' means and deviations.
  const double tolerance = 4 * found.deviation / std::sqrt(5) + 0.02;
  EXPECT_NEAR(found.mean, exact, tolerance);
  EXPECT_GT(std::abs(found.mean - shift), tolerance);
  const auto same = normals(rows, cols, 0, 1, 3);
  EXPECT_LT(sliced_wasserstein(a, same, {}, Rng(1)), 0.06);
}

TEST(SlicedWasserstein, HandlesSamplesOfDifferentSizeExactly) {
  Matrix<double> a(2, 1), b(3, 1);
  a(0, 0) = 0, a(1, 0) = 1;
  b(0, 0) = 0, b(1, 0) = 0.5, b(2, 0) = 1;
  // Levels 0, 1/3, 1/2, 2/3, 1: differences 0, 0.5, 0.5, 0.
  EXPECT_NEAR(sliced_wasserstein(a, b, {}, Rng(1)), std::sqrt(0.25 / 3), 1e-12);
  EXPECT_THROW(sliced_wasserstein(a, Matrix<double>(3, 2), {}, Rng(1)), Error);
  EXPECT_THROW(sliced_wasserstein(a, Matrix<double>(0, 1), {}, Rng(1)), Error);
  EXPECT_THROW(sliced_wasserstein(a, b, {.directions = 0}, Rng(1)), Error);
}

TEST(Mmd, IsThatOfShiftedNormals) {
  // With k of width h: E k(N(m, 1), N(0, 1)) = c exp(-|m|^2 / 2 (h^2 + 2)), c = (h^2 / (h^2 +
  // 2))^(d / 2).
  constexpr Index rows = 400, cols = 2;
  constexpr int times = 30;
  const double h = 1.2, shift = 0.3;
  const double c = std::pow(h * h / (h * h + 2), 0.5 * cols);
  const double exact = 2 * c * (1 - std::exp(-cols * shift * shift / 2 / (h * h + 2)));
  const auto estimate = [&](double by) {
    return repeated(times, [&](std::uint64_t i) {
      return mmd(normals(rows, cols, 0, 1, 2 * i), normals(rows, cols, by, 1, 2 * i + 1),
                 {.bandwidth = h})
          .squared;
    });
  };
  const Moments shifted = estimate(shift), equal = estimate(0);
  const double tolerance = 4 * shifted.deviation / std::sqrt(times);
  EXPECT_NEAR(shifted.mean, exact, tolerance);
  EXPECT_GT(std::abs(equal.mean - exact), tolerance);  // control
  EXPECT_NEAR(equal.mean, 0, 4 * equal.deviation / std::sqrt(times));
  const double noise =
      mmd(normals(rows, cols, 0, 1, 1), normals(rows, cols, 0, 1, 2), {.bandwidth = h}).noise;
  // A deviation from 30 values is known to 13 %.
  EXPECT_NEAR(equal.deviation / noise, 1, 0.5);
}

TEST(Mmd, TakesTheMedianDistanceOfTheFirstSample) {
  // |x - x'| of one-dimensional normals has the median 0.6745 sqrt(2).
  const auto a = normals(2000, 1, 0, 1, 1), b = normals(2000, 1, 0, 5, 2);
  const Mmd result = mmd(a, b, {.max_rows = 100});
  EXPECT_NEAR(result.bandwidth, 0.6745 * std::sqrt(2), 0.05);
  EXPECT_EQ(result.rows, 100);
  EXPECT_THROW(mmd(Matrix<double>(50, 1), b), Error);
  EXPECT_THROW(mmd(a, b, {.bandwidth = -1}), Error);
}

TEST(Metrics, HaveTheSameBitsForAnyNumberOfThreads) {
  const auto a = normals(300, 3, 0, 1, 1), b = normals(300, 3, 0.2, 1, 2);
  std::vector<double> found[2];
  for (const int threads : {1, 3}) {
    with_threads(threads, [&] {
      found[threads == 3] = {mmd(a, b).squared, mmd(a, b).noise,
                             sliced_wasserstein(a, b, {}, Rng(3))};
    });
  }
  EXPECT_EQ(found[0], found[1]);
}

TEST(EffectiveSize, IsThatOfAnAutoregressiveChain) {
  // x_{t+1} = r x_t + noise has the time (1 + r) / (1 - r).
  constexpr Index steps = 4000, walkers = 8;
  Rng rng(5);
  for (const double r : {0.0, 0.5, 0.9}) {
    Matrix<double> chains(steps, walkers);
    for (Index w = 0; w < walkers; ++w) {
      chains(0, w) = rng.normal();
      for (Index t = 1; t < steps; ++t) {
        chains(t, w) = r * chains(t - 1, w) + std::sqrt(1 - r * r) * rng.normal();
      }
    }
    const double time = (1 + r) / (1 - r);
    EXPECT_NEAR(autocorrelation_time(chains) / time, 1, 0.15) << r;
    EXPECT_NEAR(effective_size(chains) * time / (steps * walkers), 1, 0.15) << r;
  }
  EXPECT_EQ(effective_size(Matrix<double>(100, 1)), 1);
  EXPECT_DOUBLE_EQ(effective_size_of_weights(std::vector<double>{1, 1, 1, 0}), 3);
  EXPECT_EQ(effective_size_of_weights(std::vector<double>{0, 0}), 0);
}

TEST(C2stDdm, IsTheMeanOverMarginalsOfEachDimension) {
  const auto a = normals(20, 3, 0, 1, 1), b = normals(20, 3, 0, 1, 2);
  std::vector<Marginal> marginals = one_dimensional(3);
  for (const Marginal& pair : two_dimensional(3)) marginals.push_back(pair);
  const auto pairs = marginal_pairs(a, b, marginals);
  ASSERT_EQ(pairs.size(), 6U);
  EXPECT_EQ(pairs[4].b(7, 1), b(7, 2));  // {0, 2}
  const auto ddm = c2st_ddm(pairs, std::vector<double>{0.5, 0.6, 0.7, 0.7, 0.8, 0.9});
  EXPECT_EQ(ddm.size(), 2U);
  EXPECT_DOUBLE_EQ(ddm.at(1), 0.6);
  EXPECT_DOUBLE_EQ(ddm.at(2), 0.8);
}

}  // namespace
}  // namespace hone
