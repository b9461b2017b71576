#include "hone/engine/batches.h"

#include <algorithm>

#include "hone/core/parallel.h"

namespace hone {
namespace {

constexpr Index kTaskRows = 256;

}  // namespace

SegmentReader::SegmentReader(const RowSource& table, const Standardizer& scores, Index multiple,
                             Index bytes)
    : table_(table), scores_(scores) {
  const Index stride = padded(table.cols());
  const Index fitting = bytes / (stride * static_cast<Index>(sizeof(float)));
  const Index wanted = std::min(fitting, table.rows() + multiple - 1);
  buffer_ = Matrix<float>(std::max<Index>(1, wanted / multiple) * multiple, stride);
}

Segment SegmentReader::read(std::span<const Index> rows) {
  const Index count = static_cast<Index>(rows.size());
  if (!std::ranges::equal(rows, held_)) {
    held_.assign(rows.begin(), rows.end());
    parallel_for((count + kTaskRows - 1) / kTaskRows, [&](Index task) {
      const Index begin = task * kTaskRows, size = std::min(kTaskRows, count - begin);
      const MatrixView<float> part(buffer_.row(begin).data(), size, table_.cols(), buffer_.cols());
      table_.read(part, rows.subspan(std::size_t(begin), std::size_t(size)));
      scores_.apply(part, part);
    });
  }
  return {rows, buffer_.view().rows(0, count)};
}

}  // namespace hone
