#include "hone/simulator/noise.h"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "files/test_files.h"
#include "hone/simulator/noisy_rows.h"

namespace hone {
namespace {

// n draws of the noise for one noiseless part.
Matrix<float> draws(const NoiseModel& noise, const std::vector<float>& noiseless, Index n) {
  Matrix<float> in(n, noise.input_size()), out(n, noise.data_size());
  std::vector<Rng> streams;
  for (Index i = 0; i < n; ++i) {
    std::ranges::copy(noiseless, in.row(i).begin());
    streams.push_back(Rng(5).child("draw", static_cast<std::uint64_t>(i)));
  }
  noise.apply(out, in, streams);
  return out;
}

double mean_of(const Matrix<float>& x, Index column) {
  double sum = 0;
  for (Index i = 0; i < x.rows(); ++i) sum += static_cast<double>(x(i, column));
  return sum / static_cast<double>(x.rows());
}

double covariance_of(const Matrix<float>& x, Index a, Index b) {
  const double mean_a = mean_of(x, a), mean_b = mean_of(x, b);
  double sum = 0;
  for (Index i = 0; i < x.rows(); ++i) {
    sum += (static_cast<double>(x(i, a)) - mean_a) * (static_cast<double>(x(i, b)) - mean_b);
  }
  return sum / static_cast<double>(x.rows());
}

constexpr Index kDraws = 20000;

TEST(GaussianNoise, HasItsOwnSigmaForEveryValue) {
  const auto noise = make_gaussian_noise(3, std::vector<double>{0, 0.5, 2});
  const Matrix<float> x = draws(*noise, {1, -1, 7}, kDraws);
  EXPECT_EQ(mean_of(x, 0), 1);
  EXPECT_EQ(covariance_of(x, 0, 0), 0);
  const double n = static_cast<double>(kDraws);
  EXPECT_NEAR(mean_of(x, 1), -1, 4 * 0.5 / std::sqrt(n));
  EXPECT_NEAR(mean_of(x, 2), 7, 4 * 2 / std::sqrt(n));
  EXPECT_NEAR(covariance_of(x, 1, 1), 0.25, 4 * 0.25 * std::sqrt(2 / n));
  EXPECT_NEAR(covariance_of(x, 2, 2), 4, 4 * 4 * std::sqrt(2 / n));
  EXPECT_NEAR(covariance_of(x, 1, 2), 0, 4 * 0.5 * 2 / std::sqrt(n));
}

TEST(GaussianNoise, HasTheCovarianceItIsGiven) {
  // Of rank one and a diagonal, in a size that is no multiple of four.
  constexpr Index size = 7;
  Matrix<double> covariance(size, size);
  for (Index i = 0; i < size; ++i) {
    for (Index j = 0; j < size; ++j) {
      covariance(i, j) = 0.05 * static_cast<double>((i - 2) * (j - 2)) + (i == j ? 0.5 : 0);
    }
  }
  const Matrix<float> x = draws(*make_gaussian_noise(covariance), {0, 1, 2, 3, 4, 5, 6}, kDraws);
  const double n = static_cast<double>(kDraws);
  for (Index i = 0; i < size; ++i) {
    EXPECT_NEAR(mean_of(x, i), static_cast<double>(i), 4.5 * std::sqrt(covariance(i, i) / n));
    for (Index j = 0; j <= i; ++j) {
      const double variance = covariance(i, i) * covariance(j, j) + std::pow(covariance(i, j), 2);
      EXPECT_NEAR(covariance_of(x, i, j), covariance(i, j), 4.5 * std::sqrt(variance / n));
    }
  }
}

TEST(GaussianNoise, RefusesWhatIsNoSigmaAndNoCovariance) {
  const auto sigma = [](const std::vector<double>& values) {
    return error_text([&] { make_gaussian_noise(3, values); }, ErrorKind::input);
  };
  EXPECT_TRUE(contains(sigma({1, 2}), "it has 2 numbers; must be one, or 3"));
  EXPECT_TRUE(contains(sigma({1, -2, 1}), "noise.sigma[1] = -2"));
  EXPECT_TRUE(contains(sigma({1, 1, std::nan("")}), "noise.sigma[2] = nan"));
  const auto covariance = [](std::vector<double> values) {
    const MatrixView<const double> view(values.data(), 2, std::ssize(values) / 2);
    return error_text([&] { make_gaussian_noise(view); }, ErrorKind::input);
  };
  EXPECT_TRUE(contains(covariance({1, 0, 0, 0, 1, 0}), "it is 2 x 3; must be square"));
  EXPECT_TRUE(contains(covariance({1, 0.5, 0.4, 1}), "[1][0] = 0.4, but [0][1] = 0.5"));
  EXPECT_TRUE(contains(covariance({1, 0, 0, 0}), "the variance [1][1] = 0"));
  EXPECT_TRUE(contains(covariance({1, 2, 2, 1}), "not positive definite: value 1"));
  EXPECT_TRUE(contains(covariance({1, 1, 1, 1}), "not positive definite: value 1"));
}

TEST(GaussianNoise, RefusesWhatSinglePrecisionLoses) {
  const auto sigma = [](const std::vector<double>& values) {
    return error_text([&] { make_gaussian_noise(2, values); }, ErrorKind::input);
  };
  for (const double lost : {1e-39, 1e-50}) {
    const std::string text = sigma({1, lost});
    EXPECT_TRUE(text.starts_with("noise.sigma[1] = 1e-")) << text;
    EXPECT_TRUE(contains(text, "another unit")) << text;
  }
  EXPECT_EQ(make_gaussian_noise(2, std::vector{0.0, 1e-37})->data_size(), 2);
  const std::vector<double> covariance{1, 0, 0, 1e-100};
  const MatrixView<const double> view(covariance.data(), 2, 2);
  const std::string text = error_text([&] { make_gaussian_noise(view); }, ErrorKind::input);
  EXPECT_TRUE(text.starts_with("sigma of noise.covariance[1][1] = 1e-50")) << text;
}

TEST(PoissonNoise, HasTheMeanItIsGivenAndRefusesANegativeOne) {
  const auto noise = make_poisson_noise(2);
  const Matrix<float> x = draws(*noise, {0, 3.5F}, kDraws);
  EXPECT_EQ(mean_of(x, 0), 0);
  const double n = static_cast<double>(kDraws);
  EXPECT_NEAR(mean_of(x, 1), 3.5, 4 * std::sqrt(3.5 / n));
  EXPECT_NEAR(covariance_of(x, 1, 1), 3.5, 4 * std::sqrt((3.5 + 2 * 3.5 * 3.5) / n));
  EXPECT_EQ(noise->check(std::vector<double>{0, 3.5}), std::nullopt);
  EXPECT_TRUE(contains(*noise->check(std::vector<double>{1, -2}), "x[1] = -2"));
}

// Noiseless parts 0, 1, 2, ... of two values.
std::unique_ptr<RowSource> noiseless_rows(const Matrix<float>& table) {
  return std::make_unique<MatrixRows>(table);
}

Matrix<float> some_table(Index rows, Index cols) {
  Matrix<float> table(rows, cols);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) table(i, j) = static_cast<float>(i + j);
  }
  return table;
}

std::vector<float> read_row(const NoisyRows& rows, std::vector<Index> asked, std::size_t which,
                            std::uint64_t realisation) {
  Matrix<float> out(std::ssize(asked), rows.cols());
  rows.read_realisation(out, asked, realisation);
  const auto row = out.row(static_cast<Index>(which));
  return {row.begin(), row.end()};
}

TEST(NoisyRows, DependOnTheSimulationAndTheRealisationAlone) {
  const Matrix<float> table = some_table(100, 9);
  Matrix<double> covariance(9, 9);
  for (Index i = 0; i < 9; ++i) {
    for (Index j = 0; j < 9; ++j) covariance(i, j) = 1.0 / static_cast<double>(1 + std::abs(i - j));
  }
  std::vector<std::int64_t> ids(100);
  std::iota(ids.begin(), ids.end(), 1000);
  std::vector<Index> everything(100);
  std::iota(everything.begin(), everything.end(), 0);
  for (const auto& noise : {make_gaussian_noise(9, std::vector<double>{0.5}),
                            make_gaussian_noise(covariance), make_poisson_noise(9)}) {
    const NoisyRows rows(noiseless_rows(table), *noise, ids, Rng(3));
    EXPECT_TRUE(rows.random());
    const auto alone = read_row(rows, {77}, 0, 4);
    EXPECT_EQ(read_row(rows, everything, 77, 4), alone);
    EXPECT_EQ(read_row(rows, {3, 77, 5}, 1, 4), alone);
    EXPECT_NE(read_row(rows, {77}, 0, 5), alone);
    // In another data set the same simulation is another row.
    const NoisyRows other(noiseless_rows(table), *noise, std::vector<std::int64_t>(100, 1077),
                          Rng(3));
    EXPECT_EQ(read_row(other, {77}, 0, 4), alone);
    EXPECT_NE(read_row(rows, {78}, 0, 4), alone);
  }
}

TEST(NoisyRows, MayHaveAnotherLengthThanTheirNoiselessPart) {
  const Matrix<float> table = some_table(10, 2);
  const auto noise =
      make_noise(2, 5, [](std::span<double> x, std::span<const double> noiseless, Rng& stream) {
        for (double& value : x) value = noiseless[0] * 10 + noiseless[1] + stream.uniform();
      });
  const NoisyRows rows(noiseless_rows(table), *noise, std::vector<std::int64_t>(10, 7), Rng(3));
  EXPECT_EQ(rows.cols(), 5);
  for (const float value : read_row(rows, {2, 4}, 1, 0)) {
    EXPECT_GT(value, 45);
    EXPECT_LT(value, 46);
  }
}

TEST(NoisyRows, NameTheSimulationWhoseNoiseIsNotFinite) {
  const Matrix<float> table = some_table(10, 1);
  const auto noise =
      make_noise(1, 1, [](std::span<double> x, std::span<const double> noiseless, Rng&) {
        x[0] = 1 / (noiseless[0] - 4);
      });
  std::vector<std::int64_t> ids(10);
  std::iota(ids.begin(), ids.end(), 50);
  const NoisyRows rows(noiseless_rows(table), *noise, ids, Rng(3));
  const auto text = error_text([&] { read_row(rows, {3, 4, 5}, 0, 0); }, ErrorKind::simulator);
  EXPECT_TRUE(contains(text, "noise of simulation 54 makes x[0] inf")) << text;
}

TEST(WithNoise, WantsTheLengthThatTheSimulatorMakes) {
  const auto simulator = [] {
    return make_simulator(2, [](std::span<double>, std::span<const double>, Rng) {});
  };
  EXPECT_NE(with_noise(simulator(), make_poisson_noise(2))->noise(), nullptr);
  EXPECT_EQ(simulator()->noise(), nullptr);
  const auto text =
      error_text([&] { with_noise(simulator(), make_poisson_noise(3)); }, ErrorKind::input);
  EXPECT_TRUE(contains(text, "makes 2 values, its noise takes 3")) << text;
}

}  // namespace
}  // namespace hone
