#include "hone/estimate/joined_rows.h"

#include <algorithm>

#include "hone/core/error.h"

namespace hone {

JoinedRows::JoinedRows(std::vector<const RowSource*> parts) : parts_(std::move(parts)) {
  HONE_ASSERT(!parts_.empty());
  begins_.push_back(0);
  for (const RowSource* part : parts_) {
    HONE_ASSERT(part->cols() == cols());
    begins_.push_back(begins_.back() + part->rows());
  }
}

bool JoinedRows::random() const {
  return std::ranges::any_of(parts_, [](const RowSource* part) { return part->random(); });
}

void JoinedRows::read(MatrixView<float> out, std::span<const Index> rows) const {
  read_realisation(out, rows, 0);
}

// Part by part: each is asked once, for all its rows.
void JoinedRows::read_realisation(MatrixView<float> out, std::span<const Index> rows,
                                  std::uint64_t realisation) const {
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    std::vector<Index> own, at;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i] < begins_[p] || rows[i] >= begins_[p + 1]) continue;
      own.push_back(rows[i] - begins_[p]);
      at.push_back(static_cast<Index>(i));
    }
    if (own.empty()) continue;
    Matrix<float> values(std::ssize(own), cols());
    parts_[p]->read_realisation(values, own, realisation);
    for (std::size_t i = 0; i < at.size(); ++i) {
      std::ranges::copy(values.row(static_cast<Index>(i)), out.row(at[i]).begin());
    }
  }
}

}  // namespace hone
