#include "cli/program.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

namespace hone {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

void send_to_file(int descriptor, const fs::path& file) {
  const int target = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  ::dup2(target, descriptor);
}

[[noreturn]] void become_program(const fs::path& directory, const Arguments& launcher,
                                 const Arguments& arguments) {
  const Arguments command = launcher + Arguments{HONE_PROGRAM} + arguments;
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  if (::chdir(directory.c_str()) == 0) ::execvp(words[0], words.data());
  ::_exit(127);
}

}  // namespace

std::ostream& operator<<(std::ostream& stream, const ProgramResult& result) {
  return stream << "exit code " << result.code << ", signal " << result.signal
                << (result.timed_out ? ", timed out" : "") << "\nstdout: " << result.out
                << "\nstderr: " << result.err;
}

RunningProgram::RunningProgram(const fs::path& directory, const Arguments& arguments, Output output,
                               int columns, const Arguments& launcher) {
  if (output == Output::terminal) {
    winsize size{};
    size.ws_row = 24;
    size.ws_col = static_cast<unsigned short>(columns);
    process_ = ::forkpty(&terminal_, nullptr, nullptr, &size);
    if (process_ == 0) {
      ::setenv("TERM", "xterm", 1);
      become_program(directory, launcher, arguments);
    }
    return;
  }
  process_ = ::fork();
  if (process_ == 0) {
    send_to_file(STDOUT_FILENO, captured_.path() / "out");
    send_to_file(STDERR_FILENO, captured_.path() / "err");
    become_program(directory, launcher, arguments);
  }
}

RunningProgram::~RunningProgram() {
  if (running()) {
    send(SIGKILL);
    wait();
  }
  if (terminal_ >= 0) ::close(terminal_);
}

bool RunningProgram::running() {
  int status = 0;
  if (!status_ && ::waitpid(process_, &status, WNOHANG) == process_) status_ = status;
  return !status_;
}

void RunningProgram::send(int signal) {
  if (running()) ::kill(process_, signal);
}

void RunningProgram::read_terminal() {
  char buffer[4096];
  pollfd ready{terminal_, POLLIN, 0};
  while (terminal_ >= 0 && ::poll(&ready, 1, 0) > 0) {
    const ssize_t count = ::read(terminal_, buffer, sizeof buffer);
    if (count <= 0) return;  // the other side is closed
    terminal_text_.append(buffer, static_cast<std::size_t>(count));
  }
}

ProgramResult RunningProgram::wait(double timeout_seconds) {
  const auto end = Clock::now() + std::chrono::duration<double>(timeout_seconds);
  ProgramResult result;
  while (running()) {
    read_terminal();
    if (Clock::now() > end && !result.timed_out) {
      result.timed_out = true;
      send(SIGKILL);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  read_terminal();
  if (WIFEXITED(*status_)) result.code = WEXITSTATUS(*status_);
  if (WIFSIGNALED(*status_)) result.signal = WTERMSIG(*status_);
  result.out = terminal_ >= 0 ? terminal_text_ : bytes_of(captured_.path() / "out");
  if (terminal_ < 0) result.err = bytes_of(captured_.path() / "err");
  return result;
}

bool terminals_exist() {
  int master = -1, slave = -1;
  if (openpty(&master, &slave, nullptr, nullptr, nullptr) != 0) return false;
  close(master);
  close(slave);
  return true;
}

ProgramResult run_program(const fs::path& directory, const Arguments& arguments,
                          double timeout_seconds) {
  return RunningProgram(directory, arguments).wait(timeout_seconds);
}

Arguments operator+(Arguments arguments, const Arguments& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

Arguments small_run(const std::string& output, const SmallRun& sizes) {
  return {"run",
          "torus",
          "-o",
          output,
          "--budget",
          std::to_string(sizes.budget),
          "--max-epochs",
          std::to_string(sizes.max_epochs),
          "--learning-rate",
          "0.01",
          "--estimators",
          "ratio",
          "--ensemble",
          std::to_string(sizes.ensemble),
          "--round-ensemble",
          "1",
          "--ensemble-rows",
          "0",
          "--hidden",
          "16",
          "--depth",
          "1"};
}

void make_small_run(const fs::path& directory, const std::string& output) {
  const ProgramResult result = run_program(directory, small_run(output));
  ASSERT_EQ(result.code, 0) << result;
}

void expect_refused(const ProgramResult& result, int code, const std::vector<std::string>& parts) {
  EXPECT_EQ(result.code, code) << result;
  EXPECT_EQ(result.out, "") << result;
  for (const std::string& part : parts) {
    EXPECT_TRUE(contains(result.err, part)) << "not in the message: " << part << "\n" << result;
  }
}

unsigned long test_seed(unsigned long standard) {
  const char* text = std::getenv("HONE_TEST_SEED");
  return text == nullptr ? standard : std::strtoul(text, nullptr, 10);
}

}  // namespace hone
