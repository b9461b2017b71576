#include "hone/check/checks.h"

#include <cmath>
#include <fstream>
#include <limits>

#include <gtest/gtest.h>

#include "files/test_files.h"
#include "hone/core/error.h"
#include "hone/inference/option_table.h"

namespace hone {
namespace {

Checks example() {
  Checks checks;
  checks.verdict = Status::caution;
  checks.summary = "look at b";
  checks.draws = 1234;
  checks.checks = {{"coverage", Status::pass, "fine", "", {{"z", 0.1}, {"a", 1.0 / 3}}},
                   {"sbc", Status::caution, "not so fine", "simulate more", {}}};
  checks.coverage.push_back({.marginal = "a,b",
                             .dimensions = 2,
                             .draws = 1234,
                             .nominal = {0.5},
                             .empirical = {0.4},
                             .low = {0.3},
                             .high = {0.6},
                             .levels = {{.nominal = 0.6827, .empirical = 0.7}},
                             .status = Status::fail});
  checks.edges.push_back({"a", std::numeric_limits<double>::quiet_NaN(), 0.25});
  checks.misspecification.worst_columns.push_back({.column = 17, .score = -8});
  return checks;
}

RunDirectory empty_run(const TemporaryDirectory& scratch) {
  const auto uniform = make_distribution({"uniform", {{"low", 0}, {"high", 1}}, {}});
  return RunDirectory::create(scratch.path() / "run", {.name = "test",
                                                       .simulator = {},
                                                       .prior = Prior({{"a", "", uniform}}),
                                                       .observation = {0.3},
                                                       .marginals = {{0}},
                                                       .options = preset("default")});
}

TEST(Checks, ComeBackFromDiskAsTheyWere) {
  const TemporaryDirectory scratch;
  const RunDirectory run = empty_run(scratch);
  EXPECT_FALSE(read_checks(run).has_value());
  const Checks written = example();
  write_checks(run, written);
  const Checks read = read_checks(run).value();
  EXPECT_EQ(to_json(read), to_json(written));
  EXPECT_EQ(read.verdict, Status::caution);
  EXPECT_EQ(read.checks[0].numbers[0].first, "z");  // the order stays
  EXPECT_EQ(read.checks[0].numbers[1].second, 1.0 / 3);
  EXPECT_EQ(read.coverage[0].status, Status::fail);
  EXPECT_TRUE(std::isnan(read.edges[0].low));
  EXPECT_EQ(read.misspecification.worst_columns[0].column, 17);
}

TEST(Checks, ADamagedFileIsAnErrorThatNamesIt) {
  for (const char* text :
       {"", "{}", "[1]", "{\"format\": 99}", "{\"format\": 1, \"verdict\": 3}"}) {
    const TemporaryDirectory scratch;
    const RunDirectory run = empty_run(scratch);
    std::ofstream(run.checks_file().path()) << text;
    try {
      read_checks(run);
      FAIL() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::io) << text;
      EXPECT_NE(std::string(error.what()).find("checks.json"), std::string::npos) << text;
    }
  }
}

TEST(Checks, TheWorseStatusCounts) {
  EXPECT_EQ(worse(Status::pass, Status::caution), Status::caution);
  EXPECT_EQ(worse(Status::fail, Status::caution), Status::fail);
  EXPECT_EQ(worse(Status::pass, Status::pass), Status::pass);
}

}  // namespace
}  // namespace hone
