#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "hone/core/matrix.h"

namespace hone {

// An array of NumPy's .npy format, row-major whatever its order in the file.
struct NpyArray {
  std::vector<Index> shape;  // outermost first; empty for a single number
  std::vector<double> values;
};

// Versions 1 to 3 of the format with elements <f4, <f8, <i4 or <i8, in C or Fortran order. The
// bytes may be anything: what is wrong with them is an Error{input} that begins with `name`.
NpyArray parse_npy(std::span<const std::byte> bytes, const std::string& name);

// The array as (rows, columns): one dimension is one column, those after the second are flattened.
// Error{input} for a single number.
Matrix<double> npy_matrix(const NpyArray& array, const std::string& name);

// Version 1 of a C-ordered float64 matrix.
std::string npy_bytes(MatrixView<const double> values);

// The bytes in front of the elements, for a Python literal such as
// "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }".
std::string npy_header(const std::string& dictionary);

}  // namespace hone
