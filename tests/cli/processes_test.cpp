// What is left of simulators when hone is stopped by Ctrl-C or killed: nothing.
//
// The test adopts orphans (PR_SET_CHILD_SUBREAPER): whatever hone leaves behind becomes its child,
// alive or as a zombie, and can be waited for.
#include <cerrno>
#include <chrono>
#include <csignal>
#include <set>
#include <sstream>
#include <thread>

#include <sys/prctl.h>
#include <sys/wait.h>

#include "cli/program.h"

namespace hone {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int kWorkers = 3;

struct Case {
  const char* name;
  const char* simulator;
  const char* ready;  // this file is there when it is time to stop hone
};

std::ostream& operator<<(std::ostream& stream, const Case& one) {
  return stream << one.name;
}

// Workers at a simulation that never ends, workers that wait for requests while hone trains, and
// one-shot programs.
const Case kCases[] = {
    {"sleepy", "command = ['" HONE_TEST_SIMULATOR "', 'sleepy', 'processes']", "processes"},
    {"idle", "command = ['" HONE_TEST_SIMULATOR "', 'good', 'processes']",
     "run/simulations/shard-000001.h5"},
    {"one-shot",
     "run = ['sh', '-c', 'echo $$ >> $0/processes; exec sleep 1000', '{directory}', '{theta}']",
     "processes"}};

std::string problem(const Case& one) {
  return std::string("[simulator]\n") + one.simulator +
         "\nworkers = 3\n[observation]\nvalues = [0.5]\n"
         "[[parameters]]\nname = 'a'\nprior = { kind = 'normal', mean = 0, sigma = 1 }\n"
         "[inference]\nbudget = 200\nmax_epochs = 1000000\npatience = 1000000\n";
}

class Processes : public testing::TestWithParam<Case> {
 protected:
  Processes() {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    put_bytes(scratch_.path() / "problem.toml", problem(GetParam()));
    fs::create_directory(temporary());
    ::setenv("TMPDIR", temporary().c_str(), 1);
  }
  ~Processes() override {
    ::unsetenv("TMPDIR");
    ::prctl(PR_SET_CHILD_SUBREAPER, 0);
  }

  fs::path temporary() const { return scratch_.path() / "tmp"; }

  std::set<pid_t> simulators() const {
    std::istringstream stream(bytes_of(scratch_.path() / "processes"));
    std::set<pid_t> ids;
    for (pid_t id = 0; stream >> id;) ids.insert(id);
    return ids;
  }

  // Until all simulators run and it is time.
  void wait_until_busy(RunningProgram& program) const {
    const auto end = Clock::now() + std::chrono::seconds(60);
    while (program.running() && Clock::now() < end &&
           (simulators().size() < kWorkers || !fs::exists(scratch_.path() / GetParam().ready))) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    ASSERT_EQ(simulators().size(), kWorkers) << GetParam().name;
  }

  TemporaryDirectory scratch_;
};

// The ids of all processes that were left to us, once all of them have ended.
std::set<pid_t> reap_everything() {
  std::set<pid_t> reaped;
  for (const auto end = Clock::now() + std::chrono::seconds(30); Clock::now() < end;) {
    const pid_t id = ::waitpid(-1, nullptr, WNOHANG);
    if (id < 0) return reaped;  // there are no more
    if (id > 0) reaped.insert(id);
    if (id == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  ADD_FAILURE() << "something still runs";
  return reaped;
}

// How many descriptors a process holds for good. A shell that writes its id has one more for a
// moment, and so has a program that loads its libraries: only what stays was inherited.
std::ptrdiff_t settled_descriptors(pid_t id) {
  const fs::path open = "/proc/" + std::to_string(id) + "/fd";
  std::ptrdiff_t count = 0;
  for (const auto end = Clock::now() + std::chrono::seconds(5); Clock::now() < end;) {
    count = std::distance(fs::directory_iterator(open), {});
    if (count == 3) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return count;
}

TEST_P(Processes, HoldNoDescriptorOfHoneAndAreGoneAfterCtrlC) {
  RunningProgram program(scratch_.path(), {"run", "problem.toml", "-o", "run"});
  wait_until_busy(program);
  for (const pid_t id : simulators()) {
    EXPECT_EQ(settled_descriptors(id), 3) << "only the standard streams";
  }
  program.send(SIGINT);
  const ProgramResult result = program.wait(60);
  EXPECT_EQ(result.code, 130) << result;
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "an orphan or a zombie was left";
  EXPECT_EQ(errno, ECHILD);
  for (const auto& entry : fs::directory_iterator(temporary())) {
    const std::string name = entry.path().filename().string();
    EXPECT_TRUE(name.starts_with("hone-test-")) << "of a one-shot program: " << name;
  }
}

TEST_P(Processes, EndByThemselvesWhenHoneIsKilled) {
  RunningProgram program(scratch_.path(), {"run", "problem.toml", "-o", "run"});
  wait_until_busy(program);
  program.send(SIGKILL);
  EXPECT_EQ(program.wait(60).signal, SIGKILL);
  EXPECT_EQ(reap_everything(), simulators());
}

INSTANTIATE_TEST_SUITE_P(Of, Processes, testing::ValuesIn(kCases), [](const auto& one) {
  std::string name = one.param.name;
  std::erase(name, '-');
  return name;
});

}  // namespace
}  // namespace hone
