#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "hone/files/seal.h"
#include "hone/store/simulation_rows.h"

namespace hone {

// A shard is an immutable HDF5 file (hone/files/sealed_file.h) with n rows in these data sets:
//   id (n) int64, u (n, D) float64, theta (n, D) float64, x (n, N) float32 or float64,
//   seed (n) uint64, round (n) int32, status (n) uint8: 0 done, 1 failed (x is NaN),
//   failed_id (k) int64 and failed_reason (k) text: the failed rows, in the same order
// x is the data section of the seal: contiguous, so that rows are read without HDF5, by any number
// of threads.

// All of a shard but x.
struct ShardRows {
  std::vector<std::int64_t> ids;
  std::vector<double> u;      // (n, D)
  std::vector<double> theta;  // (n, D)
  std::vector<std::uint64_t> seeds;
  std::vector<std::int32_t> rounds;
  std::vector<std::uint8_t> status;
  std::map<std::int64_t, std::string> reasons;  // of the failed ids
  Seal seal;

  Index rows() const { return static_cast<Index>(ids.size()); }
};

// Rows begin .. begin + count - 1 as the bytes of a shard.
std::vector<std::byte> encode_shard(const FileMark& mark, const StoreSchema& schema,
                                    const SimulationRows& rows, Index begin, Index count);

// Reads and checks everything but x. Damage, or a shard of another store, is an Error{io}.
ShardRows read_shard(const std::filesystem::path& file, const FileMark& expected,
                     const StoreSchema& schema);

}  // namespace hone
