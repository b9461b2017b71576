#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "hone/core/npy.h"  // npy_bytes(), for those who write

namespace hone {

// Numbers of a text file, separated by commas, semicolons or blanks, in any number of lines. A first
// line that holds no number is taken as a header; text after '#' is ignored. Error{input} with file,
// line and word if anything else is not a finite number, or if there are none. An .npy file is known
// by its first bytes; all its elements are taken, in C order.
std::vector<double> read_numbers(const std::filesystem::path& file);

}  // namespace hone
