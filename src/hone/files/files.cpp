#include "hone/files/files.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <random>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hone/core/error.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTemporarySuffix = ".tmp";

const char* hint(int code) {
  switch (code) {
    case EMFILE:
    case ENFILE: return "; raise the limit of open files (ulimit -n)";
    case EIO: return "; the disk may be failing";
    default: return "";
  }
}

Advice advice(int code) {
  switch (code) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG: return {.before = "; make room and ", .action = Action::resume};
    case EACCES:
    case EPERM:
    case EROFS: return {.before = "; make it accessible to you and ", .action = Action::resume};
    default: return {};
  }
}

template <typename Call>
auto retry_when_interrupted(Call call) {
  auto result = call();
  while (result == -1 && errno == EINTR) result = call();
  return result;
}

fs::path directory_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

// 64 random bits: process ids repeat on other machines, and nobody can put a link in the way of a
// name that he cannot guess.
fs::path temporary_for(const fs::path& path) {
  std::random_device random;
  fs::path temporary = path;
  temporary += fmt::format(".{:08x}{:08x}{}", random(), random(), kTemporarySuffix);
  return temporary;
}

enum class Sync { yes, no };

// The file is locked as long as it is open: remove_temporary_files() tells by it whether its writer
// is alive. Returns false if that function came between the opening and the lock.
bool write_new(const fs::path& temporary, std::span<const std::byte> bytes, const fs::path& path,
               Sync sync) {
  constexpr int kNewFile = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  const FileDescriptor file(::open(temporary.c_str(), kNewFile, 0644));
  if (file.get() < 0) fail_io(path, "write", errno);
  ::flock(file.get(), LOCK_EX | LOCK_NB);
  write_all(file.get(), bytes, path);
  if (sync == Sync::yes && ::fsync(file.get()) != 0) fail_io(path, "sync", errno);
  if (::rename(temporary.c_str(), path.c_str()) == 0) return true;
  if (errno != ENOENT) fail_io(path, "write", errno);
  struct stat status {};
  const bool removed = ::fstat(file.get(), &status) == 0 && status.st_nlink == 0;
  if (!removed) fail_io(path, "write", ENOENT);
  return false;
}

void replace(const fs::path& path, std::span<const std::byte> bytes, Sync sync) {
  for (bool written = false; !written;) {
    const fs::path temporary = temporary_for(path);
    try {
      written = write_new(temporary, bytes, path, sync);
    } catch (...) {
      ::unlink(temporary.c_str());
      throw;
    }
  }
  if (sync == Sync::yes) sync_directory(directory_of(path));
}

// Nobody writes it any more. Where the file system has no locks nobody can tell, and it stays.
bool is_abandoned(const fs::path& temporary) {
  const FileDescriptor file(
      ::open(temporary.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  return file.open() && ::flock(file.get(), LOCK_EX | LOCK_NB) == 0;
}

}  // namespace

void sync_directory(const fs::path& directory) {
  const FileDescriptor file(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (file.get() < 0) fail_io(directory, "open", errno);
  // Some network file systems cannot sync a directory and say EINVAL; they are durable by rename.
  if (::fsync(file.get()) != 0 && errno != EINVAL) fail_io(directory, "sync", errno);
}

void write_all(int file, std::span<const std::byte> bytes, const fs::path& path) {
  while (!bytes.empty()) {
    const ssize_t written =
        retry_when_interrupted([&] { return ::write(file, bytes.data(), bytes.size()); });
    if (written < 0) fail_io(path, "write", errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void fail_io(const fs::path& path, std::string_view action, int code) {
  throw Error(ErrorKind::io,
              ErrorParts{.place = path.string(),
                         .reason = fmt::format("cannot {}: {}{}", action,
                                               std::generic_category().message(code), hint(code)),
                         .advice = advice(code)});
}

void write_file_atomically(const fs::path& path, std::span<const std::byte> bytes) {
  replace(path, bytes, Sync::yes);
}

void replace_file(const fs::path& path, std::string_view text) {
  replace(path, std::as_bytes(std::span(text)), Sync::no);
}

void write_file_atomically(const fs::path& path, std::string_view text) {
  write_file_atomically(path, std::as_bytes(std::span(text)));
}

std::string read_file(const fs::path& path, std::size_t limit) {
  const ReadableFile file(path);
  const auto length = static_cast<std::size_t>(file.length());
  if (length > limit) {
    fail(ErrorKind::io, "{}: {} bytes, more than the {} allowed; is it the right file?",
         path.string(), length, limit);
  }
  std::string text(length, '\0');
  file.read(std::as_writable_bytes(std::span(text)), 0);
  return text;
}

void remove_temporary_files(const fs::path& directory) {
  std::error_code code;
  for (fs::recursive_directory_iterator entry(directory, code), end; !code && entry != end;
       entry.increment(code)) {
    const fs::path& path = entry->path();
    if (path.extension() != kTemporarySuffix || !entry->is_regular_file(code)) continue;
    if (is_abandoned(path)) fs::remove(path, code);
  }
  // What another process renames or removes meanwhile is no failure.
  if (code && code != std::errc::no_such_file_or_directory) {
    fail_io(directory, "remove temporary files in it", code.value());
  }
}

void create_directories_durably(const fs::path& directory) {
  std::error_code code;
  if (directory.empty() || fs::is_directory(directory, code)) return;
  create_directories_durably(directory.parent_path());
  if (::mkdir(directory.c_str(), 0755) != 0 && errno != EEXIST) {
    fail_io(directory, "create", errno);
  }
  if (!fs::is_directory(directory, code)) fail_io(directory, "create", ENOTDIR);
  sync_directory(directory_of(directory));
}

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  if (this != &other) {
    close();
    descriptor_ = std::exchange(other.descriptor_, -1);
  }
  return *this;
}

void FileDescriptor::close() {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

ReadableFile::ReadableFile(fs::path path)
    // O_NONBLOCK: a pipe put in place of the file must not make us wait for its writer.
    : path_(std::move(path)), file_(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  if (file_.get() < 0) fail_io(path_, "open", errno);
  struct stat status {};
  if (::fstat(file_.get(), &status) != 0) fail_io(path_, "read", errno);
  if (!S_ISREG(status.st_mode)) fail(ErrorKind::io, "{}: not a regular file", path_.string());
  length_ = status.st_size;
}

void ReadableFile::read(std::span<std::byte> out, Index offset) const {
  while (!out.empty()) {
    const ssize_t count = retry_when_interrupted(
        [&] { return ::pread(file_.get(), out.data(), out.size(), offset); });
    if (count < 0) fail_io(path_, "read", errno);
    if (count == 0) fail(ErrorKind::io, "{}: the file ends too early", path_.string());
    out = out.subspan(static_cast<std::size_t>(count));
    offset += count;
  }
}

}  // namespace hone
