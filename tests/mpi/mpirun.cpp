#include "mpi/mpirun.h"

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string_view>

#include <unistd.h>

#ifndef HONE_MPIRUN
#define HONE_MPIRUN ""
#endif

namespace hone {
namespace {

namespace fs = std::filesystem;

bool in_environment(const fs::path& process, const std::string& variable) {
  std::stringstream text;
  text << std::ifstream(process / "environ").rdbuf();
  const std::string all = std::string(1, '\0') + text.str();
  return all.find(std::string(1, '\0') + variable + std::string(1, '\0')) != std::string::npos;
}

}  // namespace

bool has_mpirun() {
  return !std::string_view(HONE_MPIRUN).empty();
}

MpiJob::MpiJob(const fs::path& directory, int ranks, const Arguments& arguments) {
  static int number = 0;
  mark_ = std::to_string(getpid()) + "-" + std::to_string(++number);
  ::setenv("HONE_TEST_JOB", mark_.c_str(), 1);
  // Open MPI's; other launchers take no notice.
  for (const char* name : {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
                           "OMPI_MCA_rmaps_base_oversubscribe"}) {
    ::setenv(name, "1", 1);
  }
  // Seconds from SIGCONT to SIGTERM to SIGKILL when a rank has died: the machine may be busy.
  ::setenv("OMPI_MCA_odls_base_sigkill_timeout", "2", 1);
  mpirun_ =
      std::make_unique<RunningProgram>(directory, arguments, RunningProgram::Output::files, 80,
                                       Arguments{HONE_MPIRUN, "-n", std::to_string(ranks)});
}

MpiJob::~MpiJob() {
  kill_all();
}

std::vector<pid_t> MpiJob::processes(const std::string& variable) const {
  std::vector<pid_t> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const pid_t process = std::stoi(name);
    if (process == getpid() || !in_environment(entry.path(), "HONE_TEST_JOB=" + mark_)) continue;
    if (variable.empty() || in_environment(entry.path(), variable)) found.push_back(process);
  }
  return found;
}

bool MpiJob::send(int rank, int signal) const {
  bool sent = false;
  for (const char* name : {"OMPI_COMM_WORLD_RANK=", "PMI_RANK="}) {
    for (const pid_t process : processes(name + std::to_string(rank))) {
      std::error_code ignored;
      const fs::path program =
          fs::read_symlink("/proc/" + std::to_string(process) + "/exe", ignored);
      if (program == fs::canonical(HONE_PROGRAM)) sent = ::kill(process, signal) == 0 || sent;
    }
  }
  return sent;
}

void MpiJob::kill_all() {
  for (const pid_t process : processes("")) ::kill(process, SIGKILL);
}

ProgramResult run_job(const fs::path& directory, int ranks, const Arguments& arguments) {
  return MpiJob(directory, ranks, arguments).wait();
}

}  // namespace hone
