#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "hone/core/matrix.h"

namespace hone {

// An array of any rank, row-major: weights of a network, a posterior on a grid.
struct NamedArray {
  std::string name;          // not empty, without '/'; unique in its file
  std::vector<Index> shape;  // outermost first; empty for a single number
  std::variant<std::vector<float>, std::vector<double>> values;

  bool operator==(const NamedArray&) const = default;
};

// One HDF5 file with a data set for each array, written atomically (hone/store/files.h). Equal
// arrays give equal bytes, whatever the order they are given in.
void write_arrays(const std::filesystem::path& path, std::span<const NamedArray> arrays);

// The arrays of such a file, sorted by name. A damaged file is an Error{io}.
std::vector<NamedArray> read_arrays(const std::filesystem::path& path);

// The array of this name; Error{io} if there is none.
const NamedArray& find_array(std::span<const NamedArray> arrays, const std::string& name);

}  // namespace hone
