// Derived quantities and whole numbers from the command line.

#include <sstream>

#include <nlohmann/json.hpp>

#include "cli/program.h"

namespace hone {
namespace {

nlohmann::json shown(const std::filesystem::path& directory) {
  const ProgramResult result = run_program(directory, {"show", "run", "--json"});
  EXPECT_EQ(result.code, 0) << result;
  return nlohmann::json::parse(result.out);
}

TEST(DerivedCommand, QuantitiesAreInTablesSamplesAndTheReport) {
  TemporaryDirectory scratch;
  const ProgramResult run = run_program(
      scratch.path(), small_run("run") + Arguments{"--derived", "product = theta_0 * theta_1"});
  EXPECT_EQ(run.code, 0) << run;
  EXPECT_TRUE(contains(run.out, "  product  ")) << run.out;
  EXPECT_EQ(shown(scratch.path()).at("parameters").size(), 4u);

  const ProgramResult samples =
      run_program(scratch.path(), {"sample", "run", "--marginal", "theta_0,product", "-n", "20"});
  EXPECT_EQ(samples.code, 0) << samples;
  EXPECT_TRUE(samples.out.starts_with("theta_0,product\n")) << samples.out;
  const std::string page = bytes_of(scratch.path() / "run/report.html");
  EXPECT_TRUE(contains(page, "theta_0 * theta_1"));
  const ProgramResult check = run_program(scratch.path(), {"check", "run", "--json"});
  EXPECT_TRUE(contains(check.out, "\"theta_2,product\"")) << check.err;
}

TEST(DerivedCommand, TrainAddsThemWithoutSimulations) {
  TemporaryDirectory scratch;
  make_small_run(scratch.path(), "run");
  const auto before = shown(scratch.path()).at("simulations_total");
  const ProgramResult train =
      run_program(scratch.path(), {"train", "run", "--derived", "theta_0 + theta_1"});
  EXPECT_EQ(train.code, 0) << train;
  EXPECT_TRUE(contains(train.out, "theta_0 + theta_1")) << train.out;
  EXPECT_TRUE(contains(train.out, "verdict")) << train.out;
  const auto after = shown(scratch.path());
  EXPECT_EQ(after.at("simulations_total"), before);
  EXPECT_EQ(after.at("parameters").at(3).at("name"), "theta_0 + theta_1");
  EXPECT_EQ(run_program(scratch.path(), {"report", "run"}).code, 0);
  EXPECT_EQ(run_program(scratch.path(), {"resume", "run"}).code, 0);
}

TEST(DerivedCommand, MistakesAreRefusedBeforeAnyWork) {
  TemporaryDirectory scratch;
  expect_refused(run_program(scratch.path(),
                             small_run("run") + Arguments{"--derived", "q = theta_0 * sqr(2)"}),
                 2,
                 {"derived[0].value = 'theta_0 * sqr(2)', character 11", "did you mean 'sqrt'?"});
  EXPECT_FALSE(std::filesystem::exists(scratch.path() / "run"));
  make_small_run(scratch.path(), "run");
  expect_refused(run_program(scratch.path(), {"train", "run"}), 2,
                 {"give --marginal or --derived"});
  expect_refused(run_program(scratch.path(), {"train", "run", "--derived", "q = log(theta_0 - 2)"}),
                 2, {"not finite"});
  EXPECT_FALSE(std::filesystem::exists(scratch.path() / "run/derived.json"));
  EXPECT_EQ(run_program(scratch.path(), {"show", "run"}).code, 0);
}

TEST(WholeNumberCommand, AProblemWithACategoryHasProbabilitiesAndWholeSamples) {
  TemporaryDirectory scratch;
  put_bytes(scratch.path() / "simulate.py", R"(import json, random, sys
for line in sys.stdin:
    job = json.loads(line)
    rng = random.Random(job["seed"])
    kind, level = job["theta"]
    print(json.dumps({"id": job["id"], "x": [3 * kind + level + rng.gauss(0, 0.5)]}), flush=True)
)");
  put_bytes(scratch.path() / "problem.toml", R"([simulator]
command = ["/usr/bin/python3", "simulate.py"]
[observation]
values = [3.4]
[[parameters]]
name = "kind"
prior = { kind = "categorical", probabilities = [0.5, 0.3, 0.2], names = ["star", "galaxy", "quasar"] }
[[parameters]]
name = "level"
prior = { kind = "uniform", low = 0, high = 1 }
[inference]
budget = 800
max_epochs = 20
)");
  const ProgramResult run = run_program(scratch.path(), {"run", "problem.toml", "-o", "run"});
  EXPECT_EQ(run.code, 0) << run;
  EXPECT_TRUE(contains(run.out, "kind is galaxy (0.9")) << run.out;
  const ProgramResult samples =
      run_program(scratch.path(), {"sample", "run", "--marginal", "kind", "-n", "50"});
  std::istringstream lines(samples.out);
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) EXPECT_TRUE(line == "0" || line == "1" || line == "2") << line;
  const auto values = shown(scratch.path()).at("parameters").at(0).at("probabilities");
  EXPECT_EQ(values.back().at("name").is_string(), true);
}

}  // namespace
}  // namespace hone
