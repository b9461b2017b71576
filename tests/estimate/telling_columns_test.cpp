// A likelihood of the columns that depend on the parameters, of data with many others.
#include "hone/estimate/telling_columns.h"

#include <cmath>

#include <gtest/gtest.h>

#include "hone/estimate/likelihood_estimator.h"
#include "hone/estimate/parameter_ranks.h"
#include "hone/posterior/combined_posterior.h"
#include "hone/posterior/marginal_grid.h"
#include "inference/support.h"

namespace hone {
namespace {

constexpr Index kColumns = 60;
const std::vector<Index> kTelling{7, 20, 41};
constexpr double kNoise = 0.4;

// theta uniform on (-1, 1): two columns are theta plus noise, one scatters more where it is far
// from 0, all others are noise.
void hidden(std::span<double> x, std::span<const double> theta, Rng noise) {
  for (double& value : x) value = noise.normal();
  x[7] = theta[0] + kNoise * x[7];
  x[20] = theta[0] + kNoise * x[20];
  x[41] *= 0.2 + std::abs(theta[0]);
}

struct Hidden {
  test::Laboratory laboratory{test::uniform_prior(1, -1, 1), kColumns, hidden};
  Simulations simulations = laboratory.simulations();
  Dataset data = draw();

  Dataset draw() {
    simulations.simulate(Region::whole(1), 1, 1200, silent_observer());
    return simulations.inside(Region::whole(1), 0.1);
  }
};

std::vector<double> observed() {
  std::vector<double> x(kColumns, 0.5);
  x[7] = 0.6;
  x[20] = 0.4;
  x[41] = 0.3;
  return x;
}

double log_likelihood(double theta) {
  const double s = 0.2 + std::abs(theta), a = (0.6 - theta) / kNoise, b = (0.4 - theta) / kNoise;
  return -(a * a + b * b + 0.09 / (s * s)) / 2 - std::log(s);
}

TEST(ParameterRanks, SeeWhatDependsOnParametersHoweverWild) {
  constexpr Index kRows = 500;
  Rng rng = test::test_rng();
  Matrix<float> local(kRows, 2);
  std::vector<Index> rows;
  std::vector<double> nothing, line, valley, constant(kRows, 3.0);
  for (Index i = 0; i < kRows; ++i) {
    rows.push_back(i);
    for (float& value : local.row(i)) value = static_cast<float>(rng.uniform());
    nothing.push_back(std::exp(20 * rng.normal()));
    line.push_back(std::exp(20 * (double(local(i, 1)) + 0.5 * rng.normal())));
    valley.push_back(std::pow(double(local(i, 0)) - 0.5, 2) + 0.1 * rng.normal());
  }
  const ParameterRanks ranks(local, rows);
  EXPECT_EQ(ranks.targets(), 4);
  const double limit = chance_limit(4 * ranks.targets());
  EXPECT_NEAR(limit, 3.42, 0.01) << "0.01 / 32 on each side";
  EXPECT_LT(ranks.largest(nothing), limit);
  EXPECT_GT(ranks.largest(line), limit);
  EXPECT_GT(ranks.largest(valley), limit);
  EXPECT_EQ(ranks.largest(constant), 0);
}

TEST(TellingColumns, AreThoseThatDependOnParameters) {
  const Hidden problem;
  EXPECT_EQ(telling_columns(problem.data), kTelling);
  const Dataset chosen = with_columns(problem.data, kTelling);
  EXPECT_EQ(chosen.x->cols(), 3);
  Matrix<float> all(1, kColumns), some(1, 3);
  const std::vector<Index> row{17};
  problem.data.x->read(all, row);
  chosen.x->read(some, row);
  EXPECT_EQ(some(0, 2), all(0, 41));
}

TEST(ColumnLikelihood, GivesThePosteriorOfTheColumnsThatTell) {
  const Hidden problem;
  const InferenceOptions options = test::small_options(1200);
  const auto posterior = estimate(column_likelihood_estimation(),
                                  {problem.data, {{0}}, 2, options, Rng(4), silent_observer()})
                             .posterior;
  EXPECT_EQ(posterior->estimator(), "column_likelihood");
  EXPECT_EQ(posterior->data_size(), kColumns);
  double sum = 0, mean = 0, square = 0;
  for (double theta = -0.9995; theta < 1; theta += 0.001) {
    const double density = std::exp(log_likelihood(theta));
    sum += density;
    mean += density * theta;
    square += density * theta * theta;
  }
  mean /= sum;
  const double deviation = std::sqrt(square / sum - mean * mean);
  const MarginalGrid grid = make_grid({*posterior, {0}, observed()}, 512);
  EXPECT_NEAR(grid_mean(grid), mean, 0.2 * deviation);
  EXPECT_NEAR(grid_deviation(grid), deviation, 0.15 * deviation);
  EXPECT_FALSE(dynamic_cast<const LikelihoodPosterior&>(*posterior)
                   .log_evidence(Matrix<float>(1, kColumns))
                   .has_value())
      << "no density of all columns";

  const auto arrays = posterior->to_arrays();
  const auto load = [](std::span<const NamedArray> from) {
    return column_likelihood_estimation().load(test::uniform_prior(1, -1, 1), Region::whole(1),
                                               from);
  };
  EXPECT_EQ(load(arrays)->estimator(), "column_likelihood");
  EXPECT_EQ(make_grid({*load(arrays), {0}, observed()}, 512).mass, grid.mass);
  for (const std::vector<double>& columns :
       {std::vector{7.0, 20.0}, {7.0, 20.0, 60.0}, {20.0, 7.0, 41.0}, {7.5, 20.0, 41.0}}) {
    auto wrong = arrays;
    for (NamedArray& array : wrong) {
      if (array.name == "columns") array = {"columns", {std::ssize(columns)}, columns};
    }
    EXPECT_THROW(load(wrong), Error);
  }
}

TEST(ColumnLikelihood, CountsBesideNetworksThatSeeAllColumns) {
  Hidden problem;
  InferenceOptions options = test::small_options(1200);
  options.estimators = Estimators::evidence;
  const auto all =
      test::infer(problem.simulations, observed(), {{0}}, options, Rng(4)).posterior.posterior;
  const auto& combined = dynamic_cast<const CombinedPosterior&>(*all);
  EXPECT_GT(combined.shares(0)[1], 0.3) << combined.describe_shares();
  EXPECT_NE(combined.describe_shares().find("column likelihood"), std::string::npos);
}

}  // namespace
}  // namespace hone
