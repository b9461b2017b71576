#include <memory>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/execute.h"
#include "cli/open_run.h"
#include "cli/progress.h"
#include "cli/text.h"
#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "hone/run/finished_run.h"
#include "hone/session/mpi_job.h"
#include "hone/session/resources.h"

namespace hone::cli {

void add_train_command(CLI::App& program, MpiJob& job) {
  struct Arguments {
    std::string directory;
    std::vector<std::string> marginals, derived;
    int threads = 0;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = program.add_subcommand(
      "train", "Train more marginals, or derived quantities, on the simulations of a finished run");
  command->add_option("directory", arguments->directory, "Directory of the run")->required();
  command->add_option(
      "--marginal", arguments->marginals,
      "Which posterior to learn: names or indices of parameters such as a,b,c; or joint. Can "
      "be given several times");
  command->add_option("--derived", arguments->derived, kDerivedHelp);
  command->add_option("--threads", arguments->threads, kThreadsHelp)
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  command->callback([arguments, &job] {
    if (arguments->marginals.empty() && arguments->derived.empty()) {
      fail(ErrorKind::input, "nothing to train: give --marginal or --derived");
    }
    RunDirectory run = open_run(arguments->directory);
    if (!arguments->derived.empty()) {
      add_derived(run, parse_derived(arguments->derived), job, arguments->threads);
    }
    if (arguments->marginals.empty()) return;
    std::vector<Marginal> marginals;
    for (const std::string& text : arguments->marginals) {
      marginals.push_back(text == "joint"
                              ? joint(run.spec().prior.dimensions())
                              : parse_marginal(text, run.spec().prior.quantity_names()));
    }
    Progress progress;
    try {
      with_threads(job.threads(arguments->threads), [&] {
        const bool noisy = run.spec().noise.kind == NoiseKind::simulator;
        const Resources resources(
            run,
            {.transport = job.transport(), .threads = arguments->threads, .with_simulator = noisy});
        train_more(run, marginals, progress, resources.executor().noise(), resources.trainer());
      });
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::interrupted) throw;
      fail(ErrorKind::interrupted, "stopped; the run is unchanged. Start the same command again");
    }
    progress.clear();
    for (const Marginal& marginal : marginals) {
      const std::string name = marginal_name(marginal, run.spec().prior.quantity_names());
      print(
          fmt::format("trained {name}; draw from it with\n  hone sample {run} --marginal {name}\n",
                      fmt::arg("name", name), fmt::arg("run", arguments->directory)));
    }
  });
}

}  // namespace hone::cli
