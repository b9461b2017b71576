#include <cmath>
#include <cstdlib>
#include <regex>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "hone/core/npy.h"
#include "hone/inference/option_table.h"
#include "hone/prior/distribution_spec.h"
#include "problem/problem_files.h"

namespace hone {
namespace {

using ProblemFile = ProblemFiles;

TEST_F(ProblemFile, SaysEverythingAboutAnInference) {
  const Problem problem = read(good_problem() + R"(preset = "paper"
hidden = 32
max_failed_fraction = 0.25
marginals = ["1d", ["mass", "age"]]
seed = 9
)");
  EXPECT_EQ(problem.name, "galaxy");
  EXPECT_EQ(problem.prior.names(), (std::vector<std::string>{"mass", "age"}));
  EXPECT_EQ(problem.prior.parameter(0).label, "M");
  EXPECT_EQ(problem.prior[1].kind(), "normal");
  EXPECT_EQ(problem.observation, (std::vector<double>{1, 2.5, 3}));
  EXPECT_EQ(problem.simulator.kind, SimulatorKind::by_hand);
  EXPECT_EQ(problem.options.budget, 5000);
  EXPECT_EQ(problem.options.training.batch_size, preset("paper").training.batch_size);
  EXPECT_EQ(problem.options.network.hidden, 32);
  EXPECT_EQ(problem.options.max_failed_fraction, 0.25);
  EXPECT_EQ(problem.marginals, (std::vector<Marginal>{{0}, {1}, {0, 1}}));
  EXPECT_EQ(problem.seed, 9u);
}

TEST_F(ProblemFile, TakesEveryOptionOfTheTableByItsName) {
  std::string text = good_problem();
  const InferenceOptions paper = preset("paper");
  for (const OptionEntry& entry : option_table()) {
    if (entry.name == "budget") continue;
    text += entry.name + " = " + entry.get(paper).dump() + "\n";
  }
  const Problem problem = read(text);
  for (const OptionEntry& entry : option_table()) {
    if (entry.name == "budget") continue;
    EXPECT_EQ(entry.get(problem.options), entry.get(paper)) << entry.name;
  }
}

TEST_F(ProblemFile, APresetIsThatOfItsMethod) {
  const auto density = [&](const std::string& method) {
    const Problem problem =
        read(fmt::format("{}preset = \"published\"\nmethod = \"{}\"\n", good_problem(), method));
    EXPECT_EQ(problem.options.method, method);
    return problem.options.density.form;
  };
  EXPECT_TRUE(density("snle") == DensityForm::mixture);
  EXPECT_TRUE(density("snpe") == DensityForm::spline);
}

TEST_F(ProblemFile, HasDefaultsForAllThatCanBeLeftOut) {
  const std::string text = good_problem();
  const Problem problem =
      read(text.substr(text.find('\n'), text.find("[inference]") - text.find('\n')));
  EXPECT_EQ(problem.name, "problem");
  EXPECT_EQ(problem.options.budget, preset("default").budget);
  EXPECT_EQ(problem.marginals, (std::vector<Marginal>{{0}, {1}, {0, 1}}));
  EXPECT_FALSE(problem.seed);
}

TEST_F(ProblemFile, ReadsAWholeNumberWrittenWithAnExponent) {
  EXPECT_EQ(read(replaced(good_problem(), "5000", "2e4")).options.budget, 20000);
}

TEST_F(ProblemFile, FindsTheObservationBesideTheFile) {
  put("data.csv", "a,b\n1,2\n");
  const std::string by_file = R"(file = "data.csv")";
  EXPECT_EQ(read(replaced(good_problem(), "values = [1, 2.5, 3]", by_file)).observation,
            (std::vector<double>{1, 2}));
  Matrix<double> values(1, 3);
  values(0, 2) = 4;
  put("data.csv", npy_bytes(values));  // known by its first bytes
  EXPECT_EQ(read(replaced(good_problem(), "values = [1, 2.5, 3]", by_file)).observation,
            (std::vector<double>{0, 0, 4}));
}

TEST_F(ProblemFile, DescribesAWorker) {
  put_program("simulate");
  std::filesystem::create_directory(directory_.path() / "work");
  put_program("work/simulate");
  const SimulatorSpec spec = read(replaced(good_problem(), "by_hand = true", R"(
command = ["./simulate", "--fast"]
workers = 3
timeout = 2.5
retries = 2
directory = "work"
max_failed_fraction = 0.1)"))
                                 .simulator;
  EXPECT_EQ(spec.kind, SimulatorKind::command);
  EXPECT_EQ(spec.arguments, (std::vector<std::string>{"./simulate", "--fast"}));
  EXPECT_EQ(spec.workers, 3);
  EXPECT_EQ(spec.timeout, 2.5);
  EXPECT_EQ(spec.retries, 2);
  EXPECT_EQ(std::filesystem::path(spec.directory), directory_.path() / "work");
}

TEST_F(ProblemFile, DescribesAOneShotProgramAndALibrary) {
  put_program("simulate");
  const SimulatorSpec run = read(replaced(good_problem(), "by_hand = true", R"(
run = ["./simulate", "{mass}", "{theta}", "{{plain}}", "{seed}", "{parameters}", "{result}"]
result = "out.npy")"))
                                .simulator;
  EXPECT_EQ(run.kind, SimulatorKind::run);
  EXPECT_EQ(run.result, "out.npy");
  put("libsim.so", "");
  const SimulatorSpec library =
      read(replaced(good_problem(), "by_hand = true", R"(library = "libsim.so")")).simulator;
  EXPECT_EQ(library.kind, SimulatorKind::library);
  EXPECT_EQ(library.library, "libsim.so");
}

TEST_F(ProblemFile, TakesParametersAndDataFromABuiltInTask) {
  const Problem problem = read("[simulator]\ntask = \"ring\"\n");
  EXPECT_EQ(problem.prior.names(), std::vector<std::string>{"r"});
  EXPECT_EQ(problem.observation, (std::vector<double>{0.5, 0.5}));
  EXPECT_EQ(problem.options.budget, 777);
  const Problem other = read(
      "[simulator]\ntask = \"ring\"\n[observation]\nvalues = [1, 1]\n[inference]\nbudget = 99\n");
  EXPECT_EQ(other.observation, (std::vector<double>{1, 1}));
  EXPECT_EQ(other.options.budget, 99);
}

TEST_F(ProblemFile, UsesAllOfADataSetInOneRound) {
  std::string table = "mass,age,a,b,c\n";
  for (int i = 0; i < 60; ++i) table += fmt::format("{},5,1,2,{}\n", i % 10, i);
  put("sims.csv", table);
  std::string text = replaced(good_problem(), "by_hand = true", R"(dataset = "sims.csv")");
  text = replaced(text, "budget = 5000", "");
  const Problem problem = read(text);
  EXPECT_EQ(problem.options.budget, 60);
  EXPECT_EQ(problem.options.method, "mnre");
  EXPECT_EQ(read_dataset(dataset_source(problem.simulator), problem.prior.names()).rows(), 60);
}

TEST_F(ProblemFile, OfHoneInitIsValidAsItStands) {
  put_program("python3");  // whatever is installed here
  const std::string path = std::getenv("PATH") == nullptr ? "" : std::getenv("PATH");
  ::setenv("PATH", (directory_.path().string() + ":" + path).c_str(), 1);
  const Problem problem = read(starter_problem_file());
  ::setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(problem.prior.names(), (std::vector<std::string>{"mass", "age"}));
  EXPECT_EQ(problem.options.budget, 10000);
  EXPECT_EQ(problem.simulator.kind, SimulatorKind::command);
}

TEST(StarterProblem, NamesEveryKindOfPriorEveryPresetAndEverySection) {
  const std::string text = starter_problem_file();
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 105U) << line;
  for (const DistributionKind& kind : distribution_kinds()) {
    const std::string name(kind.name);
    EXPECT_TRUE(std::regex_search(text, std::regex("[ #]" + name + "[,.]"))) << name;
  }
  for (const std::string& preset : preset_names()) {
    EXPECT_NE(text.find('"' + preset + '"'), std::string::npos) << preset;
  }
  for (const char* section :
       {"simulator", "noise", "observation", "[data]", "[parameters]", "[derived]", "inference"}) {
    EXPECT_NE(text.find(fmt::format("[{}]\n", section)), std::string::npos) << section;
  }
}

TEST_F(ProblemFile, DescribesItsData) {
  EXPECT_FALSE(read(good_problem()).data.declared());
  const Problem problem = read(replaced(good_problem(), "[[parameters]]", R"([[data]]
name = "spectrum"
kind = "series"
shape = [2]
label = "flux"
unit = "Jy"
[[data]]
name = "total"
kind = "vector"
shape = [1]
[[parameters]])"));
  ASSERT_EQ(problem.data.blocks().size(), 2u);
  EXPECT_EQ(problem.data.blocks()[0].unit, "Jy");
  EXPECT_EQ(problem.data.name_of(1), "spectrum[1]");
  EXPECT_EQ(problem.data.name_of(2), "total");
}

TEST_F(ProblemFile, MayHaveAnObservationWithGapsWhereItSaysSo) {
  const std::string block = R"([[data]]
name = "flux"
kind = "vector"
shape = [3]
missing = true
[[parameters]])";
  const std::string gap = replaced(good_problem(), "[1, 2.5, 3]", "[1, nan, 3]");
  EXPECT_TRUE(contains(refusal(gap), "observation.values[1] = nan: must be a finite number"));
  const std::string declared = replaced(gap, "[[parameters]]", block);
  const Problem problem = read(declared);
  EXPECT_TRUE(std::isnan(problem.observation[1]));
  EXPECT_EQ(problem.data.blocks()[0].missing, Missing::simulated);
  EXPECT_EQ(
      read(replaced(declared, "missing = true", "missing = \"random\"")).data.blocks()[0].missing,
      Missing::random);
  EXPECT_TRUE(contains(refusal(replaced(declared, "missing = true", "missing = \"no\"")),
                       "data 'flux': missing must be true, false or \"random\""));
  EXPECT_TRUE(contains(refusal(replaced(declared, "nan", "inf")), "must be a finite number"));
  const std::string other =
      replaced(replaced(declared, "shape = [3]", "shape = [1]"), "[[parameters]]", R"([[data]]
name = "rest"
kind = "vector"
shape = [2]
[[parameters]])");
  EXPECT_TRUE(contains(refusal(other), "observation: rest[0] is NaN"));
  put("gaps.txt", "1 nan 3");
  EXPECT_TRUE(std::isnan(
      read(replaced(declared, "values = [1, nan, 3]", "file = \"gaps.txt\"")).observation[1]));
}

TEST(SimulatorSpec, SurvivesTheWayThroughJson) {
  for (const SimulatorKind kind :
       {SimulatorKind::command, SimulatorKind::run, SimulatorKind::library, SimulatorKind::dataset,
        SimulatorKind::task, SimulatorKind::by_hand, SimulatorKind::function}) {
    SimulatorSpec spec;
    spec.kind = kind;
    const bool program = kind == SimulatorKind::command || kind == SimulatorKind::run;
    if (program) spec.arguments = {"./sim", "{theta}"}, spec.workers = 3, spec.timeout = 1.5;
    if (kind == SimulatorKind::run) spec.result = "out.npy";
    if (kind == SimulatorKind::library) spec.library = "libsim.so";
    if (kind == SimulatorKind::dataset) spec.dataset = {"theta.csv", "x.csv"}, spec.x = "data";
    if (kind == SimulatorKind::task) spec.task = "torus";
    if (kind == SimulatorKind::function) spec.function = "model.simulate";
    if (program || kind == SimulatorKind::library || kind == SimulatorKind::dataset) {
      spec.directory = "/work";
    }
    const auto json = nlohmann::json::parse(to_json(spec).dump());
    EXPECT_EQ(simulator_spec_from_json(json), spec) << json;
  }
}

}  // namespace
}  // namespace hone
