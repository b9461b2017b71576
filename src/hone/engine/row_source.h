#pragma once

#include <span>

#include "hone/core/matrix.h"

namespace hone {

// A table of float rows that need not fit into memory: the engine's only way to the data x.
// Rows are numbered 0 .. rows() - 1. Reading is thread-safe.
class RowSource {
 public:
  virtual ~RowSource() = default;
  virtual Index rows() const = 0;
  virtual Index cols() const = 0;

  // out.row(i) = table row rows[i]. out: (rows.size(), cols())
  virtual void read(MatrixView<float> out, std::span<const Index> rows) const = 0;
};

// Rows of a matrix in memory, which must outlive the source.
class MatrixRows final : public RowSource {
 public:
  explicit MatrixRows(MatrixView<const float> table) : table_(table) {}
  Index rows() const override { return table_.rows(); }
  Index cols() const override { return table_.cols(); }
  void read(MatrixView<float> out, std::span<const Index> rows) const override;

 private:
  MatrixView<const float> table_;
};

}  // namespace hone
