#pragma once

#include <string>

#include "hone/run/run_directory.h"

namespace hone::cli {

// A run that a command works on. Of one whose files cannot be verified, for an older version made
// it, standard error says so.
RunDirectory open_run(const std::string& directory);

}  // namespace hone::cli
