#include "hone/estimate/data_pieces.h"

#include <algorithm>
#include <cmath>

#include "hone/core/error.h"

namespace hone {
namespace {

// The length of data that are one block of a kind; 1 for other data.
Index length_of(const DataDescription& data, DataKind kind) {
  if (data.blocks().size() != 1 || data.blocks().front().kind != kind) return 1;
  return data.blocks().front().shape.front();
}

}  // namespace

bool has_gap(std::span<const float> values) {
  return std::ranges::any_of(values, [](float value) { return std::isnan(value); });
}

DataPieces elements_of(const DataDescription& data, Index columns) {
  const Index elements = length_of(data, DataKind::set);
  return {.count = elements,
          .columns = columns / elements,
          .may_be_absent = elements > 1 && data.has_missing()};
}

DataPieces steps_of(const DataDescription& data, Index columns) {
  const Index length = length_of(data, DataKind::series), channels = columns / length;
  if (length == 1) return {.columns = columns};
  return {.count = length - 1, .columns = 2 * channels, .given = channels};
}

PieceRows::PieceRows(const RowSource& x, const DataPieces& pieces, Index used)
    : x_(x), pieces_(pieces), used_(used) {
  HONE_ASSERT(x.cols() == pieces.total() && used >= 1 && used <= pieces.count);
}

Index PieceRows::piece(Index row) const {
  return row % used_ * pieces_.count / used_ + row / used_ % (pieces_.count / used_);
}

void PieceRows::read(MatrixView<float> out, std::span<const Index> rows) const {
  read_realisation(out, rows, 0);
}

void PieceRows::read_realisation(MatrixView<float> out, std::span<const Index> rows,
                                 std::uint64_t realisation) const {
  // Rows are read in order: those of a simulation stand together, and it is read once for them.
  std::vector<Index> simulations, place;
  place.reserve(rows.size());
  for (const Index row : rows) {
    const Index simulation = row / used_;
    if (simulations.empty() || simulations.back() != simulation) simulations.push_back(simulation);
    place.push_back(std::ssize(simulations) - 1);
  }
  Matrix<float> whole(std::ssize(simulations), x_.cols());
  x_.read_realisation(whole, simulations, realisation);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::copy_n(whole.row(place[i]).begin() + piece(rows[i]) * pieces_.step(), cols(),
                out.row(static_cast<Index>(i)).begin());
  }
}

SpreadRows::SpreadRows(const RowSource& table, std::span<const Index> rows, Index first,
                       const Rng& rng)
    : table_(table), rng_(rng) {
  // As many as show a number that is not whole.
  constexpr std::size_t kRows = 4096;
  std::vector<Index> some;
  for (std::size_t i = 0; i < rows.size(); i += 1 + rows.size() / kRows) some.push_back(rows[i]);
  Matrix<float> values(std::ssize(some), table.cols());
  table.read(values, some);
  for (Index j = first; j < values.cols(); ++j) {
    bool whole = true, constant = true;
    for (Index i = 0; i < values.rows(); ++i) {
      whole &= values(i, j) == std::round(values(i, j));
      constant &= values(i, j) == values(0, j);
    }
    if (whole && !constant) columns_.push_back(j);
  }
}

void SpreadRows::read(MatrixView<float> out, std::span<const Index> rows) const {
  read_realisation(out, rows, 0);
}

void SpreadRows::read_realisation(MatrixView<float> out, std::span<const Index> rows,
                                  std::uint64_t realisation) const {
  table_.read_realisation(out, rows, realisation);
  if (columns_.empty()) return;
  const Rng rng = rng_.child("spread", realisation);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Rng own = rng.child("row", static_cast<std::uint64_t>(rows[i]));
    for (const Index j : columns_) {
      out(static_cast<Index>(i), j) += static_cast<float>(own.uniform() - 0.5);
    }
  }
}

void FunctionRows::read(MatrixView<float> out, std::span<const Index> rows) const {
  read_realisation(out, rows, 0);
}

void FunctionRows::read_realisation(MatrixView<float> out, std::span<const Index> rows,
                                    std::uint64_t realisation) const {
  Matrix<float> whole(std::ssize(rows), x_.cols());
  x_.read_realisation(whole, rows, realisation);
  const Matrix<float> values = function_(whole);
  HONE_ASSERT(values.cols() == columns_);
  for (Index i = 0; i < values.rows(); ++i) {
    std::ranges::copy(values.row(i), out.row(i).begin());
  }
}

}  // namespace hone
