#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace hone {

// The members of a ZIP archive such as NumPy's .npz: stored or deflated, with or without the 64-bit
// extension. Nothing in the file is believed before it is checked; whatever is wrong is an
// Error{input} with the file. A member takes at most about 1,000 times its space in the file.
class ZipFile {
 public:
  explicit ZipFile(const std::filesystem::path& path);

  std::vector<std::string> names() const;  // sorted
  bool contains(const std::string& name) const { return members_.contains(name); }

  // The whole content of a member that is there, its checksum compared.
  std::string read(const std::string& name) const;

 private:
  struct Member {
    std::uint32_t checksum = 0;
    std::uint16_t method = 0;
    std::uint16_t flags = 0;
    std::uint64_t packed = 0;    // bytes in the file
    std::uint64_t unpacked = 0;  // bytes when read
    std::uint64_t offset = 0;    // of its local header
  };
  struct Directory {
    std::uint64_t offset = 0;
    std::uint64_t entries = 0;
  };

  [[noreturn]] void damaged(const std::string& what) const;
  template <typename T>
  T number(std::uint64_t offset) const;
  std::uint64_t find_end() const;
  Directory find_directory() const;
  std::uint64_t read_entry(std::uint64_t offset);
  void read_large_sizes(Member& member, std::uint64_t begin, std::uint64_t end) const;

  std::filesystem::path path_;
  std::string bytes_;
  std::map<std::string, Member> members_;
};

}  // namespace hone
