// The closed-form start of a linear embedding on data whose best linear estimate is known.

#include "hone/engine/embedding_start.h"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "hone/core/rng.h"

namespace hone {
namespace {

// One parameter; x_j = b_j theta + n_j. Columns 0 .. 9 know of it, all others are noise. The noise
// of columns 2k and 2k + 1 has the correlation `rho`.
class Columns final : public RowSource {
 public:
  static constexpr Index kColumns = 300, kTelling = 10;
  static constexpr double kSlope = 0.5;

  Columns(const Matrix<float>& theta, double rho, bool random)
      : theta_(theta), rho_(rho), random_(random) {}
  Index rows() const override { return theta_.rows(); }
  Index cols() const override { return kColumns; }
  bool random() const override { return random_; }
  void read(MatrixView<float> out, std::span<const Index> rows) const override {
    read_realisation(out, rows, 0);
  }
  void read_realisation(MatrixView<float> out, std::span<const Index> rows,
                        std::uint64_t realisation) const override {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      Rng noise = Rng(5)
                      .child("row", static_cast<std::uint64_t>(rows[i]))
                      .child("realisation", random_ ? realisation : 0);
      const auto row = out.row(static_cast<Index>(i));
      for (Index j = 0; j < kColumns; j += 2) {
        const double first = noise.normal();
        const double second = rho_ * first + std::sqrt(1 - rho_ * rho_) * noise.normal();
        for (Index c = j; c < j + 2; ++c) {
          const double slope = c < kTelling ? (c % 2 == 0 ? kSlope : 0.1) : 0;
          const double theta = static_cast<double>(theta_(rows[i], 0));
          row[static_cast<std::size_t>(c)] =
              static_cast<float>(slope * theta + (c == j ? first : second));
        }
      }
    }
  }

 private:
  const Matrix<float>& theta_;
  double rho_;
  bool random_;
};

// Variance of theta around its best linear estimate: 1 / (1 + b^T S^-1 b).
double best_variance(double rho) {
  const double a = Columns::kSlope, b = 0.1;
  const double pair = (a * a - 2 * rho * a * b + b * b) / (1 - rho * rho);
  return 1 / (1 + pair * static_cast<double>(Columns::kTelling) / 2);
}

// The same for given weights, which may be scaled.
double variance_with(const Matrix<float>& w, double rho) {
  double signal = 0, noise = 0;
  for (Index j = 0; j < Columns::kColumns; j += 2) {
    const double even = static_cast<double>(w(j, 0)), odd = static_cast<double>(w(j + 1, 0));
    if (j < Columns::kTelling) signal += Columns::kSlope * even + 0.1 * odd;
    noise += even * even + odd * odd + 2 * rho * even * odd;
  }
  return noise / (noise + signal * signal);
}

Matrix<float> start(double rho, bool random, Index rows) {
  Matrix<float> theta(rows, 1);
  Rng rng(3);
  for (Index i = 0; i < rows; ++i) theta(i, 0) = static_cast<float>(rng.normal());
  const Columns columns(theta, rho, random);
  std::vector<Index> all(static_cast<std::size_t>(rows));
  std::iota(all.begin(), all.end(), Index{0});
  const Standardizer scores{std::vector<float>(Columns::kColumns, 0.0F),
                            std::vector<float>(Columns::kColumns, 1.0F)};
  SegmentReader reader(columns, scores, 32, Index{1} << 20);
  return linear_start(reader, Columns::kColumns, theta, all, random, 1);
}

TEST(EmbeddingStart, EstimatesTheParameterNearlyAsWellAsCanBe) {
  const Matrix<float> w = start(0, true, 1000);
  EXPECT_LT(variance_with(w, 0), 1.1 * best_variance(0));
  // Control: equal weights on all columns.
  Matrix<float> equal(Columns::kColumns, 1);
  for (Index j = 0; j < equal.rows(); ++j) equal(j, 0) = 1;
  EXPECT_GT(variance_with(equal, 0), 1.1 * best_variance(0));
}

TEST(EmbeddingStart, UsesTheCorrelationsOfTheNoise) {
  const double rho = 0.8;
  const Matrix<float> w = start(rho, true, 1000);
  EXPECT_LT(variance_with(w, rho), 1.15 * best_variance(rho));
  // Control: what each column tells by itself.
  Matrix<float> alone(Columns::kColumns, 1);
  for (Index j = 0; j < Columns::kTelling; ++j) {
    alone(j, 0) = static_cast<float>(j % 2 == 0 ? Columns::kSlope : 0.1);
  }
  EXPECT_GT(variance_with(alone, rho), 1.15 * best_variance(rho));
}

TEST(EmbeddingStart, WorksWithOneRealisation) {
  EXPECT_LT(variance_with(start(0, false, 4000), 0), 1.2 * best_variance(0));
}

TEST(EmbeddingStart, GivesTheSameBitsAgain) {
  const Matrix<float> once = start(0.3, true, 200), again = start(0.3, true, 200);
  for (Index j = 0; j < once.rows(); ++j) ASSERT_EQ(once(j, 0), again(j, 0));
}

}  // namespace
}  // namespace hone
