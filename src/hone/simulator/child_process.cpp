#include "hone/simulator/child_process.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string_view>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hone/core/error.h"

extern char** environ;  // NOLINT: the system's name

namespace hone {
namespace {

namespace fs = std::filesystem;

struct Pipe {
  FileDescriptor read;
  FileDescriptor write;
};

// Above the standard streams, so that dup2() in the child never overwrites a pipe it still needs.
FileDescriptor above_standard_streams(int descriptor) {
  if (descriptor > 2) return FileDescriptor(descriptor);
  const int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
  ::close(descriptor);
  return FileDescriptor(moved);
}

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    fail(ErrorKind::io,
         "cannot make a pipe to a simulator: {}; use fewer workers or raise the "
         "limit on open files (ulimit -n)",
         std::strerror(errno));
  }
  return {above_standard_streams(ends[0]), above_standard_streams(ends[1])};
}

void make_nonblocking(const FileDescriptor& descriptor) {
  fcntl(descriptor.get(), F_SETFL, fcntl(descriptor.get(), F_GETFL) | O_NONBLOCK);
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  result.reserve(strings.size() + 1);
  for (std::string& text : strings) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

std::vector<std::string> merged_environment(const std::vector<std::string>& added) {
  std::vector<std::string> result = added;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('=') + 1);
    bool replaced = false;
    for (const std::string& other : added) replaced = replaced || other.starts_with(name);
    if (!replaced) result.emplace_back(text);
  }
  return result;
}

// All that the child needs, prepared before fork(): afterwards, in a process that had threads,
// memory must not be allocated.
struct ChildSetup {
  const char* program;
  char* const* arguments;
  char* const* environment;
  const char* directory;  // or nullptr
  int input, output, errors, report;
  pid_t parent;
};

[[noreturn]] void become_program(const ChildSetup& setup) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != setup.parent) _exit(127);  // it died before the line above
  ::signal(SIGPIPE, SIG_DFL);
  ::signal(SIGCHLD, SIG_DFL);
  ::signal(SIGXFSZ, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  dup2(setup.input, 0);
  dup2(setup.output, 1);
  dup2(setup.errors, 2);
  // Libraries (HDF5) open files without O_CLOEXEC; a worker must not hold them.
  close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
  if (setup.directory == nullptr || chdir(setup.directory) == 0) {
    execve(setup.program, setup.arguments, setup.environment);
  }
  const int code = errno;
  [[maybe_unused]] const ssize_t written = ::write(setup.report, &code, sizeof code);
  _exit(127);
}

// 0, or the errno with which the child could not become the program. exec() closes the pipe.
int read_report(Pipe& report) {
  report.write.close();
  int code = 0;
  ssize_t count = 0;
  do {
    count = ::read(report.read.get(), &code, sizeof code);
  } while (count < 0 && errno == EINTR);
  return count == sizeof code ? code : 0;
}

[[noreturn]] void fail_to_start(const fs::path& program, const fs::path& directory, int code) {
  const char* hint = "";
  if (code == ENOEXEC) hint = "; a script must begin with a line like #!/usr/bin/env python3";
  if (code == ENOENT) hint = "; is the interpreter in its first line (#!) there?";
  if (!directory.empty() && access(directory.c_str(), X_OK) != 0) {
    fail(ErrorKind::input, "simulator: cannot start {} in the directory {}: {}", program.string(),
         directory.string(), std::strerror(errno));
  }
  fail(ErrorKind::input, "simulator.command: cannot start {}: {}{}", program.string(),
       std::strerror(code), hint);
}

bool is_runnable(const fs::path& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && access(path.c_str(), X_OK) == 0;
}

}  // namespace

fs::path find_program(const std::string& name, const fs::path& directory) {
  if (name.empty()) fail(ErrorKind::input, "simulator.command: the program's name is empty");
  if (name.find('/') != std::string::npos) {
    const fs::path path = fs::absolute(directory / name);
    if (is_runnable(path)) return path;
    if (!fs::exists(path)) {
      fail(ErrorKind::input, "simulator.command: there is no file {}", path.string());
    }
    fail(ErrorKind::input, "simulator.command: {} is not executable; make it so with chmod +x",
         path.string());
  }
  const char* variable = std::getenv("PATH");  // NOLINT: nobody changes it
  std::string_view rest = variable == nullptr ? "/usr/bin:/bin" : variable;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const fs::path path = fs::absolute(fs::path(rest.substr(0, end)) / name);
    if (is_runnable(path)) return path;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  const bool here = fs::exists(directory / name);
  fail(ErrorKind::input, "simulator.command: no program '{}' in PATH{}", name,
       here ? fmt::format("; for the file beside the problem write \"./{}\"", name) : "");
}

ChildProcess::ChildProcess(const ProcessSpec& spec) {
  Pipe in = make_pipe(), out = make_pipe(), err = make_pipe(), report = make_pipe();
  std::vector<std::string> arguments = spec.arguments;
  std::vector<std::string> variables = merged_environment(spec.environment);
  const std::vector<char*> argv = pointers(arguments), envp = pointers(variables);
  const std::string program = spec.program.string(), directory = spec.directory.string();
  const ChildSetup setup{.program = program.c_str(),
                         .arguments = argv.data(),
                         .environment = envp.data(),
                         .directory = directory.empty() ? nullptr : directory.c_str(),
                         .input = in.read.get(),
                         .output = out.write.get(),
                         .errors = err.write.get(),
                         .report = report.write.get(),
                         .parent = getpid()};
  pid_.value = fork();
  if (pid_.value == 0) become_program(setup);
  if (pid_.value < 0) {
    fail(ErrorKind::io, "cannot start a process for {}: {}", program, std::strerror(errno));
  }
  setpgid(pid_.value, pid_.value);  // whoever comes first; the other attempt changes nothing
  if (const int code = read_report(report); code != 0) {
    kill_and_reap();
    fail_to_start(spec.program, spec.directory, code);
  }
  // 1 MB of data in one go; a system that does not grant it is only slower.
  fcntl(out.read.get(), F_SETPIPE_SZ, 1 << 20);
  make_nonblocking(in.write);
  make_nonblocking(out.read);
  make_nonblocking(err.read);
  input = std::move(in.write);
  output = std::move(out.read);
  errors = std::move(err.read);
}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  if (this != &other) {
    kill_and_reap();
    input = std::move(other.input);
    output = std::move(other.output);
    errors = std::move(other.errors);
    pid_ = std::move(other.pid_);
  }
  return *this;
}

bool ChildProcess::exited() const {
  if (pid_.value < 0) return true;
  siginfo_t info{};
  if (waitid(P_PID, static_cast<id_t>(pid_.value), &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
    return errno != EINTR;
  }
  return info.si_pid != 0;
}

void ChildProcess::signal(int number) const {
  if (pid_.value > 0) ::kill(-pid_.value, number);
}

int ChildProcess::kill_and_reap() {
  if (pid_.value < 0) return 0;
  // The number of the group stays taken until its leader is reaped, so this hits nobody else.
  signal(SIGKILL);
  int status = 0;
  while (waitpid(pid_.value, &status, 0) < 0 && errno == EINTR) {
  }
  pid_.value = -1;
  return status;
}

std::string describe_wait_status(int status) {
  if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    return fmt::format("was ended by signal {} ({})", number, strsignal(number));  // NOLINT
  }
  return fmt::format("ended with exit code {}", WEXITSTATUS(status));
}

PipeRead read_pipe(const FileDescriptor& pipe, char* buffer, std::size_t size) {
  for (;;) {
    const ssize_t count = ::read(pipe.get(), buffer, size);
    if (count > 0) return {static_cast<std::size_t>(count), false};
    if (count == 0) return {0, true};
    if (errno == EAGAIN) return {0, false};
    if (errno != EINTR) return {0, true};
  }
}

namespace {

sigset_t only_sigpipe() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGPIPE);
  return set;
}

bool sigpipe_is_pending() {
  sigset_t pending;
  sigpending(&pending);
  return sigismember(&pending, SIGPIPE) == 1;
}

}  // namespace

SigpipeGuard::SigpipeGuard() : was_pending_(sigpipe_is_pending()) {
  const sigset_t set = only_sigpipe();
  sigset_t before;
  pthread_sigmask(SIG_BLOCK, &set, &before);
  was_blocked_ = sigismember(&before, SIGPIPE) == 1;
}

SigpipeGuard::~SigpipeGuard() {
  const sigset_t set = only_sigpipe();
  const timespec at_once{};
  if (!was_pending_ && sigpipe_is_pending()) sigtimedwait(&set, nullptr, &at_once);
  if (!was_blocked_) pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

}  // namespace hone
