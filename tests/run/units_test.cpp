// Data in single precision: the unit of a column means nothing, until its numbers are lost.
#include <cmath>

#include <gtest/gtest.h>

#include "hone/run/execute_run.h"
#include "hone/store/small_columns.h"
#include "inference/support.h"

namespace hone {
namespace {

using test::small_options, test::uniform_prior;

// x = (a, b) + noise, the second in a unit of its own.
class Units : public testing::Test {
 protected:
  RunDirectory create(const std::string& name, double unit) {
    InferenceOptions options = small_options(400);
    options.training.max_epochs = 10;
    return RunDirectory::create(directory_.path() / name, {.name = "test",
                                                           .simulator = {},
                                                           .seed = 7,
                                                           .prior = uniform_prior(2, -1, 1),
                                                           .observation = {0.1, 0.2 * unit},
                                                           .marginals = {{0}, {1}},
                                                           .options = options});
  }
  static Summary execute(RunDirectory& run, double unit) {
    const auto simulator =
        make_simulator(2, [=](std::span<double> x, std::span<const double> theta, Rng noise) {
          x[0] = theta[0] + 0.1 * noise.normal();
          x[1] = unit * (theta[1] + 0.1 * noise.normal());
        });
    const auto executor = make_thread_executor(*simulator);
    return execute_run(run, {*executor});
  }
  std::vector<double> means(const std::string& name, double unit) {
    RunDirectory run = create(name, unit);
    std::vector<double> result;
    for (const ParameterSummary& one : execute(run, unit).parameters) result.push_back(one.mean);
    return result;
  }

  TemporaryDirectory directory_;
};

TEST_F(Units, MeanNothing) {
  const std::vector<double> plain = means("plain", 1);
  // Powers of two near 1e-29, 1e25 and 1e36, so that no digit changes.
  for (const int exponent : {-96, 83, 119}) {
    const auto found = means(fmt::format("run{}", exponent), std::ldexp(1, exponent));
    for (std::size_t d = 0; d < 2; ++d) EXPECT_NEAR(found[d], plain[d], 1e-3) << exponent;
  }
  EXPECT_GT(std::abs(plain[0] - plain[1]), 1e-2) << "the control";
}

TEST_F(Units, AreRefusedByTheNameOfTheColumnWhereItsNumbersAreLost) {
  for (const double unit : {1e-50, 1e-44, 1e-39}) {
    RunDirectory run = create(fmt::format("run{}", unit), unit);
    for (int turn = 0; turn < 2; ++turn) {  // and again when it is resumed
      const auto text = error_text([&] { execute(run, unit); }, ErrorKind::input);
      EXPECT_TRUE(text.starts_with("x[1]: none of its values in ")) << text;
      EXPECT_TRUE(contains(text, "another unit")) << text;
    }
  }
}

TEST(SmallColumns, MayHaveSmallValuesAndZerosBesideLargerOnes) {
  SmallColumns columns(3);
  columns.look_at(std::vector{1e-50, 0.0, 1.0});
  EXPECT_FALSE(columns.settled());
  EXPECT_TRUE(columns.complaint({}).starts_with("x[0]: ")) << columns.complaint({});
  const DataDescription named({{.name = "a", .shape = {1}}, {.name = "b", .shape = {2}}});
  EXPECT_TRUE(columns.complaint(named).starts_with("a: ")) << columns.complaint(named);
  columns.look_at(std::vector{-1e-3, 0.0, 1.0});
  EXPECT_EQ(columns.complaint({}), "");
  columns.look_at(std::vector{1e-50, 2.0, 1.0});
  EXPECT_TRUE(columns.settled());
}

TEST(SmallColumns, AreToldFromZerosInAStore) {
  EXPECT_EQ(kept_value(0), 0);
  EXPECT_GT(kept_value(1e-300), 0);
  EXPECT_LT(kept_value(-1e-300), 0);
  EXPECT_EQ(kept_value(0.1), 0.1F);
}

}  // namespace
}  // namespace hone
