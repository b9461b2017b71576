// The processes behind a WorkerExecutor: when they answer, what they hold, how they end.
#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "simulator/worker_testing.h"

namespace hone {
namespace {

using namespace std::chrono_literals;

bool has_children() {
  return waitpid(-1, nullptr, WNOHANG) != -1 || errno != ECHILD;
}

class StopAfter final : public Observer {
 public:
  explicit StopAfter(int calls) : left_(calls) {}
  bool stop_requested() override { return left_-- <= 0; }

 private:
  int left_;
};

TEST(WorkerProcesses, StopsOnRequestAtOnceAndKeepsWhatIsFinished) {
  std::vector<WorkerAction> actions(300, WorkerAction::healthy);
  actions.insert(actions.end(), 10, WorkerAction::hang);
  Collector collector;
  StopAfter observer(6);
  const auto begin = Clock::now();
  error_text(
      [&] {
        make_worker_executor(options_of("serve"), 2)
            ->run(request_of(actions), collector.sink(), observer);
      },
      ErrorKind::interrupted);
  EXPECT_LT(seconds_since(begin), 2);
  EXPECT_EQ(collector.x.size(), 300u);
}

TEST(WorkerProcesses, DeliversFinishedRowsInTimeWhileOthersRun) {
  WorkerOptions options = options_of("serve", 1);
  options.timeout_seconds = 1.5;
  ExecutorOptions executor_options;
  executor_options.flush_seconds = 0.2;
  double first_delivery = 0;
  const auto begin = Clock::now();
  make_worker_executor(options, 2, executor_options)
      ->run(request_of({WorkerAction::healthy, WorkerAction::hang, WorkerAction::healthy}),
            [&](const FinishedSimulations&) {
              if (first_delivery == 0) first_delivery = seconds_since(begin);
            });
  EXPECT_GT(first_delivery, 0);
  EXPECT_LT(first_delivery, 1);
}

TEST(WorkerProcesses, PassesStderrToTheLog) {
  std::vector<std::string> lines;
  WorkerOptions options = options_of("farewell");
  options.log = [&](int worker, std::string_view line) {
    lines.push_back(std::to_string(worker) + " " + std::string(line));
  };
  Collector collector;
  make_worker_executor(options, 2)
      ->run(request_of(std::vector(20, WorkerAction::talks)), collector.sink());
  EXPECT_EQ(std::ranges::count_if(lines, [](auto& l) { return contains(l, "simulating"); }), 20);
  EXPECT_GE(std::ranges::count_if(lines, [](auto& l) { return contains(l, "farewell"); }), 1);
}

TEST(WorkerProcesses, SendsNumbersThatReadBackExactly) {
  std::vector<std::string> lines;
  WorkerOptions options = options_of("echo", 1);
  options.log = [&](int, std::string_view line) { lines.emplace_back(line); };
  SimulationRequest request = request_of({WorkerAction::healthy});
  request.theta(0, 1) = 0.1 + 0.2;
  request.seeds[0] = ~std::uint64_t{0};
  Collector collector;
  make_worker_executor(options, 2)->run(request, collector.sink());
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0],
            "{\"id\": 100, \"theta\": [0.0, 0.30000000000000004], \"seed\": 9007199254740991}");
}

TEST(WorkerProcesses, LeavesNoDescriptorAndNoProcess) {
  const int before = open_descriptors();
  for (const char* mode : {"serve", "stubborn"}) {
    WorkerOptions options = options_of(mode, 3);
    options.shutdown_seconds = 0.2;
    std::vector<WorkerAction> actions(60, WorkerAction::healthy);
    actions[10] = actions[20] = WorkerAction::crash;
    actions[30] = WorkerAction::rubbish;
    actions[40] = WorkerAction::leaves_child;
    Collector collector;
    make_worker_executor(options, 2)->run(request_of(actions), collector.sink());
    EXPECT_EQ(collector.failures.size(), 4u);
  }
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_FALSE(has_children());
}

TEST(WorkerProcesses, WorkersInheritNothingButTheirStreams) {
  const TestDirectory directory;
  std::ofstream(directory.path() / "list.sh")
      << "#!/bin/sh\nread line\nls /proc/self/fd >&2\nprintf '{\"id\": 100, \"x\": [1, 2]}\\n'\n";
  permissions(directory.path() / "list.sh", std::filesystem::perms::owner_all);
  FILE* open_file = std::fopen("/dev/null", "r");  // without O_CLOEXEC, as libraries do
  std::string seen;
  WorkerOptions options = options_of("serve", 1);
  options.command = {"./list.sh"};
  options.directory = directory.path();
  options.log = [&](int, std::string_view line) { seen += std::string(line) + " "; };
  Collector collector;
  { make_worker_executor(options, 2)->run(request_of({WorkerAction::healthy}), collector.sink()); }
  std::fclose(open_file);
  EXPECT_EQ(seen, "0 1 2 3 ");  // 3 is the directory that ls reads
}

bool is_alive(int pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/stat");
  std::string number, name, state;
  status >> number >> name >> state;
  return !state.empty() && state != "Z" && state != "X";
}

TEST(WorkerProcesses, WorkersEndWhenTheirParentIsKilled) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const pid_t driver = fork();
  if (driver == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(ends[1], 1);
    execl(HONE_TEST_DRIVER, HONE_TEST_DRIVER, HONE_TEST_WORKER, nullptr);
    _exit(127);
  }
  close(ends[1]);
  FILE* output = fdopen(ends[0], "r");
  std::vector<int> pids(3);
  for (int& pid : pids) ASSERT_EQ(std::fscanf(output, " pid %d", &pid), 1);
  for (int pid : pids) {
    EXPECT_TRUE(is_alive(pid));
    EXPECT_EQ(getpgid(pid), pid) << "Ctrl-C must not reach it";
  }
  kill(driver, SIGKILL);
  waitpid(driver, nullptr, 0);
  std::fclose(output);
  for (int i = 0; i < 200 && std::ranges::any_of(pids, is_alive); ++i) {
    std::this_thread::sleep_for(10ms);
  }
  for (int pid : pids) EXPECT_FALSE(is_alive(pid));
}

}  // namespace
}  // namespace hone
