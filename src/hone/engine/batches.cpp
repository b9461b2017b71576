#include "hone/engine/batches.h"

#include <algorithm>

#include "hone/core/parallel.h"

namespace hone {
namespace {

// Copying rows is quick; drawing random ones is work, to be shared out evenly.
constexpr Index kTaskRows = 256, kRandomTaskRows = 32;

}  // namespace

SegmentReader::SegmentReader(const RowSource& table, const Standardizer& scores, Index multiple,
                             Index bytes)
    : table_(table), scores_(scores) {
  const Index stride = padded(table.cols());
  const Index fitting = bytes / (stride * static_cast<Index>(sizeof(float)));
  const Index wanted = std::min(fitting, table.rows() + multiple - 1);
  buffer_ = Matrix<float>(std::max<Index>(1, wanted / multiple) * multiple, stride);
}

Segment SegmentReader::read(std::span<const Index> rows, std::uint64_t realisation) {
  const Index count = static_cast<Index>(rows.size());
  const bool other = table_.random() && realisation != held_realisation_;
  if (other || !std::ranges::equal(rows, held_)) {
    held_.assign(rows.begin(), rows.end());
    held_realisation_ = realisation;
    const Index step = table_.random() ? kRandomTaskRows : kTaskRows;
    parallel_for((count + step - 1) / step, [&](Index task) {
      const Index begin = task * step, size = std::min(step, count - begin);
      const MatrixView<float> part(buffer_.row(begin).data(), size, table_.cols(), buffer_.cols());
      table_.read_realisation(part, rows.subspan(std::size_t(begin), std::size_t(size)),
                              realisation);
      scores_.apply(part, part);
    });
  }
  return {rows, buffer_.view().rows(0, count)};
}

}  // namespace hone
