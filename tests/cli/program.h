#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/types.h>

#include "files/test_files.h"

// Runs the built program as a user would, in a directory of the test's own.

namespace hone {

using Arguments = std::vector<std::string>;

struct ProgramResult {
  int code = -1;   // exit code; -1 if a signal ended it
  int signal = 0;  // that ended it
  std::string out, err;
  bool timed_out = false;  // then it was killed
};

std::ostream& operator<<(std::ostream& stream, const ProgramResult& result);

// A started program. Standard output and error go to files, or together to a terminal.
class RunningProgram {
 public:
  enum class Output { files, terminal };
  // With a launcher: its words come before the program and its arguments.
  RunningProgram(const std::filesystem::path& directory, const Arguments& arguments,
                 Output output = Output::files, int columns = 80, const Arguments& launcher = {});
  ~RunningProgram();  // kills what still runs
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;

  pid_t process() const { return process_; }
  bool running();
  void send(int signal);
  ProgramResult wait(double timeout_seconds = 120);

 private:
  void read_terminal();

  TemporaryDirectory captured_;
  pid_t process_ = -1;
  int terminal_ = -1;
  std::string terminal_text_;
  std::optional<int> status_;
};

// Are there pseudo-terminals here? A bare chroot may have none.
bool terminals_exist();

// From start to end.
ProgramResult run_program(const std::filesystem::path& directory, const Arguments& arguments,
                          double timeout_seconds = 120);

// arguments + more
Arguments operator+(Arguments arguments, const Arguments& more);

// `hone run torus` on few simulations with little training: 3 rounds in about 0.2 s.
struct SmallRun {
  int budget = 2000;
  int max_epochs = 15;
  int ensemble = 1;
};
Arguments small_run(const std::string& output, const SmallRun& sizes = {});

// Runs it, and expects success.
void make_small_run(const std::filesystem::path& directory, const std::string& output);

// Expects this exit code and all of these parts in the error message, and nothing on standard
// output.
void expect_refused(const ProgramResult& result, int code, const std::vector<std::string>& parts);

// HONE_TEST_SEED, or this.
unsigned long test_seed(unsigned long standard);

}  // namespace hone
