// Linear estimates against their definition, and what they are for: estimates of rows that the fit
// has not seen.
#include "hone/engine/ridge.h"

#include <numeric>

#include <gtest/gtest.h>

#include "hone/core/parallel.h"
#include "hone/core/rng.h"

namespace hone {
namespace {

// t = x w + noise, in fewer rows than a fit without a penalty would need.
struct Problem {
  static constexpr Index kRows = 150, kColumns = 120;
  Matrix<float> x{kRows, padded(kColumns)}, t{kRows, 1};
  std::vector<Index> rows;

  explicit Problem(std::uint64_t seed) : rows(kRows) {
    Rng rng(seed);
    std::iota(rows.begin(), rows.end(), Index{0});
    for (Index i = 0; i < kRows; ++i) {
      for (Index j = 0; j < kColumns; ++j) x(i, j) = static_cast<float>(rng.normal());
      t(i, 0) = static_cast<float>(0.8 * x(i, 0) - 0.5 * x(i, 7) + 0.3 * rng.normal());
    }
  }
  RidgeFit fit(const std::vector<Index>& used) const {
    const MatrixView<const float> view(x.data(), kRows, kColumns, x.cols());
    const MatrixRows source(view);
    const Standardizer as_they_are{std::vector<float>(kColumns, 0),
                                   std::vector<float>(kColumns, 1)};
    SegmentReader reader(source, as_they_are, 8, Index{1} << 20);
    return fit_ridge(reader, std::vector<char>(kColumns, 1), t, used);
  }
  double estimate(const RidgeFit& f, Index row) const {
    double sum = 0;
    for (Index j = 0; j < kColumns; ++j) sum += double(x(row, j)) * double(f.weights(j, 0));
    return sum;
  }
};

TEST(Ridge, InvertsMatricesOfSeveralBlocks) {
  for (const Index size : {3, 64, 200}) {
    Rng rng(5);
    Matrix<double> root(size, size), a(size, size);
    for (Index i = 0; i < size * size; ++i) root.data()[i] = rng.normal();
    for (Index i = 0; i < size; ++i) {
      for (Index j = 0; j < size; ++j) {
        a(i, j) = i == j ? 1 : 0;
        for (Index k = 0; k < size; ++k) a(i, j) += root(i, k) * root(j, k) / double(size);
      }
    }
    Matrix<double> inverse(size, size);
    std::copy(a.data(), a.data() + size * size, inverse.data());
    invert(inverse);
    for (Index i = 0; i < size; i += 7) {
      for (Index j = 0; j < size; ++j) {
        double product = 0;
        for (Index k = 0; k < size; ++k) product += a(i, k) * inverse(k, j);
        EXPECT_NEAR(product, i == j ? 1 : 0, 1e-10);
      }
    }
  }
}

// The rows without one give the same penalty here, as the errors of penalties differ by far more
// than one row can change.
TEST(Ridge, EstimateOfARowWithoutItselfIsThatOfAFitToTheOthers) {
  const Problem problem(3);
  const RidgeFit all = problem.fit(problem.rows);
  for (const Index row : {Index{0}, Index{77}, Index{149}}) {
    std::vector<Index> others = problem.rows;
    std::erase(others, row);
    const RidgeFit without = problem.fit(others);
    EXPECT_NEAR(double(all.left_out(row, 0)), problem.estimate(without, row), 0.03);
    EXPECT_EQ(without.left_out(row, 0), 0.0F);
  }
}

TEST(Ridge, EstimatesOfRowsWithoutThemselvesAreAsWrongAsThoseOfNewRows) {
  const Problem problem(3);
  const RidgeFit fit = problem.fit(problem.rows);
  const auto mean_square = [&](const Problem& of, const auto& estimate) {
    double sum = 0;
    for (Index i = 0; i < Problem::kRows; ++i) {
      sum += std::pow(estimate(i) - double(of.t(i, 0)), 2) / Problem::kRows;
    }
    return sum;
  };
  const Problem fresh(4);
  const double expected = mean_square(fresh, [&](Index i) { return fresh.estimate(fit, i); });
  const double left_out = mean_square(problem, [&](Index i) { return double(fit.left_out(i, 0)); });
  const double seen = mean_square(problem, [&](Index i) { return problem.estimate(fit, i); });
  // A mean of 150 squares of a normal error scatters by sqrt(2 / 150) of itself; two of them.
  const double tolerance = 4 * expected * std::sqrt(2 * 2.0 / Problem::kRows);
  EXPECT_NEAR(left_out, expected, tolerance);
  EXPECT_LT(seen, expected - tolerance);  // what would have been believed
}

TEST(Ridge, HasTheSameBitsForAnyNumberOfThreads) {
  const Problem problem(3);
  std::vector<RidgeFit> fits;
  for (const int threads : {1, 4}) {
    with_threads(threads, [&] { fits.push_back(problem.fit(problem.rows)); });
  }
  for (Index i = 0; i < Problem::kRows; ++i) {
    EXPECT_EQ(fits[0].left_out(i, 0), fits[1].left_out(i, 0));
  }
}

TEST(RegressionTargets, AreTheParametersAndTheirProducts) {
  Matrix<float> theta(4, 2);
  const float values[] = {1, 0, -1, 2, 0, 1, 2, -3};
  std::copy(std::begin(values), std::end(values), theta.data());
  const std::vector<Index> rows{0, 1, 2, 3};
  const Matrix<float> targets = regression_targets(theta, rows);
  ASSERT_EQ(targets.cols(), target_count(2));
  EXPECT_EQ(targets.cols(), 5);
  // Products 0, -2, 0, -6: mean -2, deviation sqrt(6).
  EXPECT_NEAR(targets(3, 3), -4 / std::sqrt(6.0), 1e-6);
  EXPECT_EQ(targets(3, 1), -3.0F);
}

}  // namespace
}  // namespace hone
