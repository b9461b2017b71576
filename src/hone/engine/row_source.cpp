#include "hone/engine/row_source.h"

#include <algorithm>

namespace hone {

void MatrixRows::read(MatrixView<float> out, std::span<const Index> rows) const {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::ranges::copy(table_.row(rows[i]), out.row(static_cast<Index>(i)).begin());
  }
}

}  // namespace hone
