#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "hone/files/files.h"

namespace hone {

// What to start. No shell is involved: arguments arrive as they are.
struct ProcessSpec {
  std::filesystem::path program;         // from find_program()
  std::vector<std::string> arguments;    // argv, the name of the program first
  std::filesystem::path directory;       // where it runs; empty: here
  std::vector<std::string> environment;  // "NAME=value" on top of the environment of this process
};

// The program a command names: a path (relative ones start at `directory`), or a name searched in
// PATH. Error{input} if there is none or it is not executable.
std::filesystem::path find_program(const std::string& name, const std::filesystem::path& directory);

// A program with pipes on its three standard streams; our ends never block.
//
// It leads its own process group: Ctrl-C at the terminal does not reach it, and what it starts is
// ended with it. It is killed when the thread that started it ends, so also when this process is
// killed. It inherits no descriptor but its standard streams.
class ChildProcess {
 public:
  explicit ChildProcess(const ProcessSpec& spec);  // Error{input} if the system cannot start it
  ChildProcess(ChildProcess&& other) noexcept = default;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ~ChildProcess() { kill_and_reap(); }

  pid_t id() const { return pid_.value; }
  FileDescriptor input;   // we write, it reads
  FileDescriptor output;  // it writes, we read
  FileDescriptor errors;

  bool exited() const;            // it may still have to be reaped
  void signal(int number) const;  // to the whole group
  // Ends the group at once if it has not ended, leaves no zombie. The wait status of the program.
  int kill_and_reap();

 private:
  struct Pid {
    pid_t value = -1;
    Pid() = default;
    Pid(Pid&& other) noexcept : value(std::exchange(other.value, -1)) {}
    Pid& operator=(Pid&& other) noexcept {
      value = std::exchange(other.value, -1);
      return *this;
    }
  };
  Pid pid_;
};

// "was ended by signal 11 (Segmentation fault)", "ended with exit code 3".
std::string describe_wait_status(int status);

// What a read of a pipe brought. Nothing to read now is neither bytes nor the end.
struct PipeRead {
  std::size_t bytes = 0;
  bool ended = false;
};
PipeRead read_pipe(const FileDescriptor& pipe, char* buffer, std::size_t size);

// While it lives, writing to a closed pipe in this thread is an error (EPIPE), not a signal.
class SigpipeGuard {
 public:
  SigpipeGuard();
  ~SigpipeGuard();
  SigpipeGuard(const SigpipeGuard&) = delete;
  SigpipeGuard& operator=(const SigpipeGuard&) = delete;

 private:
  bool was_blocked_ = false;
  bool was_pending_ = false;
};

}  // namespace hone
