#include "hone/bench/case_run.h"

#include "hone/core/error.h"
#include "hone/files/files.h"
#include "hone/problem/problem.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

bool holds_run(const fs::path& directory, const RunSpec& spec) {
  try {
    if (!RunDirectory::is_run(directory)) return false;
    RunSpec found = RunDirectory::open(directory).spec();
    // A simulator's own noise is noted only when the run begins.
    if (found.noise.kind == NoiseKind::simulator) found.noise = spec.noise;
    return to_json(found) == to_json(spec);
  } catch (const Error&) {
    return false;  // damaged, or another run: it is made again
  }
}

}  // namespace

RunSpec task_run(const Task& task, std::vector<double> observation, std::uint64_t seed,
                 const InferenceOptions& options) {
  return {.name = task.name,
          .simulator = task_simulator(task.name),
          .seed = seed,
          .prior = task.prior,
          .observation = std::move(observation),
          .data = task.data,
          .marginals = marginals_from_words({}, task.prior),
          .options = options};
}

RunDirectory open_case_run(const fs::path& directory, RunSpec spec) {
  if (holds_run(directory, spec)) return RunDirectory::open(directory);
  fs::remove_all(directory);
  create_directories_durably(directory.parent_path());
  return RunDirectory::create(directory, std::move(spec));
}

}  // namespace hone
