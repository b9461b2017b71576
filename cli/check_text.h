#pragma once

#include <string>

#include "hone/check/checks.h"

namespace hone::cli {

// The verdict and every check in a line or two; those that passed only if `all`.
std::string check_lines(const Checks& checks, bool all);

// "hone: the joint posterior (a density of all parameters): pass: ..."
std::string joint_line(const std::string& source, const CheckResult& check);

// Coverage at 1, 2 and 3 sigma: every 1-d marginal, the means, and the worst others.
std::string coverage_table(const Checks& checks);

// Which posteriors were widened, and what that did; empty if none.
std::string correction_lines(const Checks& checks);

}  // namespace hone::cli
