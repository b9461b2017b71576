#pragma once

#include <span>
#include <utility>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include "hone/core/matrix.h"

namespace hone::python {

namespace py = pybind11;

// What the Python side hands over: checked there, contiguous and of this type here.
using DoubleArray = py::array_t<double, py::array::c_style>;

// The array's own memory as (rows, columns); Error{input} unless it has two dimensions, and this
// many columns if asked.
MatrixView<const double> matrix_view(const DoubleArray& array, const char* name,
                                     Index columns = -1);
// The array's own memory; Error{input} unless it has one dimension.
std::span<const double> vector_view(const DoubleArray& array, const char* name);
Matrix<double> to_matrix(const DoubleArray& array, const char* name, Index columns = -1);
std::vector<double> to_vector(const DoubleArray& array, const char* name);

DoubleArray to_numpy(std::span<const double> values);
DoubleArray to_numpy(MatrixView<const double> values);

}  // namespace hone::python
