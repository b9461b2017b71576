// Every mistake: an Error{input} with file, line, key, value and what is allowed.
#include <gtest/gtest.h>

#include "problem/problem_files.h"

namespace hone {
namespace {

using ProblemFileErrors = ProblemFiles;

TEST_F(ProblemFileErrors, NameTheNearestKeyInEverySection) {
  const std::string good = good_problem();
  expect_refused(replaced(good, "[observation]", "[observations]"), 4,
                 {"unknown key 'observations'; did you mean 'observation'?"});
  expect_refused(replaced(good, "by_hand = true", "by_hand = true\nworker = 2"), 4,
                 {"simulator: unknown key 'worker'"});
  expect_refused(replaced(good, "values =", "valeus ="), 5,
                 {"unknown key 'valeus'; did you mean 'values'?"});
  expect_refused(replaced(good, "label =", "lable ="), 8,
                 {"unknown key 'lable'; did you mean 'label'?"});
  expect_refused(replaced(good, "budget =", "budgte ="), 14,
                 {"unknown key 'budgte'; did you mean 'budget'?"});
  expect_refused(replaced(good, "low =", "lows ="), 9, {"no field 'lows'; did you mean 'low'?"});
  expect_refused(replaced(good, "\"uniform\"", "\"unifrom\""), 9,
                 {"kind = 'unifrom': unknown; did you mean 'uniform'?"});
}

TEST_F(ProblemFileErrors, NameTheBlockOfTheData) {
  const std::string block = "[[data]]\nname = \"map\"\nkind = \"image\"\nshape = [1, 3]\n";
  const std::string good = replaced(good_problem(), "[[parameters]]", block + "[[parameters]]");
  EXPECT_TRUE(read(good).data.declared());
  expect_refused(replaced(good, "[1, 3]", "[2, 3]"), 6,
                 {"data: the blocks have 6 values ('map' 6), the observation has 3"});
  expect_refused(replaced(good, "[1, 3]", "[3]"), 6, {"data 'map': the shape [3] does not fit"});
  expect_refused(replaced(good, "\"image\"", "\"imgae\""), 6,
                 {"data 'map': there is no kind 'imgae'; did you mean 'image'?"});
  expect_refused(replaced(good, "shape =", "shapes ="), 9, {"did you mean 'shape'?"});
  expect_refused(replaced(good, "shape = [1, 3]\n", ""), 6, {"data 'map': shape must be a list"});
  expect_refused(replaced(good, "[[parameters]]", block + "[[parameters]]"), 6,
                 {"there are two blocks 'map'"});
  refusal(replaced(good_problem(), "[simulator]", "data = 3\n[simulator]"));
}

TEST_F(ProblemFileErrors, ShowTheValueOfAWrongType) {
  const std::string good = good_problem();
  expect_refused(replaced(good, "\"galaxy\"", "7"), 1, {"name = 7: must be text"});
  expect_refused(replaced(good, "by_hand = true", "by_hand = 1"), 3,
                 {"simulator.by_hand = 1: must be true or false"});
  expect_refused(replaced(good, "2.5,", "\"2.5\","), 5,
                 {"observation.values[1] = \"2.5\": must be a finite number"});
  expect_refused(replaced(good, "2.5,", "nan,"), 5, {"observation.values[1] = nan"});
  expect_refused(replaced(good, "low = 0", "low = \"0\""), 9,
                 {"parameters[0].prior.low = \"0\": must be a number"});
  expect_refused(replaced(good, "5000", "\"many\""), 14,
                 {"inference.budget = \"many\": must be a whole number"});
  expect_refused(replaced(good, "5000", "5000.5"), 14, {"must be a whole number"});
  expect_refused(replaced(good, "5000", "1979-05-27"), 14, {"a date or time"});
  expect_refused(good + "marginals = 3\n", 15, {"inference.marginals = 3: must be \"1d\""});
  expect_refused(replaced(good, "[[parameters]]\nname = \"mass\"", "[parameters]\nname = \"mass\"")
                     .substr(0, good.find("[[parameters]]\nname = \"age\"") - 2),
                 6, {"must be a list of tables, each written [[parameters]]"});
}

TEST_F(ProblemFileErrors, StateTheLimitOfAnImproperRange) {
  const std::string good = good_problem();
  expect_refused(replaced(good, "high = 10", "high = -1"), 9,
                 {"parameters[0].prior.high = -1: must be greater than low = 0"});
  expect_refused(replaced(good, "sigma = 1.5", "sigma = 0"), 12,
                 {"parameters[1].prior.sigma = 0: must be greater than 0"});
  expect_refused(replaced(good, "budget = 5000", "budget = 5"), 14,
                 {"inference.budget = 5: must lie in 50 .. 1000000000"});
  expect_refused(good + "\nbatch_size = 1\n", 16, {"batch_size = 1"});
  expect_refused(good + "epsilon = 2\n", 15, {"inference.epsilon = 2: must lie in (0, 1)"});
  expect_refused(good + "optimizer = \"sgd\"\n", 15, {"must be one of adam, adamw"});
  expect_refused(good + "preset = \"fast\"\n", 15,
                 {"preset = 'fast': must be one of default, paper"});
  expect_refused(good + "seed = -1\n", 15, {"inference.seed = -1: must be 0 or greater"});
  expect_refused(replaced(good, "true", "true\nmax_failed_fraction = 1.5"), 4,
                 {"simulator.max_failed_fraction = 1.5: must lie in [0, 1]"});
  expect_refused(
      replaced(good, "true", "true\nmax_failed_fraction = 0.5") + "max_failed_fraction = 0.1\n", 16,
      {"is given in [simulator] too"});
}

TEST_F(ProblemFileErrors, ComplainAboutNamesGivenTwiceOrUnusable) {
  const std::string good = good_problem();
  expect_refused(replaced(good, "\"age\"", "\"mass\""), 11,
                 {"parameters[1].name = 'mass': already the name of parameters[0]"});
  expect_refused(replaced(good, "\"age\"", "\"a,b\""), 11, {"must not contain commas"});
  expect_refused(replaced(good, "\"galaxy\"", "\"../galaxy\""), 1, {"no slash"});
  expect_refused(good + "marginals = [[\"mass\", \"ages\"]]\n", 15,
                 {"no parameter is called 'ages'; did you mean 'age'?"});
  EXPECT_TRUE(contains(refusal(good + "budget = 6000\n"), "problem.toml, line 15, column"));
}

TEST_F(ProblemFileErrors, SayWhichSectionIsMissing) {
  EXPECT_TRUE(contains(refusal(""), "the section [simulator] is missing"));
  const std::string good = good_problem();
  EXPECT_TRUE(contains(refusal(replaced(good, "[observation]\nvalues = [1, 2.5, 3]\n", "")),
                       "the section [observation] is missing"));
  EXPECT_TRUE(contains(refusal("[simulator]\nby_hand = true\n[observation]\nvalues = [1]\n"),
                       "there are no parameters"));
  expect_refused(replaced(good, "prior = { kind = \"uniform\", low = 0, high = 10 }", ""), 6,
                 {"parameters[0].prior: missing"});
  expect_refused(replaced(good, ", high = 10", ""), 9, {"parameters[0].prior.high: missing"});
}

TEST_F(ProblemFileErrors, CheckTheSimulatorBeforeAnyWork) {
  const auto with = [](const std::string& simulator) {
    return replaced(good_problem(), "by_hand = true", simulator);
  };
  expect_refused(with(""), 2, {"give one of command, run, library, dataset, task, by_hand"});
  expect_refused(with("comand = [\"sh\"]"), 3, {"did you mean 'command'?"});
  expect_refused(with("task = \"ring\"\nby_hand = true"), 4, {"keep one of them"});
  expect_refused(with("command = \"sh\""), 3, {"must be a list of texts"});
  expect_refused(with("command = []"), 3, {"must name a program"});
  expect_refused(with("command = [\"no-such-program\"]"), 3, {"on the PATH"});
  expect_refused(with("command = [\"./absent\"]"), 3, {"not an executable file"});
  expect_refused(with("command = [\"sh\"]\nworkers = -1"), 4, {"must lie in 0 .. 4096"});
  expect_refused(with("command = [\"sh\"]\ntimeout = 0"), 4, {"positive number of seconds"});
  expect_refused(with("command = [\"sh\"]\ndirectory = \"gone\""), 4, {"there is no directory"});
  expect_refused(with("command = [\"sh\", \"{mass}\"]"), 3, {"write run instead of command"});
  expect_refused(with("run = [\"sh\", \"{theta}\"]\nresult = \"a.h5\""), 4,
                 {".npy or .csv or .txt"});
  expect_refused(with("run = [\"sh\", \"{theta}\"]\nresult = \"out/a.npy\""), 4,
                 {"without directories"});
  expect_refused(with("run = [\"sh\"]\nparameters = \"a.nml\""), 4, {".txt or .json"});
  expect_refused(with("run = [\"sh\", \"--all={theta}\"]"), 3, {"must be an argument of its own"});
  expect_refused(with("run = [\"sh\", \"{mas}\"]\nresult = \"a.npy\""), 3,
                 {"unknown placeholder '{mas}'; did you mean 'mass'?"});
  expect_refused(with("run = [\"sh\", \"{seed}\"]\nresult = \"a.npy\""), 3,
                 {"the program is not told its parameters"});
  expect_refused(with("run = [\"sh\", \"{mass\"]\nresult = \"a.npy\""), 3, {"not closed"});
  expect_refused(with("library = \"gone.so\""), 3, {"there is no file"});
  expect_refused(with("task = \"rign\""), 3, {"no task is called 'rign'"});
}

TEST_F(ProblemFileErrors, CompareTheObservationWithWhatIsKnownOfTheData) {
  expect_refused("[simulator]\ntask = \"ring\"\n[observation]\nvalues = [1]\n", 3,
                 {"it has 1 numbers, the data of task 'ring' has 2"});
  expect_refused("[simulator]\ntask = \"ring\"\n[[parameters]]\nname = \"a\"\n", 3,
                 {"the task 'ring' has its own"});
  put("sims.csv", "mass,age,a,b\n1,2,3,4\n");
  const std::string by_data = replaced(good_problem(), "by_hand = true", "dataset = \"sims.csv\"");
  expect_refused(by_data, 4, {"it has 3 numbers, a row of x in the data set has 2"});
  put("sims.csv", "mass,age,a,b,c\n11,2,3,4,5\n");
  expect_refused(by_data, 3, {"row 0 (counted from 0), parameter 'mass' = 11"});
  put("sims.csv", "mass,age,a,b,c\n1,2,3,4,5\n");
  expect_refused(by_data, 14, {"inference.budget = 5000: the data set has 1 simulations"});
  const auto observed = [](const std::string& line) {
    return replaced(good_problem(), "values = [1, 2.5, 3]", line);
  };
  expect_refused(observed("file = \"gone.txt\""), 5, {"gone.txt", "No such file"});
  expect_refused(observed("values = []"), 5, {"at least one number"});
  expect_refused(observed("values = [1e300]"), 5, {"beyond the range of float"});
  expect_refused(observed("file = \"a\"\nvalues = [1]"), 4, {"either file or values"});
}

}  // namespace
}  // namespace hone
