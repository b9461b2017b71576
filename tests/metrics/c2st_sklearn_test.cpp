// C2ST against scikit-learn's MLPClassifier on the very same rows, from identical to disjoint.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "hone/metrics/c2st.h"
#include "metrics/c2st_cases.h"

namespace hone {
namespace {

using test::C2stCase;

// scikit-learn's answers for the same rows (data/sklearn_c2st.py).
struct Published {
  double mean = 0, deviation = 0, seeds = 0;
};

Published sklearn_answer(const std::string& name) {
  std::ifstream file(HONE_SOURCE_DIR "/tests/metrics/data/sklearn_c2st.csv");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(name + ",", 0) != 0) continue;
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream fields(line);
    std::string label;
    Published answer;
    fields >> label >> answer.mean >> answer.deviation >> answer.seeds;
    return answer;
  }
  return {};
}

struct OverSeeds {
  double mean = 0, deviation = 0, seeds = 0;
};

OverSeeds over_seeds(const SamplePair& pair, const C2stOptions& options, int seeds) {
  std::vector<double> values;
  for (int seed = 0; seed < seeds; ++seed) {
    values.push_back(c2st(pair.a, pair.b, options, Rng(static_cast<std::uint64_t>(seed))));
  }
  OverSeeds out{.seeds = static_cast<double>(seeds)};
  for (const double value : values) out.mean += value / seeds;
  for (const double value : values) out.deviation += std::pow(value - out.mean, 2) / (seeds - 1);
  out.deviation = std::sqrt(out.deviation);
  return out;
}

// Of the difference of both means. The floor is one row of 2 n: where all seeds agree, the sample
// deviation is 0.
double combined_error(const OverSeeds& ours, const Published& theirs, Index rows) {
  const double floor = 0.5 / static_cast<double>(rows);
  return std::sqrt(ours.deviation * ours.deviation / ours.seeds +
                   theirs.deviation * theirs.deviation / theirs.seeds + floor * floor);
}

class C2stAgainstSklearn : public testing::TestWithParam<C2stCase> {};

TEST_P(C2stAgainstSklearn, AgreesOverSeeds) {
  const Published theirs = sklearn_answer(GetParam().name);
  ASSERT_GT(theirs.seeds, 1);
  // Few of the slowest: 50 x 50 weights go on until they know every row.
  const int seeds = GetParam().cols == 5 ? 3 : 8;
  const OverSeeds ours = over_seeds(test::make_case(GetParam()), {}, seeds);
  RecordProperty("hone", fmt::format("{:.4f} +- {:.4f}", ours.mean, ours.deviation));
  EXPECT_NEAR(ours.mean, theirs.mean, 3 * combined_error(ours, theirs, GetParam().rows))
      << "ours " << ours.mean << " +- " << ours.deviation << ", scikit-learn " << theirs.mean
      << " +- " << theirs.deviation;
}

INSTANTIATE_TEST_SUITE_P(Cases, C2stAgainstSklearn, testing::ValuesIn(test::c2st_cases()),
                         [](const auto& instance) { return instance.param.name; });

TEST(C2stAgainstSklearnControl, AnUndertrainedClassifierDisagrees) {
  C2stOptions options;
  options.classifier.max_epochs = 2;
  for (const C2stCase& c : test::c2st_cases()) {
    if (c.name != "correlated_2d" && c.name != "bimodal_1d" && c.name != "scale_1d") continue;
    const Published theirs = sklearn_answer(c.name);
    const OverSeeds ours = over_seeds(test::make_case(c), options, 4);
    EXPECT_LT(ours.mean, theirs.mean - 3 * combined_error(ours, theirs, c.rows)) << c.name;
  }
}

}  // namespace
}  // namespace hone
