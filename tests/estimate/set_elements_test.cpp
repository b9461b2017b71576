// Sets whose elements are learned one by one, and what happens if they depend on each other.
#include <cmath>
#include <limits>

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

// Sets of one to five elements: what is absent is NaN, anywhere.
const DataDescription kVarying({{.name = "draws",
                                 .kind = DataKind::set,
                                 .shape = {kElements},
                                 .missing = Missing::simulated}});
constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();

void varying(std::span<double> x, std::span<const double> theta, Rng noise) {
  independent(x, theta, noise.child("values"));
  Rng own = noise.child("absent");
  const auto absent = static_cast<std::size_t>(own.uniform() * kElements);
  for (std::size_t k = 0; k < absent; ++k) x[k] = kAbsent;
}

SharedPosterior learn_varying() {
  test::Laboratory laboratory(test::uniform_prior(1, -1, 1), kElements, varying,
                              {.may_be_missing = kVarying.may_be_missing()}, kVarying);
  Simulations simulations = laboratory.simulations();
  simulations.simulate(Region::whole(1), 1, 2000, silent_observer());
  const Dataset data = simulations.inside(Region::whole(1), 0.1);
  const InferenceOptions used = options();
  return estimate(element_likelihood_estimation(),
                  {data, {{0}}, 2, used, Rng(4), silent_observer()})
      .posterior;
}

TEST(ElementLikelihood, SkipsElementsThatAreAbsent) {
  const SharedPosterior posterior = learn_varying();
  const double exact = kNoise / std::sqrt(double(kElements));
  const MarginalGrid all = make_grid({*posterior, {0}, kObserved}, 512);
  EXPECT_NEAR(grid_mean(all), 0.2, 0.15 * exact);
  EXPECT_NEAR(grid_deviation(all), exact, 0.1 * exact);
  const std::vector<double> two{kAbsent, -0.1, kAbsent, 0.2, kAbsent};
  const MarginalGrid few = make_grid({*posterior, {0}, two}, 512);
  const double wider = kNoise / std::sqrt(2.0);
  EXPECT_NEAR(grid_mean(few), 0.05, 0.2 * wider);
  EXPECT_NEAR(grid_deviation(few), wider, 0.1 * wider);
  // The control: a zero in the place of what is absent is an element too.
  const std::vector<double> zeros{0, -0.1, 0, 0.2, 0};
  EXPECT_LT(grid_deviation(make_grid({*posterior, {0}, zeros}, 512)), 0.8 * wider);

  const SharedPosterior read = element_likelihood_estimation().load(
      test::uniform_prior(1, -1, 1), Region::whole(1), posterior->to_arrays());
  EXPECT_EQ(make_grid({*read, {0}, two}, 512).mass, few.mass);
}

TEST(ElementMoments, AreThoseOfTheElementsThatAreThere) {
  Matrix<float> x(1, 4);
  x(0, 0) = x(0, 1) = std::numeric_limits<float>::quiet_NaN();
  x(0, 2) = 3;
  x(0, 3) = 4;
  const Matrix<float> moments = element_moments(x, 2, true);
  EXPECT_EQ(std::vector(moments.data(), moments.data() + 6),
            (std::vector<float>{3, 4, 9, 12, 16, std::log1p(1.0F)}));
}

// Counts with a rate that is uniform on (0.5, 6); the second parameter does nothing. Where whole
// numbers are learned as points, a mixture of Gaussians has peaks on them that rise without end.
TEST(Counts, HaveTheProbabilitiesOfWholeNumbers) {
  const auto count = [](std::span<double> x, std::span<const double> theta, Rng noise) {
    x[0] = static_cast<double>(noise.poisson(theta[0]));
  };
  test::Laboratory laboratory(test::uniform_prior(2, 0.5, 6), 1, count);
  Simulations simulations = laboratory.simulations();
  simulations.simulate(Region::whole(2), 1, 3000, silent_observer());
  const Dataset data = simulations.inside(Region::whole(2), 0.1);
  const InferenceOptions used = options();
  const SharedPosterior learned =
      estimate(likelihood_estimation(), {data, {{0}, {1}}, 2, used, Rng(4), silent_observer()})
          .posterior;
  constexpr int kCounts = 16;
  Matrix<float> x(kCounts, 1);
  for (int k = 0; k < kCounts; ++k) x(k, 0) = static_cast<float>(k);
  const auto log =
      dynamic_cast<const LikelihoodPosterior&>(*learned).log_evidence(x).value();  // (2, counts)
  double sum = 0, off = 0, off_by_one = 0;
  const auto exact = [](int k) {  // the mean of the probability of k over the prior
    double mean = 0;
    for (int i = 0; i < 1000; ++i) {
      const double rate = 0.5 + 5.5 * (i + 0.5) / 1000;
      mean += std::exp(k * std::log(rate) - rate - std::lgamma(k + 1.0)) / 1000;
    }
    return mean;
  };
  for (int k = 0; k < kCounts; ++k) {
    const double found = std::exp(log(0, k));
    sum += found;
    off += std::abs(found - exact(k)) / 2;
    off_by_one += std::abs(found - exact(k + 1)) / 2;
  }
  // 3,000 draws have a total variation of about sqrt(16 / (2 pi 3000)) = 0.03 from their law.
  EXPECT_NEAR(sum, 1, 0.05);
  EXPECT_LT(off, 0.06);
  EXPECT_GT(off_by_one, 0.06) << "negative control";
}

}  // namespace
}  // namespace hone
