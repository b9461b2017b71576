// The constants that sbibm drew with NumPy, against values from NumPy itself.

#include "hone/tasks/numpy_legacy.h"

#include <cmath>

#include <gtest/gtest.h>

#include "hone/tasks/distractors.h"
#include "tasks/statistics.h"

namespace hone {
namespace {

TEST(NumpyLegacyRandom, GivesTheNumbersOfNumpyForSeed42) {
  NumpyLegacyRandom normals(42);
  EXPECT_DOUBLE_EQ(normals.normal(), 0.4967141530112327);
  EXPECT_DOUBLE_EQ(normals.normal(), -0.13826430117118466);
  NumpyLegacyRandom uniforms(42);
  EXPECT_DOUBLE_EQ(uniforms.uniform(), 0.3745401188473625);
  EXPECT_EQ(NumpyLegacyRandom(42).permutation(10),
            (std::vector<int>{8, 1, 5, 0, 7, 2, 9, 4, 3, 6}));
}

TEST(Distractors, HaveTheConstantsOfTheBenchmark) {
  const Distractors& distractors = Distractors::instance();
  const auto& means = distractors.means();
  const double first[] = {7.45071229516849, -2.0739645175677697, 9.715328071510388,
                          22.84544784612038, -3.5123006208500396};
  const double last[] = {5.422552878091524, -17.155893109809927, 1.6283955866478472,
                         -0.49844985966691197, -3.1217528590880956};
  for (Index i = 0; i < 5; ++i) {
    EXPECT_DOUBLE_EQ(means(0, i), first[i]);
    EXPECT_DOUBLE_EQ(means(19, 87 + i), last[i]);
  }
  const double corner[3][3] = {{3.423324718497607, 0, 0},
                               {-1.39593137034016, 0.5214230706694578, 0},
                               {-9.058536467462476, 0.5515486342610846, 8.445941298024547}};
  const double last_row[] = {-4.9676420858228925, 2.446532061161765, 2.196350891048934};
  for (Index i = 0; i < 3; ++i) {
    for (Index j = 0; j < 3; ++j) {
      EXPECT_NEAR(distractors.factor(0)(i, j), corner[i][j], 1e-13);
    }
    EXPECT_NEAR(distractors.factor(19)(91, 89 + i), last_row[i], 1e-13);
  }
  const std::vector<int> order = {
      87, 47, 39, 9,  25, 21, 26, 94, 41, 30, 34, 44, 12, 27, 89, 20, 6,  13, 51, 40,
      54, 5,  0,  2,  75, 43, 14, 97, 29, 72, 79, 99, 98, 1,  38, 65, 83, 52, 74, 63,
      19, 70, 4,  36, 96, 81, 35, 49, 31, 76, 84, 28, 11, 66, 37, 85, 56, 60, 48, 10,
      22, 82, 24, 8,  42, 32, 73, 3,  59, 95, 90, 50, 18, 68, 45, 67, 92, 91, 17, 93,
      33, 78, 88, 62, 46, 64, 57, 86, 55, 77, 7,  80, 69, 23, 58, 71, 15, 61, 53, 16};
  EXPECT_EQ(distractors.order(), order);
}

TEST(Distractors, AreFoundWhereTheyWereHidden) {
  const Distractors& distractors = Distractors::instance();
  std::vector<double> data(Distractors::kInformative), noise(Distractors::kSize);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<double>(i);
  for (std::size_t i = 0; i < noise.size(); ++i) noise[i] = 100 + static_cast<double>(i);
  std::vector<double> shown(Distractors::kShown);
  distractors.hide(shown, data, noise);
  EXPECT_EQ(shown[0], 100 + 87 - 8);
  std::vector<double> data_again(data.size()), noise_again(noise.size());
  distractors.find(data_again, noise_again, shown);
  EXPECT_EQ(data_again, data);
  EXPECT_EQ(noise_again, noise);
}

TEST(Distractors, HideTheObservationOfSlcp) {
  std::vector<double> data(Distractors::kInformative), noise(Distractors::kSize);
  Distractors::instance().find(data, noise, find_task("slcp_distractors").observation);
  EXPECT_EQ(data, find_task("slcp").observation);
}

// E[p(y + step) / p(y)] = 1 over y from p, for the density that belongs to the draws.
TEST(Distractors, DensityIsThatOfTheDraws) {
  const Distractors& distractors = Distractors::instance();
  std::vector<double> ratio;
  for (int i = 0; i < 2000; ++i) {
    Rng rng = test_rng().child("draw", static_cast<std::uint64_t>(i));
    std::vector<double> noise(Distractors::kSize);
    distractors.draw(noise, rng);
    const double before = distractors.log_density(noise);
    for (Index k = 0; k < Distractors::kSize; ++k) {
      noise[static_cast<std::size_t>(k)] += 0.4 * distractors.factor(3)(k, 91);
    }
    const double log_ratio = distractors.log_density(noise) - before;
    ratio.push_back(std::exp(log_ratio));
  }
  EXPECT_LT(std::abs(moments(ratio).mean - 1), 4 * moments(ratio).standard_error);
  EXPECT_LT(4 * moments(ratio).standard_error, 0.2);  // sharp enough to tell
}

}  // namespace
}  // namespace hone
