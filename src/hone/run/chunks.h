#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "hone/run/chunk_files.h"
#include "hone/run/run_directory.h"

// A round's simulations by a job array: `hone ask DIR --chunks 100` divides them into files, each
// task of the array runs `hone simulate` on one, `hone tell DIR` takes in the results that have
// arrived. Any process may be killed at any moment, chunks may be run in any order, more than once
// and at the same time: the run ends with the bits of a serial one.
//
// Chunks are those of a round. Once it is over its directory is removed, and once the run is
// finished there are none.

namespace hone {

struct OpenChunk {
  Index number = 0;
  Index simulations = 0;  // in the chunk
};

struct AskedChunks {
  int round = 0;
  Index waiting = 0;  // simulations the round waits for; 0: the run is finished
  std::filesystem::path directory;
  std::vector<OpenChunk> open;       // chunks that some of these are in
  std::vector<std::string> refused;  // files that could not be used, each with the reason
};

// Takes in what has arrived, goes on with the run as far as it can (training and truncation, if a
// round is complete), and divides the simulations it then waits for into `count` chunks of equal
// size. Those of a round that has been divided before stay in the chunks they are in.
// noise: the simulator's own (Executor::noise()), or null.
AskedChunks ask_chunks(RunDirectory& run, Index count, const NoiseModel* noise = nullptr,
                       Observer& observer = silent_observer());

struct ToldChunks {
  Index stored = 0;
  Index failed = 0;    // of those
  Index repeated = 0;  // simulations that were known already
  Index waiting = 0;   // simulations the round still waits for
  std::vector<std::string> refused;
};

// Takes in what has arrived in the directory of the round, or these files. A file that is damaged,
// or belongs to another round or run, is refused and the others are taken. Trains nothing.
ToldChunks tell_chunks(RunDirectory& run, const NoiseModel* noise = nullptr,
                       const std::vector<std::filesystem::path>& files = {});

// Is the result of a chunk beside it, and whole?
bool is_simulated(const std::filesystem::path& file, const Chunk& chunk);

// Runs a chunk and writes its result beside it, over what may be there. The executor must not judge
// by the fraction of failures, which is for tell_chunks(): it knows them all. But where every one
// of 20 or more simulations fails, the simulator or the machine is the likely reason:
// Error{simulator}, and no result, unless those are to be accepted.
struct SimulatedChunk {
  ExecutionSummary summary;
  std::filesystem::path result;
};
SimulatedChunk simulate_chunk(const std::filesystem::path& file, Chunk chunk, Executor& executor,
                              bool accept_failures = false, Observer& observer = silent_observer());

}  // namespace hone
