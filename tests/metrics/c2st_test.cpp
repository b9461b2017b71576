#include "hone/metrics/c2st.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "hone/core/error.h"
#include "hone/core/parallel.h"

namespace hone {
namespace {

SamplePair shifted_normals(Index rows, double shift, std::uint64_t seed) {
  SamplePair pair{Matrix<double>(rows, 1), Matrix<double>(rows, 1)};
  Rng rng(seed);
  for (Index i = 0; i < rows; ++i) {
    pair.a(i, 0) = rng.normal();
    pair.b(i, 0) = shift + rng.normal();
  }
  return pair;
}

Matrix<double> copy(const Matrix<double>& from) {
  Matrix<double> to(from.rows(), from.cols());
  std::copy(from.data(), from.data() + from.rows() * from.cols(), to.data());
  return to;
}

std::string error_of(const SamplePair& pair, const C2stOptions& options = {}) {
  try {
    c2st(pair.a, pair.b, options, Rng(1));
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(C2st, ReachesTheBayesAccuracyOfShiftedNormals) {
  // The best classifier cuts in the middle: accuracy Phi(shift / 2).
  const Index rows = 5000;
  for (const double shift : {0.0, 0.5, 2.0}) {
    const SamplePair pair = shifted_normals(rows, shift, 7);
    const double best = 0.5 * std::erfc(-shift / 2 / std::sqrt(2.0));
    EXPECT_NEAR(c2st(pair.a, pair.b, {}, Rng(1)), best, 4 * c2st_noise(rows)) << shift;
  }
  // Control: a shift of 0.6 is told from one of 0.5.
  const SamplePair pair = shifted_normals(rows, 0.6, 7);
  const double wrong = 0.5 * std::erfc(-0.25 / std::sqrt(2.0));
  EXPECT_GT(c2st(pair.a, pair.b, {}, Rng(1)), wrong + 4 * c2st_noise(rows));
}

TEST(C2st, IsOneForDisjointSamples) {
  const SamplePair pair = shifted_normals(500, 20, 3);
  EXPECT_EQ(c2st(pair.a, pair.b, {}, Rng(1)), 1);
}

TEST(C2st, IgnoresUnitsAndOffsetsOfTheColumns) {
  const SamplePair pair = shifted_normals(400, 1, 5);
  SamplePair scaled{copy(pair.a), copy(pair.b)};
  for (Matrix<double>* sample : {&scaled.a, &scaled.b}) {
    for (Index i = 0; i < 400; ++i) (*sample)(i, 0) = 1e6 + 1024 * (*sample)(i, 0);
  }
  EXPECT_NEAR(c2st(scaled.a, scaled.b, {}, Rng(1)), c2st(pair.a, pair.b, {}, Rng(1)), 0.01);
}

TEST(C2st, HasTheSameBitsForAnyNumberOfThreadsAndAlone) {
  std::vector<SamplePair> pairs;
  for (const std::uint64_t seed : {1, 2, 3}) pairs.push_back(shifted_normals(300, 0.5, seed));
  std::vector<double> one, three;
  with_threads(1, [&] { one = c2st(pairs, {}, Rng(4)); });
  with_threads(3, [&] { three = c2st(pairs, {}, Rng(4)); });
  EXPECT_EQ(one, three);
  EXPECT_EQ(one[0], c2st(pairs[0].a, pairs[0].b, {}, Rng(4)));
  EXPECT_NE(one, c2st(pairs, {}, Rng(5)));
}

TEST(C2st, UsesTheFirstRowsOfTheLongerSample) {
  const SamplePair pair = shifted_normals(300, 0.5, 9);
  const auto shorter = pair.b.view().rows(0, 200);
  EXPECT_EQ(c2st(pair.a, shorter, {}, Rng(1)),
            c2st(pair.a.view().rows(0, 200), shorter, {}, Rng(1)));
}

TEST(C2st, RefusesSamplesItCannotCompare) {
  EXPECT_NE(error_of({Matrix<double>(50, 2), Matrix<double>(50, 3)}).find("2 and 3 columns"),
            std::string::npos);
  EXPECT_NE(error_of(shifted_normals(4, 0, 1)).find("4 and 4 rows"), std::string::npos);
  EXPECT_NE(error_of({Matrix<double>(50, 1), Matrix<double>(50, 1)}).find("constant column"),
            std::string::npos);
  SamplePair broken = shifted_normals(50, 0, 1);
  broken.b(6, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(error_of(broken).find("row 7, column 1 of sample b is nan"), std::string::npos);
  C2stOptions options;
  options.folds = 1;
  EXPECT_NE(error_of(shifted_normals(50, 0, 1), options).find("c2st.folds = 1"), std::string::npos);
  options = {};
  options.classifier.learning_rate = -1;
  EXPECT_NE(error_of(shifted_normals(50, 0, 1), options).find("classifier.learning_rate = -1"),
            std::string::npos);
}

TEST(C2st, StopsWhenTheObserverAsks) {
  struct Impatient : Observer {
    bool stop_requested() override { return true; }
  } impatient;
  const std::vector<SamplePair> pairs = [] {
    std::vector<SamplePair> made;
    made.push_back(shifted_normals(50, 0, 1));
    return made;
  }();
  EXPECT_THROW(c2st(pairs, {}, Rng(1), impatient), Error);
}

}  // namespace
}  // namespace hone
