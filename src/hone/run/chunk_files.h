#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "hone/files/seal.h"
#include "hone/run/run_directory.h"
#include "hone/simulator/executor.h"

// Simulations that leave a run to be made by another process, maybe on another machine, and come
// back as files. Both kinds are sealed HDF5 files (hone/files/sealed_file.h), written whole or not
// at all and never changed:
//   chunk-00007.h5   about (1) text: JSON; id (n) int64, seed (n) uint64, theta (n, D) float64
//   result-00007.h5  the same, and status, failed_id, failed_reason as in a shard, x (n, N) float64
// x is not rounded to the precision of the store: what is judged there is what a serial run judges.

namespace hone {

// Which part of which run.
struct ChunkLabel {
  std::string name;       // of the run, for people
  std::uint64_t run = 0;  // chunk_run_number()
  int round = 1;
  Index number = 0;  // in the round, from 0

  bool operator==(const ChunkLabel&) const = default;
};

// A number for the simulator, the prior and the seed of a run: two runs that share it make the same
// simulation of the same id, theta and seed.
std::uint64_t chunk_run_number(const RunSpec& spec);

// Everything that is needed to simulate some rows of a round.
struct Chunk {
  ChunkLabel label;
  SimulatorSpec simulator;
  std::vector<std::string> parameters;  // names
  Index data_size = 0;                  // values of a simulation, its own noise included
  SimulationRequest request;
};

// Damage is an Error{io}.
void write_chunk(const std::filesystem::path& file, const Chunk& chunk);
Chunk read_chunk(const std::filesystem::path& file);

// What came of a chunk, but for x, which read_chunk_data() reads.
struct ChunkResult {
  ChunkLabel label;
  SimulationRequest request;      // what was simulated
  std::vector<Failure> failures;  // (n)
  Index data_size = 0;            // values in a row of x
  Seal seal;
};

// Several processes may write the same result at the same time.
void write_chunk_result(const std::filesystem::path& file, const Chunk& chunk,
                        MatrixView<const double> x, std::span<const Failure> failures);
ChunkResult read_chunk_result(const std::filesystem::path& file);
// x: (n, data_size), checked against its checksum; NaN where the simulation failed.
Matrix<double> read_chunk_data(const std::filesystem::path& file, const ChunkResult& result);

// <run>/chunks/round-01, and in it chunk-00007.h5 with result-00007.h5.
std::filesystem::path chunk_directory(const RunDirectory& run, int round);
std::filesystem::path chunk_file(const std::filesystem::path& directory, Index number);
std::filesystem::path result_file(const std::filesystem::path& directory, Index number);
// By number; empty if there is no such directory.
std::vector<std::filesystem::path> chunk_files(const std::filesystem::path& directory);
std::vector<std::filesystem::path> result_files(const std::filesystem::path& directory);

}  // namespace hone
