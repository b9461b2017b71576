#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "hone/core/matrix.h"

namespace hone {

// Draws from a distribution, one per row.
struct SampleTable {
  std::vector<std::string> names;  // of the columns; empty where the file has none
  Matrix<double> values;           // (draws, columns)
};

// The ending of the file names its format:
//   .csv .csv.bz2  numbers, with or without a header of names; hone sample and sbibm write these
//   .npy           an array of draws x columns
//   .npz           the same, alone in its archive
// The file may hold anything: what is wrong with it is an Error{input} with its name, and for csv
// the line. Values may be NaN; at least one row and one column are there.
SampleTable read_samples(const std::filesystem::path& file);

}  // namespace hone
