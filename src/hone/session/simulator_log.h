#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "hone/core/matrix.h"
#include "hone/files/files.h"

namespace hone {

// The simulator.log of a run: lines of external programs, appended, up to a size. A simulator that
// writes without end must not fill the disk: what is too much is counted, and the log says so.
class SimulatorLog {
 public:
  static constexpr Index kMostBytes = Index{16} << 20;

  explicit SimulatorLog(std::filesystem::path file, Index most_bytes = kMostBytes);
  ~SimulatorLog();  // notes what was left out
  SimulatorLog(const SimulatorLog&) = delete;
  SimulatorLog& operator=(const SimulatorLog&) = delete;

  void write(int worker, std::string_view line);
  Index left_out() const { return left_out_; }  // lines, of this process

 private:
  void open();
  void append(const std::string& text);

  std::filesystem::path path_;
  Index most_bytes_;
  FileDescriptor file_;
  bool opened_ = false;
  Index bytes_ = 0;  // of the file
  Index left_out_ = 0, left_out_bytes_ = 0;
};

}  // namespace hone
