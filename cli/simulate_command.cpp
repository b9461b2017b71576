#include <cstdio>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/execute.h"
#include "cli/progress.h"
#include "cli/text.h"
#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "hone/run/chunks.h"
#include "hone/session/open_simulator.h"

namespace hone::cli {
namespace {

namespace fs = std::filesystem;

struct SimulateArguments {
  std::string chunk;            // a file, or a directory of them
  std::optional<Index> number;  // in the directory
  int threads = 0;
  bool accept_failures = false;
};

fs::path chosen_chunk(const SimulateArguments& arguments) {
  const bool directory = fs::is_directory(arguments.chunk);
  if (directory != arguments.number.has_value() && fs::exists(arguments.chunk)) {
    fail(ErrorKind::input, "{}: give a chunk, or a directory of chunks with --number",
         arguments.chunk);
  }
  fs::path file =
      directory ? chunk_file(arguments.chunk, *arguments.number) : fs::path(arguments.chunk);
  if (!fs::exists(file)) {
    fail(ErrorKind::input,
         "{}: there is no such chunk; those of a round that is over are removed (`hone ask DIR "
         "--chunks N` lists what is open)",
         file.string());
  }
  return file;
}

// Lines of external programs go where those of the job go.
LogSink error_log() {
  return [](int worker, std::string_view line) {
    print_error(fmt::format("worker {}: {}\n", worker, line));
  };
}

SimulatedChunk simulate(const fs::path& file, Chunk chunk, const SimulateArguments& arguments) {
  // The machine of the task decides how many programs may run, not the one the problem is written
  // for.
  if (arguments.threads > 0) chunk.simulator.workers = 0;
  Progress progress;
  SimulatedChunk done;
  try {
    with_threads(arguments.threads, [&] {
      const OpenSimulator open = open_simulator({.simulator = chunk.simulator,
                                                 .parameters = chunk.parameters,
                                                 .data_size = chunk.data_size,
                                                 .options = {.max_failed_fraction = 1}},
                                                error_log());
      done = simulate_chunk(file, std::move(chunk), *open.executor, arguments.accept_failures,
                            progress);
    });
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::interrupted) throw;
    fail(ErrorKind::interrupted, "stopped; {} has no result yet and can be run again",
         file.string());
  }
  return done;
}

void run(const SimulateArguments& arguments) {
  const fs::path file = chosen_chunk(arguments);
  Chunk chunk = read_chunk(file);
  if (arguments.number && chunk.label.number != *arguments.number) {
    fail(ErrorKind::io, "{}: it is a copy of chunk {}; put chunk {} in its place", file.string(),
         chunk.label.number, *arguments.number);
  }
  if (is_simulated(file, chunk)) {
    return print(fmt::format("{} was there already\n",
                             result_file(file.parent_path(), chunk.label.number).string()));
  }
  const SimulatedChunk done = simulate(file, std::move(chunk), arguments);
  const ExecutionSummary& summary = done.summary;
  print(fmt::format("{}: {} simulations, {} failed{}\n", done.result.string(), summary.finished,
                    summary.failed,
                    summary.failed > 0 ? "; most often: " + summary.main_reason : ""));
}

}  // namespace

void add_simulate_command(CLI::App& program) {
  auto arguments = std::make_shared<SimulateArguments>();
  CLI::App* command =
      program.add_subcommand("simulate",
                             "Run the simulations of one chunk that `hone ask --chunks` wrote, as "
                             "one task of a job array. Safe to repeat");
  command
      ->add_option("chunk", arguments->chunk,
                   "Chunk file, or a directory of chunks; the result is written beside it")
      ->required();
  command
      ->add_option("--number", arguments->number,
                   "Number of the chunk in the directory, such as $SLURM_ARRAY_TASK_ID")
      ->check(CLI::NonNegativeNumber);
  command
      ->add_option("--threads", arguments->threads,
                   "Number of threads, or of external programs at the same time; 0: as the problem "
                   "file says, or one per core")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  command->add_flag("--accept-failures", arguments->accept_failures,
                    "Write the result even if every simulation failed");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace hone::cli
