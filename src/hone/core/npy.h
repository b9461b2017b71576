#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hone/core/matrix.h"

namespace hone {

// NumPy's .npy format. Bytes in, bytes out: files are the caller's.

struct NpyArray {
  std::vector<Index> shape;    // empty for a single number
  std::vector<double> values;  // in C order, whatever the order in the file
};

// Booleans, integers and floats of 1 to 8 bytes, both byte orders, C and Fortran order, versions
// 1 to 3. `name` is for the message of Error{input}; no content can do worse than that.
NpyArray parse_npy(std::string_view bytes, const std::string& name);

// Does it begin like a .npy file?
bool is_npy(std::string_view bytes);

// The array as (rows, columns): one dimension is one column, those after the second are flattened.
// Error{input} for a single number.
Matrix<double> npy_matrix(const NpyArray& array, const std::string& name);

// The bytes in front of the elements, for a Python literal such as
// "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }".
std::string npy_header(const std::string& dictionary);

// Version 1, C-ordered float64.
std::string npy_bytes(MatrixView<const double> values);

}  // namespace hone
