#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <optional>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/text.h"
#include "cli/wrong_use.h"
#include "hone/core/error.h"
#include "hone/core/version.h"
#include "hone/session/mpi_job.h"

namespace {

constexpr int kFailed = 1, kWrongUse = 2, kInterrupted = 130;

int exit_code(hone::ErrorKind kind) {
  switch (kind) {
    case hone::ErrorKind::input: return kWrongUse;
    case hone::ErrorKind::interrupted: return kInterrupted;
    default: return kFailed;
  }
}

// Buffered text that cannot be written, for the disk is full, must not look like success.
bool flush_output() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return true;
  std::fprintf(stderr, "hone: standard output: cannot write: %s\n", std::strerror(errno));
  return false;
}

// What ranks of an MPI job do with a command: those that work on a run are led by rank 0. Others
// have nothing to share out.
std::optional<hone::MpiJob::Sharing> sharing_of(std::string_view command) {
  for (const char* led : {"run", "resume", "check", "predict", "train"}) {
    if (command == led) return hone::MpiJob::Sharing::led;
  }
  if (command == "compare") return hone::MpiJob::Sharing::alike;
  return std::nullopt;
}

int run_program(int argc, char** argv, hone::MpiJob& job) {
  CLI::App program("hone: infers the parameters of a simulator from one observation", "hone");
  program.require_subcommand(1);
  program.set_version_flag("--version", fmt::format("hone {}", hone::version()));
  program.option_defaults()->always_capture_default();
  hone::cli::add_run_command(program, job);
  hone::cli::add_resume_command(program, job);
  hone::cli::add_show_command(program);
  hone::cli::add_corner_command(program);
  hone::cli::add_report_command(program);
  hone::cli::add_watch_command(program);
  hone::cli::add_sample_command(program);
  hone::cli::add_check_command(program, job);
  hone::cli::add_predict_command(program, job);
  hone::cli::add_models_command(program);
  hone::cli::add_compare_command(program, job);
  hone::cli::add_train_command(program, job);
  hone::cli::add_tasks_command(program);
  hone::cli::add_methods_command(program);
  hone::cli::add_options_command(program);
  hone::cli::add_init_command(program);
  hone::cli::add_ask_command(program);
  hone::cli::add_simulate_command(program);
  hone::cli::add_tell_command(program);
  hone::cli::add_bench_command(program);
  hone::cli::add_completion_command(program);
  try {
    const auto sharing = sharing_of(argc > 1 ? argv[1] : "");
    if (sharing) {
      if (const auto code = job.join(*sharing)) return *code;
    }
    hone::cli::check_command(program, argc, argv);
    try {
      program.parse(argc, argv);
    } catch (const CLI::ExtrasError&) {
      hone::cli::fail_unexpected(program);
    }
    return flush_output() ? 0 : kFailed;
  } catch (const CLI::ParseError& error) {
    std::ostringstream out, err;
    const int code = program.exit(error, out, err);
    hone::cli::print(out.str());
    hone::cli::print_error(err.str());
    return code == 0 ? 0 : kWrongUse;
  } catch (const hone::Error& error) {
    hone::cli::print_error(fmt::format("hone: {}\n", error.what()));
    return exit_code(error.kind());
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "hone: out of memory; finished work is saved, see `hone resume --help`\n");
  } catch (const std::exception& error) {
    hone::cli::print_error(fmt::format("hone: {}\n", error.what()));
  }
  return kFailed;
}

}  // namespace

int main(int argc, char** argv) {
  // A file larger than `ulimit -f` allows is an error of the write that made it so, as a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  hone::MpiJob job;
  const int code = run_program(argc, argv, job);
  job.leave(code);
  return code;
}
