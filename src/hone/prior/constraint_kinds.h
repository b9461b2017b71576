#pragma once

#include <string>
#include <vector>

namespace hone {

// The words by which files name the kinds of RegionConstraint that this version can read.
std::vector<std::string> constraint_kinds();

}  // namespace hone
