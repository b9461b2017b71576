#include "hone/files/output_file.h"

#include <cerrno>
#include <span>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hone/core/error.h"
#include "hone/files/files.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

// Where the open file lies, if that can be told: the link may lead to one that is removed already.
fs::path place_of(const struct stat& open, const fs::path& path) {
  std::error_code code;
  fs::path place = fs::canonical(path, code);
  struct stat found {};
  const bool same = !code && ::stat(place.c_str(), &found) == 0 && found.st_dev == open.st_dev &&
                    found.st_ino == open.st_ino;
  return same ? place : fs::path();
}

void write_through(int file, std::string_view bytes, const fs::path& path) {
  write_all(file, std::as_bytes(std::span(bytes)), path);
  // Devices and pipes have nothing to sync.
  if (::fsync(file) != 0 && errno != EINVAL && errno != EROFS) fail_io(path, "sync", errno);
}

void write_where_it_leads(const fs::path& path, std::string_view bytes) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode)) {
    return write_file_atomically(path, bytes);
  }
  // The system follows the link, for it knows which links in /tmp are not to be trusted.
  const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_NOCTTY | O_CLOEXEC, 0666));
  if (!file.open() || ::fstat(file.get(), &status) != 0) fail_io(path, "write", errno);
  if (!S_ISREG(status.st_mode)) return write_through(file.get(), bytes, path);
  const fs::path place = place_of(status, path);
  if (!place.empty()) return write_file_atomically(place, bytes);
  if (::ftruncate(file.get(), 0) != 0) fail_io(path, "write", errno);
  write_through(file.get(), bytes, path);
}

}  // namespace

// It belongs to no run that could be resumed.
void write_output_file(const fs::path& path, std::string_view bytes) {
  try {
    write_where_it_leads(path, bytes);
  } catch (const Error& error) {
    const Advice& advice = error.advice();
    if (advice.action != Action::resume) throw;
    throw error.with_advice({.before = advice.before + "try again"});
  }
}

}  // namespace hone
