// The sampler of tasks without an exact one, on posteriors that are known.

#include "hone/tasks/posterior_sampler.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "hone/core/error.h"
#include "hone/tasks/reference.h"
#include "tasks/statistics.h"
#include "tasks/two_sample.h"

namespace hone {
namespace {

class KnownPosterior : public testing::TestWithParam<std::string> {};

TEST_P(KnownPosterior, IsSampledAsByTheExactMethod) {
  const Task& task = find_task(GetParam());
  const auto samples = samples_by_rejection(task.prior, std::ssize(task.observation), task.name,
                                            task.reference.log_likelihood);
  const Matrix<double> found = samples(task.observation, 4000, test_rng());
  const Matrix<double> exact = task.reference.samples(task.observation, 4000, test_rng());
  EXPECT_GT(marginals_p(found, exact), 1e-3);
  EXPECT_GT(energy_p(found.view().rows(0, 500), exact.view().rows(0, 500), 299, test_rng()), 0.005);
}

// Two moons, a wide mode with a narrow one inside, ten dimensions, a prior much wider than the
// posterior.
INSTANTIATE_TEST_SUITE_P(Tasks, KnownPosterior,
                         testing::Values("two_moons", "gaussian_mixture", "gaussian_linear",
                                         "torus"),
                         [](const auto& instance) { return instance.param; });

TEST(PosteriorSampler, RowsDoNotDependOnTheirNumber) {
  const Task& task = find_task("sir");
  const Matrix<double> few = task.reference.samples(task.observation, 3, test_rng());
  const Matrix<double> many = task.reference.samples(task.observation, 50, test_rng());
  for (Index i = 0; i < 3; ++i) {
    EXPECT_EQ(few(i, 0), many(i, 0));
    EXPECT_EQ(few(i, 1), many(i, 1));
  }
}

TEST(PosteriorSampler, SaysSoWhereThereIsNoLikelihood) {
  const Task& task = find_task("sir");
  std::vector<double> x = task.observation;
  x[0] = 0.5;  // no count
  EXPECT_THROW(task.reference.samples(x, 1, test_rng()), Error);
}

TEST(StudentMixture, DensityIsThatOfTheDraws) {
  Matrix<double> factor(2, 2);
  factor(0, 0) = 0.5;
  factor(1, 0) = -0.3;
  factor(1, 1) = 0.2;
  Matrix<double> unit(2, 2);
  unit(0, 0) = unit(1, 1) = 1;
  std::vector<StudentMixture::Component> components;
  components.push_back({0.3, {1, 2}, std::move(factor)});
  components.push_back({0.7, {-1, 0}, std::move(unit)});
  const StudentMixture mixture(std::move(components));
  std::vector<double> ratio;
  for (int i = 0; i < 20000; ++i) {
    Rng rng = test_rng().child("draw", static_cast<std::uint64_t>(i));
    double z[2];
    mixture.draw(z, rng);
    // Against a normal density narrower than the mixture: its mean over draws is 1.
    const double log_normal = -(z[0] * z[0] + z[1] * z[1]) / 2 - std::log(2 * std::numbers::pi);
    ratio.push_back(std::exp(log_normal - mixture.log_density(z)));
  }
  EXPECT_LT(std::abs(moments(ratio).mean - 1), 4 * moments(ratio).standard_error);
  EXPECT_GT(std::abs(moments(ratio).mean - 1.05), 4 * moments(ratio).standard_error);
}

}  // namespace
}  // namespace hone
