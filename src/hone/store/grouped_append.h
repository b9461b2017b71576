#pragma once

#include <chrono>
#include <filesystem>
#include <vector>

#include "hone/files/files.h"
#include "hone/store/simulation_store.h"

namespace hone {

// Puts rows into a store as they come, each safe on disk at once, without a shard for every few of
// them: between two shards, at most one a second, rows wait in memory and in a journal, one file
// that only grows. After a crash the store finds them there (SimulationStore::open).
class GroupedAppend {
 public:
  explicit GroupedAppend(SimulationStore& store) : store_(store) {}
  GroupedAppend(const GroupedAppend&) = delete;
  GroupedAppend& operator=(const GroupedAppend&) = delete;

  void add(SimulationRows rows);  // on disk, synced, on return
  void finish();                  // all rows in shards; the journal is removed

 private:
  using Clock = std::chrono::steady_clock;  // paces; never part of a result
  void write_shards();
  void write_journal(const SimulationRows& rows);

  SimulationStore& store_;
  std::vector<SimulationRows> waiting_;
  Index waiting_bytes_ = 0;
  Clock::time_point next_shard_ = Clock::now();
  FileDescriptor journal_;
};

}  // namespace hone
