#include "hone/run/chunks.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "hone/core/error.h"
#include "hone/files/files.h"
#include "hone/run/ask_tell.h"
#include "hone/run/execute_run.h"
#include "hone/simulator/failure_tally.h"
#include "hone/simulator/part_of_request.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

// The round whose simulations a run asks for: one after those that are on disk.
int current_round(const RunDirectory& run) {
  int round = 1;
  while (run.has_round(round)) ++round;
  return round;
}

// A round that is over needs its chunks no more; a process that still runs one of them cannot write
// its result, and says so.
void remove_chunks_before(const RunDirectory& run, int round) {
  std::error_code ignored;
  for (int m = 1; m < round; ++m) fs::remove_all(chunk_directory(run, m), ignored);
}

void remove_all_chunks(const RunDirectory& run) {
  std::error_code ignored;
  fs::remove_all(run.chunks(), ignored);
}

// Hands over what came back in files and, if `divide_into` is positive, divides the rest into
// chunks; then throws WaitingForSimulations if there is a rest. `pause` as in ToldExecutor.
class ChunkExecutor final : public Executor {
 public:
  struct Options {
    Index divide_into = 0;
    bool pause = false;
    std::vector<fs::path> files;  // results; empty: those in the directory of the round
  };

  ChunkExecutor(const RunDirectory& run, const NoiseModel* noise, Options options)
      : run_(run), noise_(noise), options_(std::move(options)) {}

  ExecutionSummary run(const SimulationRequest& request, const SimulationSink& sink,
                       Observer& observer) override;
  const NoiseModel* noise() const override { return noise_; }

  AskedChunks asked;
  ToldChunks told;

 private:
  using Missing = std::unordered_map<std::int64_t, Index>;  // id: row of the request

  void check_label(const ChunkLabel& label, const fs::path& file) const;
  void check_rows(const ChunkResult& result, const fs::path& file, const SimulationRequest& request,
                  const Missing& missing) const;
  void take_in(const fs::path& file, const SimulationRequest& request, Missing& missing,
               FailureTally& tally, const SimulationSink& sink);
  void list_chunks(const SimulationRequest& request, const Missing& missing);
  void add_chunks(const SimulationRequest& request, const std::vector<Index>& rows, Index first);
  Index data_size() const {
    const RunSpec& spec = run_.spec();
    return simulated_size(spec.noise, std::ssize(spec.observation));
  }

  const RunDirectory& run_;
  const NoiseModel* noise_;
  Options options_;
};

void ChunkExecutor::check_label(const ChunkLabel& label, const fs::path& file) const {
  if (label.run != chunk_run_number(run_.spec())) {
    fail(ErrorKind::input,
         "{}: it belongs to another run ('{}'): simulator, prior or seed are not those of {}",
         file.string(), label.name, run_.path().string());
  }
  if (label.round != asked.round) {
    fail(ErrorKind::input, "{}: it belongs to round {}, but the run is at round {}", file.string(),
         label.round, asked.round);
  }
}

void ChunkExecutor::check_rows(const ChunkResult& result, const fs::path& file,
                               const SimulationRequest& request, const Missing& missing) const {
  const Index size = noise_ == nullptr ? data_size() : noise_->input_size();
  if (result.data_size != size || result.request.theta.cols() != request.theta.cols()) {
    fail(ErrorKind::input, "{}: {} parameters and {} values; the run has {} and {}", file.string(),
         result.request.theta.cols(), result.data_size, request.theta.cols(), size);
  }
  for (Index i = 0; i < result.request.rows(); ++i) {
    const auto from = static_cast<std::size_t>(i);
    const auto found = missing.find(result.request.ids[from]);
    if (found == missing.end()) continue;
    if (result.request.seeds[from] != request.seeds[static_cast<std::size_t>(found->second)] ||
        !std::ranges::equal(result.request.theta.row(i), request.theta.row(found->second))) {
      fail(ErrorKind::input,
           "{}: simulation {} has other parameters or another seed than this run asks for; it "
           "belongs to another run",
           file.string(), found->first);
    }
  }
}

// Reads a result and hands over those rows that are missing.
void ChunkExecutor::take_in(const fs::path& file, const SimulationRequest& request,
                            Missing& missing, FailureTally& tally, const SimulationSink& sink) {
  std::vector<Index> rows;
  std::vector<Failure> failures;
  Matrix<double> x;
  try {
    const ChunkResult result = read_chunk_result(file);
    check_label(result.label, file);
    check_rows(result, file, request, missing);
    std::vector<Index> from;
    for (Index i = 0; i < result.request.rows(); ++i) {
      const auto found = missing.find(result.request.ids[static_cast<std::size_t>(i)]);
      if (found == missing.end()) continue;
      from.push_back(i);
      rows.push_back(found->second);
      failures.push_back(result.failures[static_cast<std::size_t>(i)]);
    }
    told.repeated += result.request.rows() - std::ssize(rows);
    if (rows.empty()) return;
    x = read_chunk_data(file, result);
    for (std::size_t to = 0; to < from.size(); ++to) {  // close up; from[to] >= to
      std::ranges::copy(x.row(from[to]), x.row(static_cast<Index>(to)).begin());
    }
  } catch (const Error& error) {
    told.refused.emplace_back(error.what());
    return;
  }
  sink({rows, MatrixView<const double>(x.data(), std::ssize(rows), x.cols()), failures});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    tally.add(failures[i]);
    told.failed += failures[i] ? 1 : 0;
    missing.erase(request.ids[static_cast<std::size_t>(rows[i])]);
  }
  told.stored += std::ssize(rows);
}

// Chunks that are there with something still missing in them, and new ones for what is in none.
void ChunkExecutor::list_chunks(const SimulationRequest& request, const Missing& missing) {
  std::set<Index> uncovered;
  for (const auto& [id, row] : missing) uncovered.insert(row);
  Index next = 0;
  for (const fs::path& file : chunk_files(asked.directory)) {
    next = std::stoll(file.stem().string().substr(std::string_view("chunk-").size())) + 1;
    try {
      const Chunk chunk = read_chunk(file);
      check_label(chunk.label, file);
      bool open = false;
      for (const std::int64_t id : chunk.request.ids) {
        const auto found = missing.find(id);
        if (found == missing.end()) continue;
        open = true;
        uncovered.erase(found->second);
      }
      if (open) asked.open.push_back({chunk.label.number, chunk.request.rows()});
    } catch (const Error& error) {
      asked.refused.emplace_back(error.what());
    }
  }
  add_chunks(request, {uncovered.begin(), uncovered.end()}, next);
}

void ChunkExecutor::add_chunks(const SimulationRequest& request, const std::vector<Index>& rows,
                               Index first) {
  const RunSpec& spec = run_.spec();
  const Index total = std::ssize(rows), count = std::min(options_.divide_into, total);
  create_directories_durably(asked.directory);
  for (Index c = 0; c < count; ++c) {
    const auto begin = static_cast<std::size_t>(c * total / count);
    const auto end = static_cast<std::size_t>((c + 1) * total / count);
    Chunk chunk{.label = {spec.name, chunk_run_number(spec), asked.round, first + c},
                .simulator = spec.simulator,
                .parameters = spec.prior.names(),
                .data_size = data_size(),
                .request = part_of(request, std::span(rows).subspan(begin, end - begin))};
    write_chunk(chunk_file(asked.directory, first + c), chunk);
    asked.open.push_back({first + c, chunk.request.rows()});
  }
}

ExecutionSummary ChunkExecutor::run(const SimulationRequest& request, const SimulationSink& sink,
                                    Observer& observer) {
  asked.round = current_round(run_);
  asked.directory = chunk_directory(run_, asked.round);
  remove_chunks_before(run_, asked.round);
  Missing missing;
  for (Index i = 0; i < request.rows(); ++i) {
    missing.emplace(request.ids[static_cast<std::size_t>(i)], i);
  }
  FailureTally tally({.max_failed_fraction = run_.spec().options.max_failed_fraction}, request);
  observer.stage_started("simulate", request.rows());
  for (const fs::path& file :
       options_.files.empty() ? result_files(asked.directory) : options_.files) {
    take_in(file, request, missing, tally, sink);
  }
  const Index waiting = std::ssize(missing);
  observer.stage_advanced("simulate", request.rows() - waiting, request.rows());
  observer.stage_finished("simulate");
  if (tally.hopeless() || (waiting == 0 && tally.too_many())) throw tally.error();
  if (waiting > 0 && options_.divide_into > 0) list_chunks(request, missing);
  if (waiting > 0 || options_.pause) throw WaitingForSimulations(waiting);
  return tally.summary();
}

// Chunks are for simulators that `hone simulate` can run.
void check_kind(const RunDirectory& run) {
  const SimulatorFacts& facts = facts_of(run.spec().simulator.kind);
  if (!facts.simulates || !facts.opens_by_itself) {
    fail(ErrorKind::input,
         "chunks: the simulator of {} is {}, which `hone simulate` cannot run; get the parameters "
         "as a table by `hone ask` without --chunks",
         run.path().string(), facts.in_words);
  }
}

}  // namespace

AskedChunks ask_chunks(RunDirectory& run, Index count, const NoiseModel* noise,
                       Observer& observer) {
  if (count < 1) fail(ErrorKind::input, "chunks = {}: must be 1 or more", count);
  check_kind(run);
  ChunkExecutor executor(run, noise, {.divide_into = count, .pause = false, .files = {}});
  if (!run.finished()) {
    try {
      execute_run(run, {executor, observer});
    } catch (const WaitingForSimulations& waiting) {
      executor.asked.waiting = waiting.count();
    }
  }
  if (executor.asked.waiting == 0) remove_all_chunks(run);
  AskedChunks asked = std::move(executor.asked);
  asked.refused.insert(asked.refused.begin(), executor.told.refused.begin(),
                       executor.told.refused.end());
  return asked;
}

ToldChunks tell_chunks(RunDirectory& run, const NoiseModel* noise,
                       const std::vector<fs::path>& files) {
  check_kind(run);
  ChunkExecutor executor(run, noise, {.divide_into = 0, .pause = true, .files = files});
  if (run.finished()) {
    for (const fs::path& file : files) {
      executor.told.refused.push_back(
          fmt::format("{}: the run is finished and asks for nothing", file.string()));
    }
    return executor.told;
  }
  const std::optional<Index> waiting = missing_simulations(run, executor);
  executor.told.waiting = waiting.value_or(0);
  if (!waiting) {  // complete before: nobody has looked at the files
    for (const fs::path& file : files) {
      executor.told.refused.push_back(fmt::format(
          "{}: the simulations of this round are there already; `hone ask` says what comes next",
          file.string()));
    }
  }
  return executor.told;
}

}  // namespace hone
