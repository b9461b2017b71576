#include "python/core/arrays.h"

#include <algorithm>

#include "hone/core/error.h"

namespace hone::python {

MatrixView<const double> matrix_view(const DoubleArray& array, const char* name, Index columns) {
  if (array.ndim() != 2) {
    fail(ErrorKind::input, "{}: has {} dimensions; must have 2: (rows, columns)", name,
         array.ndim());
  }
  if (columns >= 0 && array.shape(1) != columns) {
    fail(ErrorKind::input, "{}: has {} columns; must have {}", name, array.shape(1), columns);
  }
  return {array.data(), array.shape(0), array.shape(1)};
}

std::span<const double> vector_view(const DoubleArray& array, const char* name) {
  if (array.ndim() != 1) {
    fail(ErrorKind::input, "{}: has {} dimensions; must have 1", name, array.ndim());
  }
  return {array.data(), static_cast<std::size_t>(array.size())};
}

Matrix<double> to_matrix(const DoubleArray& array, const char* name, Index columns) {
  const MatrixView<const double> view = matrix_view(array, name, columns);
  Matrix<double> result(view.rows(), view.cols());
  std::copy_n(view.data(), view.rows() * view.cols(), result.data());
  return result;
}

std::vector<double> to_vector(const DoubleArray& array, const char* name) {
  const auto view = vector_view(array, name);
  return {view.begin(), view.end()};
}

DoubleArray to_numpy(std::span<const double> values) {
  // By its shape, here and elsewhere: made by its size alone, an array of pybind11 before 2.12 has
  // the stride 0 under numpy 2, so that every element is the first one.
  return DoubleArray(py::array::ShapeContainer{static_cast<py::ssize_t>(values.size())},
                     values.data());
}

DoubleArray to_numpy(MatrixView<const double> values) {
  DoubleArray result({values.rows(), values.cols()});
  for (Index i = 0; i < values.rows(); ++i) {
    std::ranges::copy(values.row(i), result.mutable_data() + i * values.cols());
  }
  return result;
}

}  // namespace hone::python
