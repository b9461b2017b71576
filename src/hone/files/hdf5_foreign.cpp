#include "hone/files/hdf5_foreign.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <optional>
#include <span>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hone/core/suggestion.h"
#include "hone/files/confine.h"
#include "hone/files/files.h"
#include "hone/files/hdf5_handle.h"

namespace hone::hdf5 {
namespace {

// What the child says first: numbers follow, or the text of an error.
constexpr Index kNumbersFollow = 1, kErrorFollows = 2;
constexpr Index kLongestError = 10000;

void write_all(int pipe, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(pipe, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) ::_exit(1);  // nobody listens any more
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

void write_index(int pipe, Index value) {
  write_all(pipe, std::as_bytes(std::span(&value, 1)));
}

// False when the child has died.
bool read_all(int pipe, std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::read(pipe, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

std::optional<Index> read_index(int pipe, Index most) {
  Index value = 0;
  if (!read_all(pipe, std::as_writable_bytes(std::span(&value, 1)))) return std::nullopt;
  if (value < 0 || value > most) return std::nullopt;
  return value;
}

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
    const std::vector<Numbers> result = read_here(path, names);
    write_index(pipe, kNumbersFollow);
    for (const Numbers& numbers : result) {
      write_index(pipe, std::ssize(numbers.shape));
      write_all(pipe, std::as_bytes(std::span(numbers.shape)));
      write_index(pipe, std::ssize(numbers.values));
      write_all(pipe, std::as_bytes(std::span(numbers.values)));
    }
    ::_exit(0);
  } catch (const Error& error) {
    message = error.what();
  } catch (...) {
    message = path.string() + ": not enough memory to read it, or damaged";
  }
  message.resize(std::min<std::size_t>(message.size(), kLongestError));
  write_index(pipe, kErrorFollows);
  write_index(pipe, std::ssize(message));
  write_all(pipe, std::as_bytes(std::span(message)));
  ::_exit(0);
}

// Nothing if the child died on the way.
std::optional<Numbers> read_array(int pipe, Index most) {
  Numbers numbers;
  const auto rank = read_index(pipe, H5S_MAX_RANK);
  if (!rank) return std::nullopt;
  numbers.shape.resize(static_cast<std::size_t>(*rank));
  if (!read_all(pipe, std::as_writable_bytes(std::span(numbers.shape)))) return std::nullopt;
  const auto count = read_index(pipe, most);
  if (!count || *count != element_count(numbers.shape, "data set")) return std::nullopt;
  numbers.values.resize(static_cast<std::size_t>(*count));
  if (!read_all(pipe, std::as_writable_bytes(std::span(numbers.values)))) return std::nullopt;
  return numbers;
}

// Nothing if the child died on the way.
std::optional<std::vector<Numbers>> listen(int pipe, std::size_t arrays, Index file_length) {
  const auto kind = read_index(pipe, kErrorFollows);
  if (!kind) return std::nullopt;
  if (*kind == kErrorFollows) {
    const auto length = read_index(pipe, kLongestError);
    std::string message(static_cast<std::size_t>(length.value_or(0)), '\0');
    if (!length || !read_all(pipe, std::as_writable_bytes(std::span(message)))) return std::nullopt;
    throw Error(ErrorKind::input, message);
  }
  std::vector<Numbers> result;
  for (std::size_t i = 0; i < arrays; ++i) {
    auto numbers = read_array(pipe, 2000 * file_length);
    if (!numbers) return std::nullopt;
    result.push_back(std::move(*numbers));
  }
  return result;
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
  auto result = listen(answers.get(), names.size(), length);
  if (!result) {
    fail(ErrorKind::input, "{}: damaged: the HDF5 library crashes on it; write the file anew",
         path.string());
  }
  return std::move(*result);
}

}  // namespace hone::hdf5
