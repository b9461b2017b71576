#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "hone/core/matrix.h"
#include "hone/engine/kernels.h"
#include "hone/engine/row_source.h"
#include "hone/engine/standardizer.h"

namespace hone {

// Rows in the order they are trained on, with their standard scores.
struct Segment {
  std::span<const Index> rows;
  MatrixView<const float> x;  // (rows.size(), padded(cols)); columns beyond the data are 0

  // f(batch) for each consecutive piece of `size` rows.
  template <typename F>
  void for_batches(Index size, F&& f) const {
    for (Index begin = 0; begin < x.rows(); begin += size) {
      const Index count = std::min(size, x.rows() - begin);
      f(Segment{rows.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(count)),
                x.rows(begin, count)});
    }
  }
};

// Hands out rows of a table in segments of bounded memory, each read once and then used by all
// members. A table that fits into one segment is read from its source only when the order changes,
// or, if its rows are random, the realisation.
class SegmentReader {
 public:
  // Segments of at most `bytes` (but at least `multiple` rows) hold a multiple of `multiple` rows,
  // as long as that many are left.
  SegmentReader(const RowSource& table, const Standardizer& scores, Index multiple, Index bytes);

  // Calls f(segment) for the rows in the given order, in a realisation (RowSource).
  template <typename F>
  void for_segments(std::span<const Index> rows, std::uint64_t realisation, F&& f) {
    const std::size_t step = static_cast<std::size_t>(buffer_.rows());
    for (std::size_t begin = 0; begin < rows.size(); begin += step) {
      f(read(rows.subspan(begin, std::min(step, rows.size() - begin)), realisation));
    }
  }

 private:
  Segment read(std::span<const Index> rows, std::uint64_t realisation);

  const RowSource& table_;
  const Standardizer& scores_;
  Matrix<float> buffer_;
  std::vector<Index> held_;  // the rows in buffer_
  std::uint64_t held_realisation_ = 0;
};

}  // namespace hone
