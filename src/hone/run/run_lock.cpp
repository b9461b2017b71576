#include "hone/run/run_lock.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hone/core/error.h"
#include "hone/run/run_directory.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

// n of "<name>-<n>", or 0.
Index run_number(const std::string& file_name, const std::string& name) {
  if (!file_name.starts_with(name + "-")) return 0;
  const std::string_view digits = std::string_view(file_name).substr(name.size() + 1);
  int number = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return code == std::errc() && end == digits.data() + digits.size() ? number : 0;
}

fs::path lock_in(const fs::path& run_directory) {
  return run_directory / RunDirectory::kLockName;
}

bool locks_are_missing(int code) {
  return code == ENOLCK || code == ENOSYS || code == EOPNOTSUPP || code == EINVAL;
}

std::string process_in(int file) {
  std::array<char, 32> text{};
  const ssize_t count = ::pread(file, text.data(), text.size(), 0);
  std::string digits(text.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  digits.resize(std::min(digits.find_first_not_of("0123456789"), digits.size()));
  return digits.empty() ? "another process" : "process " + digits;
}

// What a process leaves that dies between locking the directory of a new run and writing its
// run.json, which comes last.
bool is_of_a_run_that_never_began(const fs::path& file) {
  const std::string name = file.filename().string();
  const std::string spec = RunDirectory::kSpecName, noise = RunDirectory::kNoiseName;
  const bool first_file = name.starts_with(spec + ".") || name.starts_with(noise + ".");
  return name == RunDirectory::kLockName || name == noise || (first_file && name.ends_with(".tmp"));
}

void require_unused(const fs::path& path) {
  std::error_code code;
  for (fs::directory_iterator entry(path, code), end; !code && entry != end;
       entry.increment(code)) {
    if (is_of_a_run_that_never_began(entry->path())) continue;
    fail_with_advice(ErrorKind::input, path.string() + ": exists and is not empty",
                     {.before = "; choose another place, or ",
                      .action = Action::open,
                      .run = path.string(),
                      .after = " to go on with it"});
  }
  if (code) fail_io(path, "look into it", code.value());
}

}  // namespace

fs::path next_run_path(const fs::path& parent, const std::string& name) {
  Index last = 0;
  std::error_code code;
  for (fs::directory_iterator entry(parent, code), end; !code && entry != end;
       entry.increment(code)) {
    last = std::max(last, run_number(entry->path().filename().string(), name));
  }
  if (code && code != std::errc::no_such_file_or_directory) {
    fail_io(parent, "look into it", code.value());
  }
  return parent / fmt::format("{}-{}", name, last + 1);
}

fs::path create_next_run_directory(const fs::path& parent, const std::string& name) {
  create_directories_durably(parent);
  while (true) {
    const fs::path path = next_run_path(parent, name);
    // Only one process can make it; the other looks for the next number.
    if (::mkdir(path.c_str(), 0755) == 0) return path;
    if (errno != EEXIST) fail_io(path, "create", errno);
  }
}

RunLock::RunLock(const fs::path& run_directory)
    : file_(
          ::open(lock_in(run_directory).c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644)) {
  if (file_.get() < 0) fail_io(lock_in(run_directory), "open", errno);
  if (::flock(file_.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) {
      fail(ErrorKind::io, "{}: {} is working on this run; wait for it or stop it first",
           run_directory.string(), process_in(file_.get()));
    }
    if (!locks_are_missing(errno)) fail_io(lock_in(run_directory), "lock", errno);
  }
  // The number only helps people. A full disk may keep it out: then there is room to make first,
  // and the next write says so.
  const std::string text = std::to_string(::getpid()) + "\n";
  if (::ftruncate(file_.get(), 0) != 0 || ::pwrite(file_.get(), text.data(), text.size(), 0) < 0) {
    return;
  }
}

RunLock::RunLock(const RunDirectory& run) : RunLock(run.path()) {
  if (run.is_current()) return;
  fail(ErrorKind::io,
       "{}: another process has changed this run while this one began; start the command again",
       run.path().string());
}

// Closing would not do: processes forked meanwhile have the descriptor too, and with it the lock.
RunLock::~RunLock() {
  if (file_.get() >= 0) ::flock(file_.get(), LOCK_UN);
}

RunLock claim_run_directory(const fs::path& path) {
  std::error_code code;
  if (fs::exists(path, code) && !fs::is_directory(path, code)) {
    fail(ErrorKind::input, "{}: exists and is not a directory; choose another place",
         path.string());
  }
  create_directories_durably(path);
  require_unused(path);  // before anything is written into a directory that is not ours
  RunLock lock(path);
  require_unused(path);  // another process may have had the lock in between
  return lock;
}

}  // namespace hone
