#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "hone/core/matrix.h"

namespace hone {

// Files that survive kill -9, a full disk and a power cut. All failures are Error{io} with the
// path, the system's reason and what to do.

// After a crash at any moment the file holds either its old content or the new one, never a part:
// written to a new file with a random name, "<path>.<16 digits>.tmp", synced, renamed, and the
// directory synced. Durable on return. Several processes, maybe on several machines, may write it
// at the same time: the last one to finish wins. A link at <path> is replaced, never followed.
void write_file_atomically(const std::filesystem::path& path, std::span<const std::byte> bytes);
void write_file_atomically(const std::filesystem::path& path, std::string_view text);

// The same without waiting for the disk: for what nobody needs after a power cut.
void replace_file(const std::filesystem::path& path, std::string_view text);

// All of it, also to pipes and devices. `path` is for the message.
void write_all(int file, std::span<const std::byte> bytes, const std::filesystem::path& path);

// The whole file; refuses more than `limit` bytes, as nothing hone reads whole is large.
std::string read_file(const std::filesystem::path& path, std::size_t limit = std::size_t{1} << 26);

// Removes "*.tmp" files that writers left in the directory and below it when they were killed.
// Those of living processes stay.
void remove_temporary_files(const std::filesystem::path& directory);

// What was created, renamed or removed in it is durable on return.
void sync_directory(const std::filesystem::path& directory);

// A directory and its parents, durable on return.
void create_directories_durably(const std::filesystem::path& directory);

// An open file or pipe, closed at the end of its life.
class FileDescriptor {
 public:
  explicit FileDescriptor(int descriptor = -1) : descriptor_(descriptor) {}
  FileDescriptor(FileDescriptor&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  ~FileDescriptor() { close(); }
  int get() const { return descriptor_; }
  bool open() const { return descriptor_ >= 0; }
  void close();

 private:
  int descriptor_;
};

// A regular file opened for reading at any place, by any thread.
class ReadableFile {
 public:
  explicit ReadableFile(std::filesystem::path path);
  const std::filesystem::path& path() const { return path_; }
  Index length() const { return length_; }                  // bytes, when it was opened
  void read(std::span<std::byte> out, Index offset) const;  // a short file is an error

 private:
  std::filesystem::path path_;
  FileDescriptor file_;
  Index length_ = 0;
};

// Throws Error{io}: "<path>: cannot <action>: No space left on device; make room and run `hone
// resume`".
[[noreturn]] void fail_io(const std::filesystem::path& path, std::string_view action, int code);

}  // namespace hone
