#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "hone/core/matrix.h"

namespace hone {

// Numbers of a text file, separated by commas, semicolons or blanks, in any number of lines. A first
// line that holds no number is taken as a header; text after '#' is ignored. Error{input} with file,
// line and word if anything else is not a finite number, or if there are none.
std::vector<double> read_numbers(const std::filesystem::path& file);

// NumPy's .npy format, version 1, of a C-ordered float64 matrix.
std::string npy_bytes(MatrixView<const double> values);

}  // namespace hone
