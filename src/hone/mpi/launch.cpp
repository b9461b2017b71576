#include "hone/mpi/launch.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include <dlfcn.h>
#include <sched.h>
#include <unistd.h>

#include "hone/core/error.h"
#include "hone/core/version.h"

extern char** environ;  // NOLINT: the system's name

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLibrary = "libhone_mpi.so";

// What launchers set for the processes they start, and nobody else does.
constexpr const char* kSignsOfLaunch[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK",
                                          "PMI_SIZE"};
// What of it would make a child process take itself for a rank.
constexpr std::string_view kOfLauncher[] = {
    "OMPI_COMM_WORLD_", "OMPI_UNIVERSE_", "OMPI_MCA_ess", "OMPI_MCA_orte_",
    "OMPI_MCA_pmix",    "PMIX_",          "PMI_",         "PRTE_"};

// Where the library may be: beside the program, as in the build directory; in lib beside the Python
// module; in lib/hone of an installed tree; where HONE_MPI_LIBRARY says.
std::vector<fs::path> candidates() {
  if (const char* given = std::getenv("HONE_MPI_LIBRARY")) return {given};
  std::vector<fs::path> found;
  std::error_code ignored;
  std::vector<fs::path> homes{fs::read_symlink("/proc/self/exe", ignored).parent_path()};
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&launched_by_mpi), &info) != 0) {
    homes.push_back(fs::absolute(info.dli_fname, ignored).parent_path());
  }
  for (const fs::path& home : homes) {
    found.push_back(home / kLibrary);
    found.push_back(home / "lib" / kLibrary);
    found.push_back(home / ".." / HONE_LIBDIR / "hone" / kLibrary);
  }
  found.push_back(fs::path(HONE_FULL_LIBDIR) / "hone" / kLibrary);
  return found;
}

[[noreturn]] void fail_without(const std::string& reason, const MpiWish& wish) {
  if (wish.communicator != nullptr) {
    fail(ErrorKind::input, "a communicator was given, but {}", reason);
  }
  fail(ErrorKind::input,
       "this is a rank of an MPI job, but {}. Start it without mpirun, or set HONE_MPI=off if the "
       "ranks are not meant to work together",
       reason);
}

}  // namespace

std::vector<std::string> launcher_variables() {
  std::vector<std::string> names;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const auto starts = [&](std::string_view prefix) { return text.starts_with(prefix); };
    if (std::ranges::any_of(kOfLauncher, starts)) names.emplace_back(text, 0, text.find('='));
  }
  return names;
}

void forget_launcher() {
  for (const std::string& name : launcher_variables()) unsetenv(name.c_str());
}

std::span<const char* const> signs_of_launch() {
  return kSignsOfLaunch;
}

bool launched_by_mpi() {
  const char* wish = std::getenv("HONE_MPI");
  if (wish != nullptr && std::string_view(wish) == "off") return false;
  return std::ranges::any_of(kSignsOfLaunch,
                             [](const char* name) { return std::getenv(name) != nullptr; });
}

int launched_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"}) {
    if (const char* rank = std::getenv(name)) return std::atoi(rank);
  }
  return 0;
}

std::unique_ptr<Transport> join_mpi_job(const MpiWish& wish) {
  const auto places = candidates();
  const auto file = std::ranges::find_if(places, [](const fs::path& place) {
    std::error_code ignored;
    return fs::exists(place, ignored);
  });
  if (file == places.end()) {
    fail_without(fmt::format("hone was built without MPI ({} is missing; install libopenmpi-dev or "
                             "libmpich-dev and build again)",
                             kLibrary),
                 wish);
  }
  // Global: Open MPI opens parts of its own, which look for its symbols.
  void* library = dlopen(file->c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) fail_without(fmt::format("MPI cannot be loaded: {}", dlerror()), wish);
  auto* open = reinterpret_cast<OpenMpi*>(dlsym(library, "hone_open_mpi"));
  char error[256] = "it is not a part of hone";
  std::unique_ptr<Transport> transport(
      open == nullptr ? nullptr : open(version(), wish, error, sizeof error));
  if (!transport) fail_without(fmt::format("{} cannot be used: {}", file->string(), error), wish);
  return transport;
}

int threads_of_rank(const Transport& transport) {
  const auto cores = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  const bool known = sched_getaffinity(0, sizeof allowed, &allowed) == 0;
  const int mine = known ? CPU_COUNT(&allowed) : cores;
  return std::max(1, std::min(mine, cores / transport.ranks_on_this_machine()));
}

}  // namespace hone
