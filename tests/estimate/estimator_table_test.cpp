// All estimators are in one table, which files of runs, combinations and people go by.
#include "hone/estimate/estimator_table.h"

#include <set>

#include <gtest/gtest.h>

#include "hone/core/error.h"
#include "hone/estimate/joint_choice.h"
#include "hone/estimate/likelihood_estimator.h"
#include "hone/estimate/regression_likelihood.h"
#include "inference/support.h"

namespace hone {
namespace {

void around_the_mean(std::span<double> x, std::span<const double> theta, Rng noise) {
  for (double& value : x) value = theta[0] + theta[1] + 0.3 * noise.normal();
}

// All four kinds of likelihoods have an answer for all parameters that is written to a file under
// their own name (`hone sample RUN`), and read by it.
TEST(EstimatorTable, HasTheNameOfEveryLikelihoodOfAllParameters) {
  const DataDescription set({{.name = "x", .kind = DataKind::set, .shape = {4}}});
  const DataDescription series({{.name = "x", .kind = DataKind::series, .shape = {4}}});
  InferenceOptions options = test::small_options(400);
  options.training.max_epochs = 3;
  const Region whole = Region::whole(2);
  std::set<std::string> names;
  for (const auto& [kind, data] : {std::pair{&likelihood_estimation(), DataDescription()},
                                   std::pair{&element_likelihood_estimation(), set},
                                   std::pair{&transition_likelihood_estimation(), series},
                                   std::pair{&regression_estimation(), DataDescription()}}) {
    test::Laboratory laboratory(test::uniform_prior(2), 4, around_the_mean, {}, data);
    Simulations simulations = laboratory.simulations();
    simulations.simulate(whole, 1, 400, silent_observer());
    const Dataset rows = simulations.inside(whole, 0.1);
    const SharedPosterior trained =
        estimate(*kind, {rows, {{0}, {1}}, 1, options, Rng(4), silent_observer()}).posterior;
    const auto found = joint_likelihoods(*trained);
    ASSERT_EQ(found.size(), 1) << kind->name;
    const std::string name = found[0]->estimator();
    const SharedPosterior again =
        find_estimator(name).load(laboratory.prior(), whole, found[0]->to_arrays());
    EXPECT_EQ(again->estimator(), name);
    Matrix<float> points(3, 2);
    for (Index i = 0; i < 6; ++i) points.data()[i] = 0.15F * static_cast<float>(i + 1);
    const std::vector<double> x{0.9, 1.1, 1.0, 1.2};
    const Matrix<float> one = found[0]->log_densities(0, found[0]->features(x), points);
    const Matrix<float> other = again->log_densities(0, again->features(x), points);
    for (Index i = 0; i < 3; ++i) EXPECT_EQ(one(0, i), other(0, i)) << name;
    names.insert(name);
  }
  EXPECT_EQ(names, (std::set<std::string>{"likelihood", "element_likelihood",
                                          "transition_likelihood", "regression"}));
}

TEST(EstimatorTable, HasTheEstimatorOfEveryMethodAndEachNameOnce) {
  std::set<std::string> names;
  for (const EstimatorEntry& one : estimator_table()) {
    EXPECT_TRUE(names.insert(one.kind().name).second) << one.kind().name;
    EXPECT_EQ(&find_estimator(one.kind().name), &one.kind());
    EXPECT_FALSE(one.of_all.empty());
  }
  for (const Method& method : method_table()) {
    EXPECT_EQ(&find_estimator(method.estimator().name), &method.estimator()) << method.name;
  }
  EXPECT_THROW(find_estimator("nonsense"), UnknownVersion);
}

// Part of the file format.
TEST(EstimatorTable, KeepsTheNumbersOfParts) {
  EXPECT_EQ(reader_of_part(0)->name, "ratio");
  EXPECT_EQ(reader_of_part(1)->name, "likelihood");
  EXPECT_EQ(reader_of_part(2)->name, "regression");
  EXPECT_EQ(reader_of_part(3)->name, "gap_regression");
  for (const double wrong : {-1.0, 0.5, 4.0, std::nan("")}) {
    EXPECT_EQ(reader_of_part(wrong), nullptr) << wrong;
  }
  for (const char* pieces : {"element_likelihood", "transition_likelihood"}) {
    EXPECT_EQ(find_estimator_entry(pieces)->part, 1) << "which reads both";
  }
}

}  // namespace
}  // namespace hone
