#include "hone/files/hdf5_foreign.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <optional>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hone/core/suggestion.h"
#include "hone/files/confine.h"
#include "hone/files/files.h"
#include "hone/files/hdf5_answer.h"
#include "hone/files/hdf5_handle.h"

namespace hone::hdf5 {
namespace {

std::vector<Numbers> read_here(const std::filesystem::path& path,
                               const std::vector<std::string>& names) {
  const File file(path);
  const std::vector<std::string> present = file.names();
  std::vector<Numbers> result;
  for (const std::string& name : names) {
    const bool in_group = name.find('/') != std::string::npos;
    if (!in_group && std::ranges::find(present, name) == present.end()) {
      fail(ErrorKind::input, "{}: there is no data set '{}' in it; {}", path.string(), name,
           suggestion(name, present));
    }
    result.push_back(file.read_numbers(name));
  }
  return result;
}

[[noreturn]] void answer(int pipe, const std::filesystem::path& path,
                         const std::vector<std::string>& names) {
  std::string message;
  try {
    write_numbers(pipe, read_here(path, names));
    ::_exit(0);
  } catch (const Error& error) {
    message = error.what();
  } catch (...) {
    message = path.string() + ": not enough memory to read it, or damaged";
  }
  write_error(pipe, message);
  ::_exit(0);
}

// A process that is waited for at the end of its life.
class Child {
 public:
  explicit Child(pid_t process) : process_(process) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }

 private:
  pid_t process_;
};

}  // namespace

std::vector<Numbers> read_foreign(const std::filesystem::path& path,
                                  const std::vector<std::string>& names) {
  const Index length = ReadableFile(path).length();
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail_io(path, "read it in a process of its own", errno);
  std::optional<FileDescriptor> reading(ends[0]);
  std::optional<FileDescriptor> writing(ends[1]);
  pid_t process = 0;
  {
    const Session session;  // no other thread is inside libhdf5 at this moment
    process = ::fork();
  }
  if (process < 0) fail_io(path, "read it in a process of its own", errno);
  if (process == 0) {
    // A file may also make libhdf5 run in circles; an honest one moves 1 MB a second.
    ::signal(SIGALRM, SIG_DFL);
    ::signal(SIGPIPE, SIG_IGN);
    ::alarm(static_cast<unsigned>(60 + std::min<Index>(length >> 20, 1000000)));
    answer(confine_this_process(writing->get(), length), path, names);
  }
  const Child child(process);
  writing.reset();
  // Its destructor comes before that of the child, which then cannot block on a full pipe.
  const FileDescriptor answers = std::move(*reading);
  auto result = read_answer(answers.get(), names.size(), 2000 * length);
  if (!result) {
    fail(ErrorKind::input, "{}: damaged: the HDF5 library crashes on it; write the file anew",
         path.string());
  }
  return std::move(*result);
}

}  // namespace hone::hdf5
