#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace hone {

// Which file of which run. Every file of a run says so, and is refused where it does not belong: in
// another run, or in another place of its own.
struct FileMark {
  std::uint64_t run = 0;  // the run's identity (hone/run/run_directory.h); 0: of no run, unchecked
  std::string name = {};  // the path inside the run, such as "rounds/round-01.h5"

  // Of a file in the directory that this one marks.
  FileMark at(const std::string& file) const { return {run, name + "/" + file}; }
  bool operator==(const FileMark&) const = default;
};

// What is wrong with a file of which another mark was expected; nothing if it belongs there.
std::optional<std::string> misplaced(const FileMark& found, const FileMark& expected);

}  // namespace hone
