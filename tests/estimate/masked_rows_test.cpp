// What training takes away from rows of data.
#include "hone/estimate/masked_rows.h"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "inference/support.h"

namespace hone {
namespace {

constexpr Index kRows = 2000;
// Six numbers that may be missing, two that may not, and four pairs that come and go as a whole.
const DataDescription kData(
    {{.name = "some", .shape = {6}, .missing = Missing::random},
     {.name = "all", .shape = {2}},
     {.name = "pairs", .kind = DataKind::set, .shape = {4, 2}, .missing = Missing::random}});

Matrix<float> masked(std::vector<char> observed_gaps, std::uint64_t realisation,
                     const std::vector<Index>& rows) {
  static const Matrix<float> whole(kRows, kData.size());
  std::vector<std::int64_t> ids(std::size_t{kRows});
  std::iota(ids.begin(), ids.end(), 0);
  const MaskedRows source(std::make_unique<MatrixRows>(whole), kData, std::move(observed_gaps), ids,
                          Rng(7));
  Matrix<float> out(std::ssize(rows), source.cols());
  source.read_realisation(out, rows, realisation);
  return out;
}

std::vector<Index> all_rows() {
  std::vector<Index> rows(std::size_t{kRows});
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

std::string gaps(std::span<const float> row) {
  std::string text;
  for (const float value : row) text += std::isnan(value) ? '-' : 'x';
  return text;
}

TEST(MaskedRows, TakeAwayValuesOfTheirBlocksAndWholeElements) {
  const Matrix<float> x = masked({}, 0, all_rows());
  std::vector<double> shares;
  for (Index i = 0; i < x.rows(); ++i) {
    const std::string text = gaps(x.row(i));
    EXPECT_EQ(text.substr(6, 2), "xx");
    for (std::size_t e = 0; e < 4; ++e) EXPECT_EQ(text[8 + 2 * e], text[9 + 2 * e]) << text;
    shares.push_back(static_cast<double>(std::ranges::count(text.substr(0, 6), '-')) / 6);
  }
  // With a uniform probability all numbers of gaps are equally likely: mean 1/2, variance 1/9.
  EXPECT_NEAR(test::mean_of(shares), 0.5, 4 * std::sqrt(1.0 / 9 / kRows));
  EXPECT_NEAR(test::variance_of(shares), 1.0 / 9, 0.02);
}

TEST(MaskedRows, HalfOfThemLackWhatTheObservationLacks) {
  std::vector<char> observed(std::size_t(kData.size()), 0);
  observed[1] = observed[4] = observed[8] = observed[9] = 1;
  Index alike = 0;
  const Matrix<float> x = masked(observed, 0, all_rows());
  for (Index i = 0; i < x.rows(); ++i) alike += gaps(x.row(i)) == "x-xx-xxx--xxxxxx";
  EXPECT_NEAR(static_cast<double>(alike) / kRows, 0.5, 4 * 0.5 / std::sqrt(double(kRows)) + 0.01);
}

TEST(MaskedRows, HaveOtherGapsInEveryRealisationAndTheSameWhenReadAgain) {
  const auto text = [](const Matrix<float>& x) {
    std::string all;
    for (Index i = 0; i < x.rows(); ++i) all += gaps(x.row(i)) + "\n";
    return all;
  };
  EXPECT_EQ(text(masked({}, 3, {5, 9})), text(masked({}, 3, {5, 9})));
  EXPECT_EQ(text(masked({}, 3, {9})), text(masked({}, 3, {5, 9})).substr(17));
  EXPECT_NE(text(masked({}, 3, {5, 9})), text(masked({}, 4, {5, 9})));
}

}  // namespace
}  // namespace hone
