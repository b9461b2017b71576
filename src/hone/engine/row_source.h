#pragma once

#include <cstdint>
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

  // Rows may be random: then they differ from realisation to realisation, and training takes a
  // fresh one in every epoch. The same realisation has the same bits, however it is read; read()
  // gives number 0. Rows that are not random have only that one.
  virtual bool random() const { return false; }
  virtual void read_realisation(MatrixView<float> out, std::span<const Index> rows,
                                std::uint64_t /*realisation*/) const {
    read(out, rows);
  }
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
