#pragma once

#include <filesystem>

#include "hone/run/run_directory.h"
#include "hone/tasks/task.h"

namespace hone {

// All 1-d and 2-d marginals of a task.
RunSpec task_run(const Task& task, std::vector<double> observation, std::uint64_t seed,
                 const InferenceOptions& options);

// The run of a study's case in its own directory: one that was interrupted there goes on, anything
// else in its place is removed.
RunDirectory open_case_run(const std::filesystem::path& directory, RunSpec spec);

}  // namespace hone
