// Fresh noise and data sets as first rounds, from problem file to posterior.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/problem_text.h"
#include "cli/program.h"
#include "hone/core/rng.h"

namespace hone {
namespace {

using Json = nlohmann::json;

std::string problem(const std::string& simulator, const std::string& noise) {
  return to_toml({.simulator = simulator,
                  .sections = noise,
                  .inference = std::string("budget = 400\nmax_epochs = 3\nmarginals = '1d'\n") +
                               kQuickNetworks});
}

class Noise : public testing::Test {
 protected:
  ProgramResult hone(const Arguments& arguments) { return run_program(scratch_.path(), arguments); }
  void write(const std::string& text) { put_bytes(scratch_.path() / "problem.toml", text); }
  std::string bytes(const std::string& run, const std::string& file) {
    return bytes_of(scratch_.path() / run / file);
  }
  // Draws from the prior with x = theta, or x without a meaning.
  void write_dataset(int rows, double low = 0) {
    std::string table = "a,b,x0,x1\n";
    for (int i = 0; i < rows; ++i) {
      Rng rng = Rng(4).child("row", static_cast<std::uint64_t>(i));
      const double a = low + (1 - low) * rng.uniform(), b = rng.uniform();
      table += fmt::format("{0:.17g},{1:.17g},{0:.17g},{1:.17g}\n", a, b);
    }
    put_bytes(scratch_.path() / "sims.csv", table);
  }

  TemporaryDirectory scratch_;
};

const std::string kGaussian = "[noise]\nkind = \"gaussian\"\nsigma = [0.1, 0.2]\n";

TEST_F(Noise, IsRehearsedDrawnShownAndUsedForMarginalsTrainedLater) {
  write(problem(kEchoWorker, kGaussian));
  const ProgramResult dry = hone({"run", "problem.toml", "--dry-run"});
  ASSERT_EQ(dry.code, 0) << dry;
  for (const char* part : {"noise, fresh in every epoch: gaussian, sigma 0.1 .. 0.2",
                           "one simulation: 2 values", "with noise: 2 values"}) {
    EXPECT_NE(dry.out.find(part), std::string::npos) << part << "\n" << dry;
  }
  ASSERT_EQ(hone({"run", "problem.toml", "-o", "one", "--threads", "1"}).code, 0);
  ASSERT_EQ(hone({"run", "problem.toml", "-o", "four", "--threads", "4"}).code, 0);
  EXPECT_EQ(bytes("one", "networks/main.h5"), bytes("four", "networks/main.h5"));
  EXPECT_NE(hone({"show", "one"}).out.find("sigma 0.1 .. 0.2"), std::string::npos);
  const Json facts = Json::parse(hone({"show", "one", "--json"}).out);
  EXPECT_EQ(facts.at("noise").at("kind"), "gaussian");
  EXPECT_EQ(hone({"train", "one", "--marginal", "a,b"}).code, 0);

  write(problem(kEchoWorker, ""));
  ASSERT_EQ(hone({"run", "problem.toml", "-o", "none"}).code, 0);
  EXPECT_NE(bytes("one", "networks/main.h5"), bytes("none", "networks/main.h5"));
}

TEST_F(Noise, IsAddedToADataSet) {
  write_dataset(300);
  write(problem("dataset = \"sims.csv\"", kGaussian));
  const ProgramResult result = hone({"run", "problem.toml", "-o", "run", "--budget", "300"});
  EXPECT_EQ(result.code, 2) << "the file's own budget is 400\n" << result;
  std::string text = problem("dataset = \"sims.csv\"", kGaussian);
  text.replace(text.find("budget = 400"), 12, "budget = 300");
  write(text);
  const ProgramResult good = hone({"run", "problem.toml", "-o", "run"});
  EXPECT_EQ(good.code, 0) << good;
}

TEST_F(Noise, WithAMistakeIsRefusedByLine) {
  write(problem(kEchoWorker, "[noise]\nkind = \"gaussian\"\nsigma = -1"));
  expect_refused(hone({"run", "problem.toml"}), 2,
                 {"problem.toml, line 5", "noise.sigma", "-1", "0 or greater"});
  EXPECT_FALSE(std::filesystem::exists(scratch_.path() / "runs"));
}

TEST_F(Noise, FirstRoundComesFromADataSetAndTheRestFromTheSimulator) {
  write_dataset(150);
  write(problem("dataset = \"sims.csv\"\n" + std::string(kEchoWorker), ""));
  const ProgramResult dry = hone({"run", "problem.toml", "--dry-run"});
  EXPECT_NE(dry.out.find("begin with the 150 simulations of the data set"), std::string::npos)
      << dry;
  const ProgramResult result = hone({"run", "problem.toml", "-o", "run"});
  ASSERT_EQ(result.code, 0) << result;
  const Json facts = Json::parse(hone({"show", "run", "--json"}).out);
  EXPECT_EQ(facts.at("simulations_total"), 400);
  EXPECT_EQ(facts.at("rounds").at(0).at("kept"), 150);
  expect_refused(hone({"run", "problem.toml", "-o", "no", "--budget", "120"}), 2,
                 {"budget = 120", "150 simulations of the data set"});
  EXPECT_FALSE(std::filesystem::exists(scratch_.path() / "no"));
  write_dataset(150, 0.5);
  expect_refused(hone({"run", "problem.toml", "-o", "no"}), 2,
                 {"problem.toml, line 2", "'a' were not drawn from its prior"});
  EXPECT_FALSE(std::filesystem::exists(scratch_.path() / "no"));
}

}  // namespace
}  // namespace hone
