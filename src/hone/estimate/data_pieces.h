#pragma once

#include <functional>
#include <span>
#include <vector>

#include "hone/core/data_description.h"
#include "hone/core/rng.h"
#include "hone/engine/row_source.h"

namespace hone {

// Of a piece or a row: some of its values are missing.
bool has_gap(std::span<const float> values);

// How a likelihood takes data apart: pieces that share one density. Those of a set are its
// elements; those of a series are its steps, each of which begins with the columns that the one
// before ends with. Data that are not taken apart are one piece.
struct DataPieces {
  Index count = 1;    // in a simulation
  Index columns = 0;  // of a piece
  Index given = 0;    // so many of them, the first ones, are what the others are given
  // Some data have fewer pieces: in the place of those that are absent is NaN.
  bool may_be_absent = false;

  Index step() const { return columns - given; }  // from one piece to the next
  Index total() const { return given + count * step(); }
  bool apart() const { return count > 1 || given > 0; }
};

// The elements of data that are a single set, and nothing else; the steps of a single series. The
// whole for other data.
DataPieces elements_of(const DataDescription& data, Index columns);
DataPieces steps_of(const DataDescription& data, Index columns);

// `used` pieces of each row of x, evenly spread, and from row to row others: row r of this table is
// of row r / used. x must outlive it.
class PieceRows final : public RowSource {
 public:
  PieceRows(const RowSource& x, const DataPieces& pieces, Index used);
  Index rows() const override { return x_.rows() * used_; }
  Index cols() const override { return pieces_.columns; }
  bool random() const override { return x_.random(); }
  void read(MatrixView<float> out, std::span<const Index> rows) const override;
  void read_realisation(MatrixView<float> out, std::span<const Index> rows,
                        std::uint64_t realisation) const override;

 private:
  Index piece(Index row) const;

  const RowSource& x_;
  DataPieces pieces_;
  Index used_;
};

// Rows of a table in which whole numbers are spread evenly over the unit around them, differently
// in every realisation: where there were peaks, of which a density cannot have enough, there are
// bars, and at a whole number the density is its probability. The table must outlive it.
class SpreadRows final : public RowSource {
 public:
  // Columns of the table from `first` on, if all their values in these rows are whole numbers.
  SpreadRows(const RowSource& table, std::span<const Index> rows, Index first, const Rng& rng);
  Index rows() const override { return table_.rows(); }
  Index cols() const override { return table_.cols(); }
  bool random() const override { return !columns_.empty() || table_.random(); }
  void read(MatrixView<float> out, std::span<const Index> rows) const override;
  void read_realisation(MatrixView<float> out, std::span<const Index> rows,
                        std::uint64_t realisation) const override;

 private:
  const RowSource& table_;
  std::vector<Index> columns_;
  Rng rng_;
};

// A function of the rows of x, (n, columns of x) -> (n, columns). x must outlive it.
class FunctionRows final : public RowSource {
 public:
  using Function = std::function<Matrix<float>(MatrixView<const float>)>;

  FunctionRows(const RowSource& x, Index columns, Function function)
      : x_(x), columns_(columns), function_(std::move(function)) {}
  Index rows() const override { return x_.rows(); }
  Index cols() const override { return columns_; }
  bool random() const override { return x_.random(); }
  void read(MatrixView<float> out, std::span<const Index> rows) const override;
  void read_realisation(MatrixView<float> out, std::span<const Index> rows,
                        std::uint64_t realisation) const override;

 private:
  const RowSource& x_;
  Index columns_;
  Function function_;
};

}  // namespace hone
