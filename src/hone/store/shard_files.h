#pragma once

#include <deque>
#include <filesystem>
#include <list>
#include <memory>
#include <mutex>
#include <span>

#include "hone/files/files.h"
#include "hone/files/seal.h"
#include "hone/store/simulation_rows.h"

namespace hone {

// Reads x out of the shards of a store. Thread-safe. A shard's data are checked against their
// checksum before the first row of it is handed out. The most recently used files stay open.
class ShardFiles {
 public:
  ShardFiles(Index data_size, Precision precision);

  // Shards are numbered 0, 1, ... as they are added.
  // checked: the data need not be read to verify them, as this process wrote them.
  void add(std::filesystem::path path, const Seal& seal, bool checked);

  Index data_size() const { return data_size_; }
  Precision precision() const { return precision_; }

  // out.row(i) = x of row first + i of a shard, for all rows of out. Throws Error{io} on damage.
  void read(MatrixView<float> out, Index shard, Index first) const;
  void read(MatrixView<double> out, Index shard, Index first) const;

 private:
  struct Shard {
    std::filesystem::path path;
    Seal seal;
    bool checked = false;
    std::shared_ptr<const ReadableFile> file;  // while it is open
  };

  template <typename T>
  void read_rows(MatrixView<T> out, Index shard, Index first) const;
  std::shared_ptr<const ReadableFile> open(Index shard) const;

  const Index data_size_;
  const Precision precision_;
  mutable std::mutex mutex_;
  mutable std::deque<Shard> shards_;
  mutable std::list<Index> open_;  // most recently used first
};

}  // namespace hone
