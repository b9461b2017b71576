#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/program.h"

// Runs the built program under mpirun, as a user would.

namespace hone {

// False where hone was built without MPI.
bool has_mpirun();

class MpiJob {
 public:
  MpiJob(const std::filesystem::path& directory, int ranks, const Arguments& arguments);
  ~MpiJob();  // kills what still runs

  RunningProgram& mpirun() { return *mpirun_; }
  bool send(int rank, int signal) const;  // false if there is no such rank any more
  void kill_all();
  ProgramResult wait(double timeout_seconds = 120) { return mpirun_->wait(timeout_seconds); }

 private:
  std::vector<pid_t> processes(const std::string& variable) const;

  std::string mark_;  // in the environment of every process of the job
  std::unique_ptr<RunningProgram> mpirun_;
};

// From start to end.
ProgramResult run_job(const std::filesystem::path& directory, int ranks,
                      const Arguments& arguments);

}  // namespace hone
