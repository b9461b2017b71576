#pragma once

#include <filesystem>
#include <string>

#include "hone/files/files.h"

namespace hone {

class RunDirectory;

// The first free <parent>/<name>-<n>, n = 1, 2, ...: after the highest number in use. Two
// processes that ask at the same time may get the same answer; create_next_run_directory cannot.
std::filesystem::path next_run_path(const std::filesystem::path& parent, const std::string& name);
std::filesystem::path create_next_run_directory(const std::filesystem::path& parent,
                                                const std::string& name);

// Held while a process works on a run, so that two never do so at once. The second gets an
// Error{io} with the process id of the first. It ends with the process, however that dies. On file
// systems without locks it does nothing.
class RunLock {
 public:
  explicit RunLock(const std::filesystem::path& run_directory);
  // For work on a run that was opened before: Error{io} also if another process had the lock in
  // between and gave the run a larger budget or derived quantities, of which this one knows
  // nothing.
  explicit RunLock(const RunDirectory& run);
  ~RunLock();
  RunLock(RunLock&&) noexcept = default;

 private:
  FileDescriptor file_;
};

// Makes the directory of a new run and locks it: of several processes that try, one gets it. A
// directory that holds anything is refused (Error{input}), for hone never overwrites a run.
RunLock claim_run_directory(const std::filesystem::path& path);

}  // namespace hone
