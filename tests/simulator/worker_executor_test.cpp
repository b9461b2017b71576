// What becomes of simulations that programs make, well or badly.
#include "hone/simulator/worker_executor.h"

#include <csignal>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>

#include "simulator/worker_testing.h"

namespace hone {
namespace {

using namespace std::chrono_literals;

std::vector<double> expected_x(const SimulationRequest& request, Index row) {
  const double noise =
      static_cast<double>((request.seeds[static_cast<std::size_t>(row)] >> 11) % 1000);
  return {request.theta(row, 1), request.theta(row, 1) + noise};
}

// Every row that is healthy must have its own data; the others must have failed.
void expect_exact(const Collector& collector, const SimulationRequest& request) {
  ASSERT_EQ(static_cast<Index>(collector.x.size()), request.rows());
  for (Index i = 0; i < request.rows(); ++i) {
    if (collector.failures.contains(i)) continue;
    EXPECT_EQ(collector.x.at(i), expected_x(request, i)) << "row " << i;
  }
}

// One misbehaving simulation among healthy ones.
std::string failure_of(WorkerAction action, WorkerOptions options = options_of("serve"),
                       int expected_failures = 1) {
  std::vector<WorkerAction> actions(40, WorkerAction::healthy);
  actions[17] = action;
  const SimulationRequest request = request_of(actions);
  Collector collector;
  make_worker_executor(std::move(options), 2)->run(request, collector.sink());
  expect_exact(collector, request);
  EXPECT_EQ(static_cast<int>(collector.failures.size()), expected_failures);
  return collector.failures.contains(17) ? collector.failures.at(17) : "";
}

TEST(WorkerExecutor, GivesTheSameValuesWithAnyNumberOfWorkers) {
  const SimulationRequest request = request_of(std::vector(5000, WorkerAction::healthy));
  for (int workers : {1, 2, 5}) {
    for (int pipeline : {1, 32}) {
      WorkerOptions options = options_of("serve", workers);
      options.pipeline = pipeline;
      Collector collector;
      const auto summary = make_worker_executor(options, 2)->run(request, collector.sink());
      EXPECT_EQ(summary.finished, 5000);
      EXPECT_EQ(summary.failed, 0);
      expect_exact(collector, request);
    }
  }
}

TEST(WorkerExecutor, KeepsItsWorkersFromRunToRun) {
  std::vector<std::string> lines;
  WorkerOptions options = options_of("pid", 1);
  options.log = [&](int, std::string_view line) { lines.emplace_back(line); };
  const auto executor = make_worker_executor(options, 2);
  for (int run = 0; run < 3; ++run) {
    const SimulationRequest request = request_of(std::vector(10, WorkerAction::healthy));
    Collector collector;
    executor->run(request, collector.sink());
    expect_exact(collector, request);
  }
  EXPECT_EQ(lines.size(), 1u);
  Collector collector;
  EXPECT_EQ(executor->run(request_of({}), collector.sink()).finished, 0);
}

TEST(WorkerExecutor, ReplacesAWorkerThatDiedBetweenTwoRuns) {
  int pid = 0;
  WorkerOptions options = options_of("pid", 1);
  options.log = [&](int, std::string_view line) {
    if (line.starts_with("pid ")) pid = std::stoi(std::string(line.substr(4)));
  };
  const auto executor = make_worker_executor(options, 2);
  const SimulationRequest request = request_of(std::vector(10, WorkerAction::healthy));
  Collector first;
  executor->run(request, first.sink());
  ASSERT_GT(pid, 0);
  kill(pid, SIGKILL);
  std::this_thread::sleep_for(50ms);
  Collector second;
  EXPECT_EQ(executor->run(request, second.sink()).failed, 0);
}

TEST(WorkerExecutor, RecordsEveryKindOfMisbehaviourAsThatSimulationsFailure) {
  EXPECT_EQ(failure_of(WorkerAction::crash),
            "the program was ended by signal 11 (Segmentation fault)");
  EXPECT_EQ(failure_of(WorkerAction::exit_code), "the program ended with exit code 3");
  EXPECT_EQ(failure_of(WorkerAction::exits_quietly), "the program ended with exit code 0");
  EXPECT_EQ(failure_of(WorkerAction::nan), "x[0] is nan");
  EXPECT_EQ(failure_of(WorkerAction::infinity), "x[0] is -inf");
  EXPECT_EQ(failure_of(WorkerAction::null), "x[1] is nan");
  EXPECT_EQ(failure_of(WorkerAction::too_short), "x has 1 values instead of 2");
  EXPECT_EQ(failure_of(WorkerAction::too_long), "x has 3 values instead of 2");
  EXPECT_EQ(failure_of(WorkerAction::binary_too_long), "x has 5 values instead of 2");
  EXPECT_EQ(failure_of(WorkerAction::error), "no \"conv\u00e9\"");
  EXPECT_EQ(failure_of(WorkerAction::rubbish),
            "the program printed no answer: '{' expected in "
            "\"Iteration 12: residual 1e-3 \\u0001\uFFFD\"");
  EXPECT_EQ(failure_of(WorkerAction::wrong_id), "the program answered for id 1117 instead of 117");
  EXPECT_EQ(failure_of(WorkerAction::closes_output), "the program closed its output");
  EXPECT_EQ(failure_of(WorkerAction::binary_cut), "the program ended with exit code 0");
  EXPECT_TRUE(contains(failure_of(WorkerAction::endless_line), "a line of more than"));
  EXPECT_TRUE(contains(failure_of(WorkerAction::answers_nothing), "exactly one of"));
  EXPECT_TRUE(contains(failure_of(WorkerAction::nested), "flat list of numbers"));
}

TEST(WorkerExecutor, EndsASimulationThatHangs) {
  WorkerOptions options = options_of("serve");
  options.timeout_seconds = 0.2;
  const auto begin = Clock::now();
  EXPECT_EQ(failure_of(WorkerAction::hang, options), "no answer within 0.2 s");
  EXPECT_EQ(failure_of(WorkerAction::closes_input, options), "no answer within 0.2 s");
  EXPECT_LT(seconds_since(begin), 3);
}

TEST(WorkerExecutor, NoticesTheDeathOfAWorkerWhoseChildHoldsThePipe) {
  EXPECT_EQ(failure_of(WorkerAction::leaves_child),
            "the program was ended by signal 11 (Segmentation fault)");
}

TEST(WorkerExecutor, BlamesNobodyElseForWhatAProgramDoesAfterItsAnswer) {
  EXPECT_EQ(failure_of(WorkerAction::answers_twice, options_of("serve"), 0), "");
  EXPECT_EQ(failure_of(WorkerAction::answers_twice, options_of("serve", 1), 0), "");
  EXPECT_EQ(failure_of(WorkerAction::rubbish_after_answer, options_of("serve", 1), 0), "");
  EXPECT_EQ(failure_of(WorkerAction::dies_after_answer, options_of("serve", 1), 0), "");
}

TEST(WorkerExecutor, TriesAgainWithTheSameSeed) {
  const TestDirectory directory;
  WorkerOptions options = options_of("serve");
  options.command.push_back((directory.path() / "crashed").string());
  options.retries = 1;
  EXPECT_EQ(failure_of(WorkerAction::crash_once, options, 0), "");
  EXPECT_TRUE(std::filesystem::exists(directory.path() / "crashed"));
}

TEST(WorkerExecutor, TakesBinaryFramesAmongLines) {
  const SimulationRequest request =
      request_of({WorkerAction::binary64, WorkerAction::healthy, WorkerAction::binary32,
                  WorkerAction::binary64, WorkerAction::binary64});
  Collector collector;
  EXPECT_EQ(make_worker_executor(options_of("serve"), 2)->run(request, collector.sink()).failed, 0);
  EXPECT_EQ(collector.x.at(0), expected_x(request, 0));
  EXPECT_EQ(collector.x.at(4), expected_x(request, 4));
  EXPECT_EQ(collector.x.at(2)[0],
            static_cast<double>(static_cast<float>(expected_x(request, 2)[0])));
}

// 10 % crashes, 5 % hangs, 5 % NaN, 2 % rubbish, chosen by the seed alone.
TEST(WorkerExecutor, CountsAMixtureOfFailuresExactly) {
  std::vector<WorkerAction> actions;
  std::map<std::string, int> expected;
  const auto mixed = [&](int i) {
    const double u = Rng(5).child("fate", static_cast<std::uint64_t>(i)).uniform();
    if (u < 0.10) return WorkerAction::crash;
    if (u < 0.15) return WorkerAction::hang;
    if (u < 0.20) return WorkerAction::nan;
    if (u < 0.22) return WorkerAction::rubbish;
    return WorkerAction::healthy;
  };
  std::map<WorkerAction, int> counts;
  for (int i = 0; i < 400; ++i) ++counts[actions.emplace_back(mixed(i))];
  ASSERT_GT(counts[WorkerAction::rubbish], 2);
  const SimulationRequest request = request_of(actions);
  std::map<Index, std::string> first;
  for (const auto& [workers, retries] : {std::pair(2, 0), {3, 0}, {2, 1}}) {
    WorkerOptions options = options_of("serve", workers);
    options.timeout_seconds = 0.25;
    options.startup_seconds = 0.25;
    options.retries = retries;
    Collector collector;
    const auto summary = make_worker_executor(options, 2)->run(request, collector.sink());
    EXPECT_EQ(summary.finished, 400);
    EXPECT_EQ(summary.failed, 400 - counts[WorkerAction::healthy]);
    EXPECT_EQ(summary.main_reason, "the program was ended by signal 11 (Segmentation fault)");
    expect_exact(collector, request);
    std::map<WorkerAction, int> failed;
    for (const auto& [row, reason] : collector.failures) {
      ++failed[actions[static_cast<std::size_t>(row)]];
    }
    failed[WorkerAction::healthy] = counts[WorkerAction::healthy];
    EXPECT_EQ(failed, counts);
    if (first.empty()) first = collector.failures;
    EXPECT_EQ(collector.failures, first) << workers << " workers, " << retries << " retries";
  }
}

TEST(WorkerExecutor, DoesNotFailSimulationsThatWaitBehindASlowOne) {
  // Quick ones first, so that requests are sent ahead; then slow ones, each within its own time
  // but not within the time of the first.
  std::vector<WorkerAction> actions(500, WorkerAction::healthy);
  actions.insert(actions.end(), 12, WorkerAction::slow);
  const SimulationRequest request = request_of(actions);
  WorkerOptions options = options_of("serve", 1);
  options.timeout_seconds = 0.3;
  Collector collector;
  EXPECT_EQ(make_worker_executor(options, 2)->run(request, collector.sink()).failed, 0);
  expect_exact(collector, request);
}

TEST(WorkerExecutor, DoesNotBlameWorkersForASlowSink) {
  const SimulationRequest request = request_of(std::vector(300, WorkerAction::healthy));
  WorkerOptions options = options_of("serve", 2);
  options.timeout_seconds = 0.1;
  ExecutorOptions executor_options;
  executor_options.batch_rows = 50;
  Collector collector;
  const auto sink = collector.sink();
  const auto summary = make_worker_executor(options, 2, executor_options)
                           ->run(request, [&](const FinishedSimulations& finished) {
                             std::this_thread::sleep_for(300ms);
                             sink(finished);
                           });
  EXPECT_EQ(summary.failed, 0);
}

TEST(WorkerExecutor, GivesANewProcessTimeToStart) {
  for (const char* mode : {"slow-start", "ready"}) {
    WorkerOptions options = options_of(mode);
    options.timeout_seconds = 0.3;
    EXPECT_EQ(failure_of(WorkerAction::crash, options),
              "the program was ended by signal 11 (Segmentation fault)");
  }
}

TEST(WorkerExecutor, StopsWithTheLastWordsOfAProgramThatCannotStart) {
  Collector collector;
  const std::string text = error_text(
      [&] {
        make_worker_executor(options_of("dies"), 2)
            ->run(request_of(std::vector(1000, WorkerAction::healthy)), collector.sink());
      },
      ErrorKind::simulator);
  EXPECT_TRUE(contains(text, "failed 20 times in a row before it answered anything")) << text;
  EXPECT_TRUE(contains(text, "exit code 1")) << text;
  EXPECT_TRUE(contains(text, "\n  Traceback\n  ImportError: no module named physics")) << text;
  EXPECT_TRUE(collector.x.empty()) << "a program that never speaks says nothing about simulations";

  const std::string banner = error_text(
      [&] {
        make_worker_executor(options_of("banner"), 2)
            ->run(request_of(std::vector(1000, WorkerAction::healthy)), collector.sink());
      },
      ErrorKind::simulator);
  EXPECT_TRUE(contains(banner, "Welcome to the simulator")) << banner;
}

TEST(WorkerExecutor, StopsWhenTheFirstSimulationsAllFail) {
  Collector collector;
  const std::string text = error_text(
      [&] {
        make_worker_executor(options_of("echo"), 2)
            ->run(request_of(std::vector(1000, WorkerAction::nan)), collector.sink());
      },
      ErrorKind::simulator);
  EXPECT_TRUE(contains(text, "x[0] is nan")) << text;
  EXPECT_TRUE(contains(text, "Last lines of its stderr:\n  {\"id\": ")) << text;
  EXPECT_GE(collector.x.size(), 20u);
  EXPECT_LT(collector.x.size(), 500u);
}

TEST(WorkerExecutor, RefusesACommandThatCannotBeStarted) {
  const TestDirectory directory;
  const auto refusal = [&](const std::string& program) {
    WorkerOptions options = options_of("serve");
    options.command = {program};
    options.directory = directory.path();
    Collector collector;
    return error_text(
        [&] {
          make_worker_executor(options, 2)
              ->run(request_of({WorkerAction::healthy}), collector.sink());
        },
        ErrorKind::input);
  };
  const auto write = [&](const char* name, const char* text, bool executable) {
    std::ofstream(directory.path() / name) << text;
    using std::filesystem::perms;
    permissions(directory.path() / name, executable ? perms::owner_all : perms::owner_read);
  };
  write("plain", "text", false);
  write("no-interpreter", "echo hello\n", true);
  write("wrong-interpreter", "#!/nowhere/python\n", true);
  EXPECT_TRUE(
      contains(refusal("no-such-program-anywhere"), "no program 'no-such-program-anywhere'"));
  EXPECT_TRUE(contains(refusal("plain"), "write \"./plain\""));
  EXPECT_TRUE(contains(refusal("./missing"), "there is no file " + directory.path().string()));
  EXPECT_TRUE(contains(refusal("./plain"), "is not executable"));
  EXPECT_TRUE(contains(refusal("/tmp"), "is not executable"));
  EXPECT_TRUE(contains(refusal("./no-interpreter"), "#!"));
  EXPECT_TRUE(contains(refusal("./wrong-interpreter"), "No such file"));
}

TEST(WorkerExecutor, RefusesWrongOptions) {
  WorkerOptions options = options_of("serve", 0);
  EXPECT_EQ(error_text([&] { make_worker_executor(options, 2); }, ErrorKind::input),
            "simulator.workers = 0: must be at least 1");
  options.workers = 1;
  options.command.clear();
  EXPECT_EQ(error_text([&] { make_worker_executor(options, 2); }, ErrorKind::input),
            "simulator.command is empty: name a program");
}

}  // namespace
}  // namespace hone
