#pragma once

#include <string>

#include "hone/inference/run.h"

namespace hone::cli {

// The report of a run that has just ended. What goes wrong is a warning on standard error: it must
// not look as if the run had failed. The text to print: where the report is, or nothing.
std::string try_report(const Run& run);

}  // namespace hone::cli
