#pragma once

#include <filesystem>
#include <vector>

namespace hone {

// The numbers of a file: NumPy's .npy (hone/core/npy.h, in C order) or text
// (hone/core/number_text.h), told apart by how it begins. Error{input} if it is neither, if one is
// not finite, or if there are none. may_be_missing: NaN is a value that is not there.
std::vector<double> read_numbers(const std::filesystem::path& file, bool may_be_missing = false);

}  // namespace hone
