#include <algorithm>

#include "hone/core/error.h"
#include "hone/run/chunks.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

// So many simulations that all fail say more about the machine than about the model.
constexpr Index kSuspicious = 20;

fs::path result_of(const fs::path& file, const Chunk& chunk) {
  return result_file(file.parent_path(), chunk.label.number);
}

}  // namespace

bool is_simulated(const fs::path& file, const Chunk& chunk) {
  const fs::path path = result_of(file, chunk);
  if (!fs::exists(path)) return false;
  try {
    const ChunkResult result = read_chunk_result(path);
    read_chunk_data(path, result);
    return result.label == chunk.label && result.request.ids == chunk.request.ids &&
           result.request.seeds == chunk.request.seeds;
  } catch (const Error&) {
    return false;  // damaged: it is made again
  }
}

SimulatedChunk simulate_chunk(const fs::path& file, Chunk chunk, Executor& executor,
                              bool accept_failures, Observer& observer) {
  SimulatedChunk done;
  done.result = result_of(file, chunk);
  const Index rows = chunk.request.rows();
  Matrix<double> x;
  std::vector<Failure> failures(static_cast<std::size_t>(rows));
  chunk.request.known_to_work = true;  // the run judges it, when the chunks of the round are back
  done.summary = executor.run(
      chunk.request,
      [&](const FinishedSimulations& finished) {
        if (x.rows() == 0) x = Matrix<double>(rows, finished.x.cols());
        for (std::size_t i = 0; i < finished.rows.size(); ++i) {
          std::ranges::copy(finished.x.row(static_cast<Index>(i)), x.row(finished.rows[i]).begin());
          failures[static_cast<std::size_t>(finished.rows[i])] = finished.failures[i];
        }
      },
      observer);
  if (done.summary.failed == rows && rows >= kSuspicious && !accept_failures) {
    fail(ErrorKind::simulator,
         "all {} simulations of {} failed. Most frequent reason: {}. No result was written: see "
         "that the simulator works on this machine and run the chunk again; if such failures are "
         "part of the model, with --accept-failures",
         rows, file.string(), done.summary.main_reason);
  }
  if (!fs::exists(file)) {
    fail(ErrorKind::io, "{}: removed while it was simulated: its round is over without it",
         file.string());
  }
  write_chunk_result(done.result, chunk, x, failures);
  return done;
}

}  // namespace hone
