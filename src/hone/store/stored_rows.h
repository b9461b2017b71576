#pragma once

#include <memory>
#include <span>
#include <vector>

#include "hone/engine/row_source.h"
#include "hone/store/shard_files.h"

namespace hone {

// Where the x of a simulation lies.
struct StoredPlace {
  Index shard = 0;
  Index row = 0;
  auto operator<=>(const StoredPlace&) const = default;
};

// The x of chosen simulations, read from disk each time. Neighbours are read together.
class StoredRows final : public RowSource {
 public:
  StoredRows(std::shared_ptr<const ShardFiles> files, std::vector<StoredPlace> places)
      : files_(std::move(files)), places_(std::move(places)) {}
  Index rows() const override { return static_cast<Index>(places_.size()); }
  Index cols() const override { return files_->data_size(); }
  void read(MatrixView<float> out, std::span<const Index> rows) const override;

 private:
  std::shared_ptr<const ShardFiles> files_;
  std::vector<StoredPlace> places_;
};

// The same rows, held in memory.
class LoadedRows final : public RowSource {
 public:
  explicit LoadedRows(const RowSource& source);
  Index rows() const override { return table_.rows(); }
  Index cols() const override { return table_.cols(); }
  void read(MatrixView<float> out, std::span<const Index> rows) const override;

 private:
  Matrix<float> table_;
};

}  // namespace hone
