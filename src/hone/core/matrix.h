#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <type_traits>

#include "hone/core/error.h"

namespace hone {

using Index = std::int64_t;

// One cache line, and one AVX-512 register.
inline constexpr std::size_t kAlignment = 64;

// Zero-initialised memory on a cache-line boundary.
template <typename T>
class AlignedBuffer {
  static_assert(std::is_trivial_v<T>);

 public:
  AlignedBuffer() = default;
  explicit AlignedBuffer(std::size_t size)
      : data_(size == 0 ? nullptr : new (std::align_val_t{kAlignment}) T[size]()), size_(size) {}

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  std::span<T> span() { return {data_.get(), size_}; }
  std::span<const T> span() const { return {data_.get(), size_}; }

 private:
  struct Deleter {
    void operator()(T* data) const { operator delete[](data, std::align_val_t{kAlignment}); }
  };
  std::unique_ptr<T[], Deleter> data_;
  std::size_t size_ = 0;
};

// A row-major window on memory owned elsewhere: element (i, j) is data[i * stride + j].
// MatrixView<float> converts to MatrixView<const float>.
template <typename T>
class MatrixView {
 public:
  MatrixView() = default;
  MatrixView(T* data, Index rows, Index cols) : MatrixView(data, rows, cols, cols) {}
  MatrixView(T* data, Index rows, Index cols, Index stride)
      : data_(data), rows_(rows), cols_(cols), stride_(stride) {}
  template <typename U>
  requires(std::is_same_v<T, const U>)
      MatrixView(const MatrixView<U>& other)  // NOLINT: implicit, as U* converts to const U*
      : MatrixView(other.data(), other.rows(), other.cols(), other.stride()) {}

  T* data() const { return data_; }
  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  Index stride() const { return stride_; }
  bool empty() const { return rows_ == 0 || cols_ == 0; }

  T& operator()(Index i, Index j) const { return data_[i * stride_ + j]; }
  std::span<T> row(Index i) const { return {data_ + i * stride_, static_cast<std::size_t>(cols_)}; }
  // Rows begin .. begin + count - 1.
  MatrixView rows(Index begin, Index count) const {
    return {data_ + begin * stride_, count, cols_, stride_};
  }

 private:
  T* data_ = nullptr;
  Index rows_ = 0;
  Index cols_ = 0;
  Index stride_ = 0;
};

// An owned, zero-initialised row-major matrix without padding between rows.
template <typename T>
class Matrix {
 public:
  Matrix() = default;
  Matrix(Index rows, Index cols)
      : buffer_(static_cast<std::size_t>(rows * cols)), rows_(rows), cols_(cols) {}

  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  T* data() { return buffer_.data(); }
  const T* data() const { return buffer_.data(); }
  T& operator()(Index i, Index j) { return buffer_.data()[i * cols_ + j]; }
  const T& operator()(Index i, Index j) const { return buffer_.data()[i * cols_ + j]; }
  std::span<T> row(Index i) { return view().row(i); }
  std::span<const T> row(Index i) const { return view().row(i); }

  MatrixView<T> view() { return {buffer_.data(), rows_, cols_}; }
  MatrixView<const T> view() const { return {buffer_.data(), rows_, cols_}; }
  operator MatrixView<T>() { return view(); }              // NOLINT: a matrix is its own view
  operator MatrixView<const T>() const { return view(); }  // NOLINT

 private:
  AlignedBuffer<T> buffer_;
  Index rows_ = 0;
  Index cols_ = 0;
};

}  // namespace hone
