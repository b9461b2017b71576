// What a new user does in the first hour, right and wrong.

#include <cmath>
#include <cstdlib>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "hone/files/files.h"
#include "hone/files/number_file.h"
#include "hone/problem/starter_simulator.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

class FirstHour : public testing::Test {
 protected:
  ProgramResult run(const Arguments& arguments, double timeout = 120) {
    return run_program(scratch.path(), arguments, timeout);
  }
  void write(const std::string& file, const std::string& text) {
    std::ofstream(scratch.path() / file) << text;
  }
  nlohmann::json json(const Arguments& arguments) {
    const ProgramResult result = run(arguments);
    return nlohmann::json::parse(result.out);
  }
  TemporaryDirectory scratch;
};

const Arguments kLittleTraining{"--max-epochs", "4", "--ensemble", "1", "--round-ensemble", "1"};

TEST_F(FirstHour, DataFarOutsideTheSimulationsAreRefusedUnlessToldOtherwise) {
  make_small_run(scratch.path(), "run");
  write("far.txt", "50\n50\n50\n");
  const Arguments sample{"sample", "run", "--marginal",    "theta_0",
                         "-n",     "10",  "--observation", "far.txt"};
  expect_refused(run(sample), 2, {"far.txt", "far outside", "--anyway"});
  const ProgramResult anyway = run(sample + Arguments{"--anyway"});
  EXPECT_EQ(anyway.code, 0) << anyway;
  EXPECT_NE(anyway.err.find("does not look like simulated data"), std::string::npos);
}

TEST_F(FirstHour, DataLikeTheObservationAreAnsweredWithoutAWord) {
  make_small_run(scratch.path(), "run");
  write("near.txt", "0.57\n0.03\n1.0\n");
  const ProgramResult result =
      run({"sample", "run", "--marginal", "theta_0", "-n", "10", "--observation", "near.txt"});
  EXPECT_EQ(result.code, 0) << result;
  EXPECT_EQ(result.err, "");
}

TEST_F(FirstHour, ASimulatorThatIgnoresItsParametersFails) {
  write("simulate.sh", "echo 1 2 3\n");
  write("problem.toml", R"(
[simulator]
run = ["sh", "{directory}/simulate.sh", "{a}"]
[observation]
values = [1, 2, 3]
[[parameters]]
name = "a"
prior = { kind = "uniform", low = 0, high = 1 }
[inference]
budget = 600
)");
  const ProgramResult made =
      run(Arguments{"run", "problem.toml", "-o", "run"} + kLittleTraining, 300);
  EXPECT_EQ(made.code, 0) << made;
  EXPECT_NE(made.out.find("verdict: fail"), std::string::npos) << made.out;
  EXPECT_NE(made.out.find("ignores its parameters"), std::string::npos) << made.out;
  const ProgramResult dry = run({"run", "problem.toml", "--dry-run"});
  EXPECT_NE(dry.out.find("all simulations have the same data"), std::string::npos) << dry.out;
}

TEST_F(FirstHour, TooFewTestDrawsAreAVerdictOfTheirOwn) {
  const ProgramResult made = run(small_run("run", {.budget = 120, .max_epochs = 3}));
  EXPECT_EQ(made.code, 0) << made;
  EXPECT_NE(made.out.find("verdict: unclear"), std::string::npos) << made.out;
  EXPECT_EQ(made.out.find("usable"), std::string::npos) << made.out;
}

TEST_F(FirstHour, AFinishedRunGoesOnWithALargerBudget) {
  make_small_run(scratch.path(), "run");
  const auto before = json({"show", "run", "--json"});
  const ProgramResult more = run({"resume", "run", "--budget", "3000"});
  EXPECT_EQ(more.code, 0) << more;
  const auto after = json({"show", "run", "--json"});
  EXPECT_EQ(after.at("simulations_total"), 3000);
  EXPECT_EQ(after.at("budget"), 3000);
  EXPECT_EQ(after.at("states").size(), 2u);
  EXPECT_EQ(after.at("states")[0].at("budget"), before.at("budget"));
  EXPECT_TRUE(fs::exists(scratch.path() / "run/extended-01/checks.json"));
  EXPECT_EQ(run({"resume", "run", "--budget", "3000"}).code, 0);  // again: nothing to do
  expect_refused(run({"resume", "run", "--budget", "2500"}), 2, {"budget = 2500", "3000"});
}

TEST_F(FirstHour, GoesOnUntilItPassesOrTheLimitIsReached) {
  expect_refused(run({"resume", "run", "--until", "pass"}), 2, {"--budget-limit"});
  make_small_run(scratch.path(), "run");
  const ProgramResult result = run({"resume", "run", "--until", "pass", "--budget-limit", "2500"});
  const bool passes = json({"show", "run", "--json"}).at("verdict") == "pass";
  EXPECT_EQ(result.code, passes ? 0 : 1) << result;
}

TEST_F(FirstHour, ACorrectionKeepsTheLargerSetOfDraws) {
  make_small_run(scratch.path(), "run");
  run({"check", "run", "--simulations", "700"});
  const auto corrected = json({"check", "run", "--correct", "--json"});
  EXPECT_EQ(corrected.at("draws_from"), "fresh");
  EXPECT_GT(corrected.at("draws").get<int>(), 600);
}

TEST_F(FirstHour, StartingSimulatorsRunAsTheyAre) {
  for (const std::string language : {"shell", "python"}) {
    const std::string file = language + "/problem.toml";
    fs::create_directory(scratch.path() / language);
    const ProgramResult made = run({"init", file, "--language", language});
    EXPECT_EQ(made.code, 0) << made;
    const ProgramResult dry = run({"run", file, "--dry-run"});
    EXPECT_EQ(dry.code, 0) << dry;
    EXPECT_NE(dry.out.find("10 values"), std::string::npos) << dry.out;
    EXPECT_NE(dry.out.find("a simulation takes"), std::string::npos) << dry.out;
    EXPECT_NE(dry.out.find("the whole run about"), std::string::npos) << dry.out;
  }
  // Seeds differ in a rehearsal as they do in a run.
  const std::string same = "another seed gives the same data";
  EXPECT_EQ(run({"run", "python/problem.toml", "--dry-run"}).out.find(same), std::string::npos);
  const std::string simulator = read_file(scratch.path() / "python/simulate.py");
  const std::string seeded = "\"seed\"]";
  const std::size_t at = simulator.find(seeded);
  ASSERT_NE(at, std::string::npos) << simulator;
  write("python/simulate.py", std::string(simulator).replace(at, seeded.size(), seeded + " * 0"));
  EXPECT_NE(run({"run", "python/problem.toml", "--dry-run"}).out.find(same), std::string::npos);
  expect_refused(run({"init", "other.toml", "--language", "pythn"}), 2, {"pythn", "python"});
}

TEST_F(FirstHour, StartingSimulatorsThatAreCompiledRunAsTheyAre) {
  for (const StarterSimulator& one : starter_simulators()) {
    if (one.build.empty()) continue;
    const std::string compiler = one.build.substr(0, one.build.find(' '));
    if (std::system(("command -v " + compiler + " >/dev/null").c_str()) != 0) {
      GTEST_SKIP() << compiler << " is not installed (scripts/setup does)";
    }
    const std::string file = one.language + "/problem.toml";
    const fs::path directory = scratch.path() / one.language;
    fs::create_directory(directory);
    const ProgramResult made = run({"init", file, "--language", one.language});
    EXPECT_EQ(made.code, 0) << made;
    EXPECT_NE(made.out.find(one.build), std::string::npos) << "says how it is built: " << made;
    // The command that `hone init` printed, and then the one for hone.
    ASSERT_EQ(std::system(("cd '" + directory.string() + "' && " + one.build).c_str()), 0);
    const ProgramResult dry = run({"run", file, "--dry-run"});
    EXPECT_EQ(dry.code, 0) << dry;
    EXPECT_NE(dry.out.find("10 values"), std::string::npos) << dry.out;
    EXPECT_EQ(dry.out.find("another seed gives the same data"), std::string::npos) << dry.out;
    // A straight line: without noise 1 + 2 i, with noise of 0.5 around it; the same seed, the same.
    const auto simulated = [&](int seed) {
      const std::string out = (directory / "out").string();
      const std::string call =
          fmt::format("'{}' 2 1 {} > '{}'", (directory / "simulate").string(), seed, out);
      EXPECT_EQ(std::system(call.c_str()), 0);
      return read_numbers(out);
    };
    double mean = 0;
    constexpr int kSeeds = 40;
    for (int seed = 1; seed <= kSeeds; ++seed) {
      const std::vector<double> x = simulated(seed);
      ASSERT_EQ(x.size(), 10U) << one.language;
      for (int i = 0; i < 10; ++i) mean += (x[std::size_t(i)] - (1 + 2 * i)) / (10 * kSeeds);
    }
    EXPECT_LT(std::abs(mean), 4 * 0.5 / std::sqrt(10 * kSeeds)) << one.language;
    EXPECT_EQ(simulated(5), simulated(5)) << one.language;
    EXPECT_NE(simulated(5), simulated(6)) << one.language;
  }
}

TEST_F(FirstHour, FailuresBeforeARunDoNotSpeakOfResume) {
  write("problem.toml", R"(
[simulator]
command = ["./no-such-program"]
[observation]
values = [1]
[[parameters]]
name = "a"
prior = { kind = "uniform", low = 0, high = 1 }
)");
  const ProgramResult dry = run({"run", "problem.toml", "--dry-run"});
  EXPECT_NE(dry.code, 0);
  EXPECT_EQ(dry.err.find("hone resume"), std::string::npos) << dry.err;
  const ProgramResult init = run({"init", "no/such/directory/problem.toml"});
  EXPECT_NE(init.code, 0);
  EXPECT_EQ(init.err.find("hone resume"), std::string::npos) << init.err;
}

TEST_F(FirstHour, FilesOfOneCommandAreReadByTheOthers) {
  make_small_run(scratch.path(), "run");
  write("truth.csv", "parameter,value\ntheta_0,0.57\ntheta_1,0.8\n");
  const ProgramResult corner = run({"corner", "run", "--truth", "truth.csv", "-o", "corner.png"});
  EXPECT_EQ(corner.code, 0) << corner;
  for (const std::string format : {"npz", "csv"}) {
    run({"sample", "run", "--marginal", "theta_0,theta_1", "--format", format, "-o",
         "draws." + format});
  }
  const ProgramResult compare = run({"compare", "draws.npz", "draws.csv", "--metric", "kl"});
  EXPECT_EQ(compare.code, 0) << compare;
  EXPECT_NE(compare.out.find("theta_1"), std::string::npos) << compare.out;
}

TEST_F(FirstHour, ListsOnTheCommandLineNeedNoBrackets) {
  const ProgramResult result =
      run({"run", "torus", "--dry-run", "--embedding", "mlp", "--embedding-hidden", "16,32"});
  EXPECT_EQ(result.code, 0) << result;
}

TEST_F(FirstHour, DataInAUnitBeyondSinglePrecisionAreRefused) {
  const auto problem = [](const std::string& value) {
    return "[simulator]\nby_hand = true\n[observation]\nvalues = [" + value +
           "]\n[[parameters]]\nname = \"a\"\nprior = { kind = \"uniform\", low = 0, high = 1 }\n";
  };
  for (const std::string value : {"3e-37", "1e-300"}) {
    write("problem.toml", problem(value));
    expect_refused(run({"run", "problem.toml", "--prepare", "-o", "run"}), 2,
                   {"observation", "another unit"});
  }
  write("problem.toml", problem("1e300"));
  expect_refused(run({"run", "problem.toml", "--prepare", "-o", "run"}), 2,
                 {"observation", "rescale the data"});
  write("problem.toml", problem("1e-29"));
  EXPECT_EQ(run({"run", "problem.toml", "--prepare", "-o", "run"}).code, 0);
}

}  // namespace
}  // namespace hone
