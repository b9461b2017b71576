#pragma once

#include <vector>

#include "hone/engine/row_source.h"

namespace hone {

// Tables with the same columns one below the other. The parts must outlive it.
class JoinedRows final : public RowSource {
 public:
  explicit JoinedRows(std::vector<const RowSource*> parts);
  Index rows() const override { return begins_.back(); }
  Index cols() const override { return parts_.front()->cols(); }
  Index begin(std::size_t part) const { return begins_[part]; }  // its first row here
  void read(MatrixView<float> out, std::span<const Index> rows) const override;
  bool random() const override;
  void read_realisation(MatrixView<float> out, std::span<const Index> rows,
                        std::uint64_t realisation) const override;

 private:
  std::vector<const RowSource*> parts_;
  std::vector<Index> begins_;  // of the parts, then of what would follow
};

}  // namespace hone
