#include "cli/open_run.h"

#include <fmt/format.h>

#include "cli/text.h"

namespace hone::cli {

RunDirectory open_run(const std::string& directory) {
  RunDirectory run = RunDirectory::open(directory);
  if (!run.verified()) {
    print_error(fmt::format("warning: {}: {}\n", run.path().string(), kNotVerified));
  }
  return run;
}

}  // namespace hone::cli
