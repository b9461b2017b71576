#pragma once

#include <filesystem>

#include "hone/inference/run.h"

namespace hone {

// The run of a study's case in its own directory: one that was interrupted there goes on, anything
// else in its place is removed.
Run open_case_run(const std::filesystem::path& directory, RunSpec spec);

}  // namespace hone
