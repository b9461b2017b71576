#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "hone/core/matrix.h"
#include "hone/engine/row_source.h"
#include "hone/files/file_mark.h"
#include "hone/store/shard.h"
#include "hone/store/shard_files.h"
#include "hone/store/simulation_rows.h"
#include "hone/store/stored_rows.h"

namespace hone {

// All that is known of a simulation but x. The spans end with the next append().
struct SimulationInfo {
  std::int64_t id = 0;
  std::span<const double> u;
  std::span<const double> theta;
  std::uint64_t seed = 0;
  std::int32_t round = 0;
  bool failed = false;
};

// Every simulation of a run, in a directory of immutable shards (hone/store/shard.h) and a
// manifest. x stays on disk; the rest is in memory. A simulation is named by its id, and whatever
// returns several sorts them by id, so nothing depends on the order in which they finished.
//
// Reading is thread-safe; append() excludes everything else.
class SimulationStore {
 public:
  enum class Access { read, write };

  // A new store in a directory that has none. The directory is made if need be. `mark` is that of
  // the directory: all files of the store carry it.
  static SimulationStore create(const std::filesystem::path& directory, const StoreSchema& schema,
                                FileMark mark = {});

  // Access::write is for the process that holds the run's lock: it removes what an interrupted
  // write left behind. Damaged shards are named in one Error{io}, with what to do about them.
  static SimulationStore open(const std::filesystem::path& directory, Access access,
                              FileMark mark = {});
  static bool exists(const std::filesystem::path& directory);

  const StoreSchema& schema() const { return schema_; }
  Index rows() const { return static_cast<Index>(ids_.size()); }
  Index failed_rows() const { return static_cast<Index>(reasons_.size()); }
  bool contains(std::int64_t id) const { return positions_.contains(id); }
  std::int64_t next_id() const { return next_id_; }  // above all ids in the store

  // Where rows wait that are on disk but not in a shard yet (hone/store/grouped_append.h). What is
  // left there after a crash goes into a shard when the store is opened for writing.
  std::filesystem::path journal() const { return directory_ / "journal.bin"; }
  std::uint64_t run() const { return mark_.run; }  // the run's identity

  // On disk, synced, on return. When it throws Error{io} the shards written so far are whole and
  // known, and nothing half-written is left. An id that is in the store already is a bug.
  void append(const SimulationRows& rows);

  SimulationInfo info(std::int64_t id) const;
  const std::map<std::int64_t, std::string>& failure_reasons() const { return reasons_; }

  // The ids of those for which the predicate holds, ascending.
  std::vector<std::int64_t> select(const std::function<bool(const SimulationInfo&)>& keep) const;
  // Successful ones whose theta is inside.
  std::vector<std::int64_t> rows_inside(
      const std::function<bool(std::span<const double> theta)>& contains) const;

  // u or theta of these simulations, in their order: (ids, parameters)
  Matrix<double> read_u(std::span<const std::int64_t> ids) const;
  Matrix<double> read_theta(std::span<const std::int64_t> ids) const;

  // x of these successful simulations: row i is that of ids[i]. In memory if that takes at most
  // `memory` bytes, else read from disk by each call. May outlive the store.
  std::unique_ptr<RowSource> x_rows(std::span<const std::int64_t> ids,
                                    Index memory = Index{1} << 30) const;
  std::vector<double> read_x(std::int64_t id) const;

 private:
  SimulationStore(std::filesystem::path directory, StoreSchema schema, FileMark mark);
  void take_from_journal();
  void append_shard(const SimulationRows& rows, Index begin, Index count);
  void add_to_index(ShardRows shard, const std::filesystem::path& path, bool checked);
  ShardRows read(const std::filesystem::path& shard) const;
  Index position(std::int64_t id) const;
  std::vector<Index> positions(std::span<const std::int64_t> ids) const;
  SimulationInfo info_at(Index position) const;
  StoredPlace place_of_success(std::int64_t id) const;

  std::filesystem::path directory_;
  StoreSchema schema_;
  FileMark mark_;
  Index next_shard_ = 1;
  std::int64_t next_id_ = 0;
  std::shared_ptr<ShardFiles> files_;

  // Columns, in the order of arrival.
  std::vector<std::int64_t> ids_;
  std::vector<double> u_;
  std::vector<double> theta_;
  std::vector<std::uint64_t> seeds_;
  std::vector<std::int32_t> rounds_;
  std::vector<std::uint8_t> status_;
  std::vector<StoredPlace> places_;
  Index shards_ = 0;
  std::unordered_map<std::int64_t, Index> positions_;
  std::map<std::int64_t, std::string> reasons_;
};

}  // namespace hone
