// Sets whose elements are learned one by one, and what happens if they depend on each other.
#include <cmath>

#include <gtest/gtest.h>

#include "hone/estimate/likelihood_estimator.h"
#include "hone/estimate/piece_summaries.h"
#include "hone/posterior/combined_posterior.h"
#include "hone/posterior/marginal_grid.h"
#include "inference/support.h"

namespace hone {
namespace {

constexpr Index kElements = 5;
constexpr double kNoise = 0.3;
const DataDescription kSet({{.name = "draws", .kind = DataKind::set, .shape = {kElements}}});
const std::vector<double> kObserved{0.3, -0.1, 0.5, 0.2, 0.1};  // their mean is 0.2

// theta uniform on (-1, 1). Elements are theta plus noise: each its own, or all the same.
void independent(std::span<double> x, std::span<const double> theta, Rng noise) {
  for (double& value : x) value = theta[0] + kNoise * noise.normal();
}
void all_alike(std::span<double> x, std::span<const double> theta, Rng noise) {
  std::ranges::fill(x, theta[0] + kNoise * noise.normal());
}

InferenceOptions options() {
  InferenceOptions result = test::small_options(1500);
  result.estimators = Estimators::evidence;
  return result;
}

SharedPosterior learn_elements(const RowFunction& simulate) {
  test::Laboratory laboratory(test::uniform_prior(1, -1, 1), kElements, simulate, {}, kSet);
  Simulations simulations = laboratory.simulations();
  simulations.simulate(Region::whole(1), 1, 1500, silent_observer());
  const Dataset data = simulations.inside(Region::whole(1), 0.1);
  const InferenceOptions used = options();
  return estimate(element_likelihood_estimation(),
                  {data, {{0}}, 2, used, Rng(4), silent_observer()})
      .posterior;
}

SharedPosterior learn_all(const RowFunction& simulate, const std::vector<double>& x) {
  test::Laboratory laboratory(test::uniform_prior(1, -1, 1), kElements, simulate, {}, kSet);
  Simulations simulations = laboratory.simulations();
  return test::infer(simulations, x, {{0}}, options(), Rng(4)).posterior.posterior;
}

double deviation(const AmortizedPosterior& posterior, const std::vector<double>& x) {
  return grid_deviation(make_grid({posterior, {0}, x}, 512));
}

TEST(ElementsOf, AreThoseOfASingleSet) {
  EXPECT_EQ(elements_of(kSet, kElements).count, kElements);
  EXPECT_FALSE(elements_of({}, 8).apart());
  EXPECT_EQ(elements_of({}, 8).total(), 8);
  const DataBlock pairs{.name = "pairs", .kind = DataKind::set, .shape = {4, 2}};
  EXPECT_EQ(elements_of(DataDescription({pairs}), 8).count, 4);
  EXPECT_EQ(elements_of(DataDescription({pairs}), 8).columns, 2);
  const DataBlock more{.name = "more", .shape = {3}};
  EXPECT_FALSE(elements_of(DataDescription({pairs, more}), 11).apart());
  EXPECT_FALSE(elements_of(DataDescription({more}), 3).apart());
}

TEST(ElementMoments, AreMeansThatDoNotDependOnTheOrder) {
  Matrix<float> x(2, 4);
  for (Index j = 0; j < 4; ++j) {
    x(0, j) = static_cast<float>(j + 1);            // (1, 2), (3, 4)
    x(1, (j + 2) % 4) = static_cast<float>(j + 1);  // the other way round
  }
  const Matrix<float> moments = element_moments(x, 2);
  EXPECT_EQ(std::vector(moments.data(), moments.data() + 5), (std::vector<float>{2, 3, 5, 7, 10}));
  EXPECT_TRUE(std::ranges::equal(moments.row(0), moments.row(1)));
}

TEST(ElementLikelihood, GivesThePosteriorOfIndependentElements) {
  const SharedPosterior posterior = learn_elements(independent);
  const double exact = kNoise / std::sqrt(double(kElements));
  const MarginalGrid grid = make_grid({*posterior, {0}, kObserved}, 512);
  // From 1,500 sets of five: an error of the slope and the noise of some percent.
  EXPECT_NEAR(grid_mean(grid), 0.2, 0.15 * exact);
  EXPECT_NEAR(grid_deviation(grid), exact, 0.1 * exact);
  EXPECT_EQ(posterior->data_size(), kElements);

  // The same from its file.
  const SharedPosterior read = element_likelihood_estimation().load(
      test::uniform_prior(1, -1, 1), Region::whole(1), posterior->to_arrays());
  EXPECT_EQ(read->estimator(), "element_likelihood");
  EXPECT_EQ(make_grid({*read, {0}, kObserved}, 512).mass, grid.mass);
}

// Elements that are all alike tell as much as one of them. The likelihood of independent ones does
// not know; held-out simulations do.
TEST(ElementLikelihood, DoesNotCountWhereElementsDependOnEachOther) {
  const std::vector<double> x(std::size_t(kElements), 0.2);
  const double exact = kNoise;
  EXPECT_LT(deviation(*learn_elements(all_alike), x), 0.6 * exact) << "the control";

  const SharedPosterior all = learn_all(all_alike, x);
  const auto& combined = dynamic_cast<const CombinedPosterior&>(*all);
  EXPECT_LT(combined.shares(0)[1], 0.25) << combined.describe_shares();
  EXPECT_GT(deviation(*all, x), 0.85 * exact);

  const SharedPosterior right = learn_all(independent, kObserved);
  EXPECT_GT(dynamic_cast<const CombinedPosterior&>(*right).shares(0)[1], 0.5);
}

}  // namespace
}  // namespace hone
