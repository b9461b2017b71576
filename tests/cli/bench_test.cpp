// `hone bench` as a user runs it, on budgets that take moments.
#include <csignal>
#include <map>
#include <set>
#include <thread>

#include "cli/program.h"
#include "hone/bench/results_file.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

const Arguments kLittleWork{"--ensemble",   "1", "--round-ensemble", "1",  "--hidden", "16",
                            "--max-epochs", "4", "--samples",        "200"};

// Two tasks, their own observation and a drawn one: four runs.
Arguments small_bench(const std::string& output, const std::string& observations = "1-2",
                      const std::string& tasks = "gaussian_linear,torus") {
  return Arguments{"bench", "sbibm",     "-o",  output,           "--tasks",
                   tasks,   "--budgets", "400", "--observations", observations} +
         kLittleWork;
}

// A row without what the clock and the machine decide, by case.
std::map<std::string, std::vector<std::string>> reproducible(const fs::path& file) {
  static const std::set<std::string> clock{"seconds_simulate", "seconds_train", "seconds_sample",
                                           "seconds_score", "threads"};
  std::map<std::string, std::vector<std::string>> rows;
  for (const BenchRow& row : read_results(file)) {
    const std::vector<std::string> cells = to_cells(row);
    std::vector<std::string>& kept = rows[case_name(row.run)];
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (!clock.contains(bench_columns()[i])) kept.push_back(cells[i]);
    }
  }
  return rows;
}

class Bench : public testing::Test {
 protected:
  ProgramResult run(const Arguments& arguments) { return run_program(scratch.path(), arguments); }
  fs::path file(const std::string& name) const { return scratch.path() / name; }
  TemporaryDirectory scratch;
};

TEST_F(Bench, WritesARowPerRunATableAndFiguresAndIsTheSameOnAnyThreads) {
  const ProgramResult one =
      run(small_bench("one", "2") + Arguments{"--threads", "1", "--jobs", "2"});
  ASSERT_EQ(one.code, 0) << one;
  const std::vector<BenchRow> rows = read_results(file("one/results.csv"));
  ASSERT_EQ(rows.size(), 2U);
  for (const BenchRow& row : rows) {
    EXPECT_EQ(row.scores.simulations, 400);
    EXPECT_EQ(row.run.options, "round_ensemble=1 ensemble=1 hidden=16 max_epochs=4");
    EXPECT_GT(row.scores.c2st_1d, 0.45);
    EXPECT_LE(row.scores.c2st_2d, 1);
    EXPECT_GT(row.scores.kl, 0);
    EXPECT_GT(row.seconds.train, 0);
    EXPECT_GT(row.seconds.score, 0);
    EXPECT_EQ(row.threads, 1);
  }
  EXPECT_EQ(bytes_of(file("one/table.md")), one.out.substr(0, one.out.find("\nrows: ")));
  for (const char* figure : {"one/figure.png", "one/figure.svg", "one/figure.pdf"}) {
    EXPECT_GT(fs::file_size(file(figure)), 1000U) << figure;
  }
  EXPECT_FALSE(fs::exists(file("one/unfinished")));

  // One after the other on three threads, where the first were two at a time on one: same bits.
  const ProgramResult other =
      run(small_bench("other", "2") + Arguments{"--threads", "3", "--jobs", "1"});
  ASSERT_EQ(other.code, 0) << other;
  EXPECT_EQ(read_results(file("other/results.csv")).front().threads, 3);
  EXPECT_EQ(reproducible(file("one/results.csv")), reproducible(file("other/results.csv")));
}

TEST_F(Bench, WhatIsFinishedIsNotRunAgain) {
  const Arguments first = small_bench("study", "1", "torus,two_moons");
  ASSERT_EQ(run(first).code, 0);
  const std::string before = bytes_of(file("study/results.csv"));
  const ProgramResult again = run(first);
  EXPECT_EQ(again.code, 0) << again;
  EXPECT_EQ(bytes_of(file("study/results.csv")), before);
  EXPECT_EQ(again.err, "");
  // More of it, after half a row that a kill has left.
  put_bytes(file("study/results.csv"), before + "torus,400,2,1,tm");
  const ProgramResult more = run(small_bench("study", "1-2", "torus,two_moons"));
  EXPECT_EQ(more.code, 0) << more;
  EXPECT_TRUE(contains(more.err, "2 runs")) << more;
  EXPECT_EQ(bytes_of(file("study/results.csv")).substr(0, before.size()), before);
  EXPECT_EQ(read_results(file("study/results.csv")).size(), 4U);
}

TEST_F(Bench, AnInterruptedStudyGoesOnWithTheSameBits) {
  const auto study_in = [](const std::string& output) {
    return Arguments{"bench",          "sbibm", "-o",         output, "--tasks",      "torus",
                     "--budgets",      "400",   "--ensemble", "1",    "--hidden",     "16",
                     "--patience",     "200",   "--samples",  "200",  "--max-epochs", "150",
                     "--observations", "1-2"};
  };
  const Arguments study = study_in("study");
  for (const int signal : {SIGINT, SIGKILL}) {
    RunningProgram program(scratch.path(), study);
    while (program.running() && !fs::exists(file("study/unfinished"))) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    program.send(signal);
    const ProgramResult stopped = program.wait(20);
    if (signal == SIGINT) {
      EXPECT_EQ(stopped.code, 130) << stopped;
      EXPECT_TRUE(contains(stopped.err, "The same command goes on")) << stopped;
    }
  }
  ASSERT_EQ(run(study).code, 0);
  ASSERT_EQ(run(study_in("undisturbed")).code, 0);
  EXPECT_EQ(reproducible(file("study/results.csv")), reproducible(file("undisturbed/results.csv")));
}

TEST_F(Bench, ReadsObservationsAndReferencesInTheLayoutOfSbibm) {
  const fs::path folder = file("data/torus/files/num_observation_3");
  fs::create_directories(folder);
  put_bytes(folder / "observation.csv", "data_1,data_2,data_3\n0.57,0.03,1.0\n");
  std::string samples = "a,b,c\n";
  for (int i = 0; i < 200; ++i) {
    samples += fmt::format("{},{},{}\n", 0.5 + 0.001 * i, 0.6 + 0.002 * i, 0.4 + 0.001 * (i % 7));
  }
  put_bytes(folder / "reference_posterior_samples.csv", samples);
  const auto study = [](const std::string& output, const std::string& observations) {
    return small_bench(output, observations, "torus") + Arguments{"--data", "data"};
  };
  const ProgramResult done = run(study("study", "3"));
  ASSERT_EQ(done.code, 0) << done;
  EXPECT_EQ(read_results(file("study/results.csv")).front().run.reference, "sbibm");
  expect_refused(run(study("study", "3-4")), 2,
                 {"num_observation_4/observation.csv", "no such file"});
  put_bytes(folder / "observation.csv", "data_1\n0.57\n");
  const ProgramResult wrong = run(study("other", "3"));
  EXPECT_EQ(wrong.code, 2) << wrong;
  EXPECT_TRUE(contains(wrong.err, "there are 1 numbers, the simulator of torus makes 3")) << wrong;
}

TEST_F(Bench, StudiesPrintATableAndWriteRows) {
  const ProgramResult torus =
      run(Arguments{"bench", "torus", "-o", "torus", "--budgets", "300,400"} + kLittleWork);
  ASSERT_EQ(torus.code, 0) << torus;
  EXPECT_EQ(read_results(file("torus/results.csv")).size(), 3U);
  EXPECT_TRUE(contains(torus.out, "| torus | mnre |")) << torus;
  EXPECT_TRUE(contains(torus.out, "| torus | tmnre | max_rounds=1 round_schedule=growth")) << torus;
  const ProgramResult scan =
      run(Arguments{"bench", "epsilon", "-o", "epsilon", "--epsilons", "0.01,1e-6", "--seeds", "1",
                    "--round-increment", "300", "--budget", "2000"} +
          kLittleWork);
  ASSERT_EQ(scan.code, 0) << scan;
  ASSERT_EQ(read_results(file("epsilon/results.csv")).size(), 2U);
  EXPECT_LT(read_results(file("epsilon/results.csv")).front().scores.simulations, 2000);
  EXPECT_TRUE(contains(scan.out, "epsilon=0.01")) << scan;
}

TEST_F(Bench, ComparesMethodsOnCosmologyAndGoesOnFromWhatIsDone) {
  const Arguments study{"bench",      "cmb",       "-o",           "cmb",      "--budget",
                        "400",        "--samples", "200",          "--hidden", "16",
                        "--ensemble", "1",         "--max-epochs", "1"};
  const ProgramResult first = run(study + Arguments{"--methods", "mnre"});
  ASSERT_EQ(first.code, 0) << first;
  const ProgramResult both = run(study + Arguments{"--methods", "mcmc,mnre"});
  ASSERT_EQ(both.code, 0) << both;
  EXPECT_TRUE(contains(both.out, "| mcmc | 400 | 1 |")) << both;
  EXPECT_TRUE(contains(both.out, "| mnre | 400 | 1 |")) << both;
  EXPECT_FALSE(contains(both.err, "training")) << both;  // it was done
  const std::string csv = bytes_of(file("cmb/results.csv"));
  EXPECT_TRUE(csv.starts_with("method,seed,calls,c2st_1d,c2st_2d,offset_omega_b,")) << csv;
  for (const char* figure : {"mcmc-1.png", "mcmc-1.svg", "mnre-1.pdf"}) {
    EXPECT_TRUE(fs::exists(file("cmb") / figure)) << figure;
  }
}

TEST_F(Bench, WrongArgumentsAreRefusedBeforeAnyWork) {
  const std::vector<std::pair<Arguments, std::vector<std::string>>> cases{
      {{"sbibn"}, {"no command 'sbibn'", "did you mean 'sbibm'?"}},
      {{"sbibm", "--task", "torus"}, {"'--task'", "did you mean '--tasks'?", "hone bench sbibm"}},
      {{"sbibm", "--tasks", "torus,two_mons"}, {"'two_mons'", "did you mean 'two_moons'?"}},
      {{"sbibm", "--budgets", "1000,few"}, {"--budgets few", "whole numbers or ranges"}},
      {{"sbibm", "--budgets", "10"}, {"budget = 10"}},
      {{"sbibm", "--observations", "0"}, {"observation 0", "counted from 1"}},
      {{"sbibm", "--observations", "5-1"}, {"--observations 5-1"}},
      {{"sbibm", "--seeds", "-3"}, {"--seeds"}},
      {{"sbibm", "--methods", "tmnre,abc"}, {"allowed: tmnre, mnre"}},
      {{"sbibm", "--preset", "mine"}, {"must be one of default, paper"}},
      {{"sbibm", "--epsilon", "2"}, {"epsilon = 2"}},
      {{"sbibm", "--data", "nowhere"}, {"nowhere"}},
      {{"torus", "--budgets", "2000,1000"}, {"ascending"}},
      {{"epsilon", "--epsilons", "0.1,3"}, {"epsilon = 3"}},
      {{"cmb", "--methods", "mnre,mcm"}, {"'mcm'", "did you mean 'mcmc'?"}},
  };
  for (const auto& [arguments, parts] : cases) {
    expect_refused(run(Arguments{"bench"} + arguments), 2, parts);
  }
  EXPECT_TRUE(fs::is_empty(scratch.path()));
  put_bytes(file("notes.txt"), "keep me");
  expect_refused(run({"bench", "torus", "-o", "."}), 2, {"something else than a study"});
}

TEST_F(Bench, ExplainsItself) {
  EXPECT_TRUE(contains(run({"bench", "--help"}).out, "rotated_eggbox"));
  const ProgramResult help = run({"bench", "sbibm", "--help"});
  EXPECT_EQ(help.code, 0);
  EXPECT_TRUE(contains(help.out, "--observations"));
  EXPECT_TRUE(contains(help.out, "--round-fraction"));
}

}  // namespace
}  // namespace hone
