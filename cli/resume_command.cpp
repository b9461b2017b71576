#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/execute.h"
#include "cli/open_run.h"
#include "cli/text.h"
#include "hone/check/checks.h"
#include "hone/core/error.h"
#include "hone/run/extend_run.h"

namespace hone::cli {
namespace {

struct ResumeArguments {
  std::string directory;
  Index budget = 0;        // 0: that of the run
  std::string until;       // "pass", or nothing
  Index budget_limit = 0;  // for until
  int threads = 0;
  bool exact = false;
};

void extend(RunDirectory& run, Index budget, const ResumeArguments& arguments, const MpiJob& job) {
  const Index before = run.spec().options.budget;
  extend_run(run, budget);
  if (before != budget) {
    print(fmt::format("{} goes on: {} simulations so far, {} in all\n", run.path().string(), before,
                      budget));
  }
  execute(run, job, arguments.threads, arguments.exact);
}

// Twice the simulations each time, so that the last attempt costs as much as all before it.
void go_on_until_pass(RunDirectory& run, const ResumeArguments& arguments, const MpiJob& job) {
  while (true) {
    const std::optional<Checks> checks = read_checks(run);
    if (!checks) return;  // waits for simulations made elsewhere
    if (checks->verdict == Status::pass) return;
    const Index budget = run.spec().options.budget;
    if (budget >= arguments.budget_limit) {
      fail(ErrorKind::numerical, "{} does not pass its checks with {} simulations, the limit",
           arguments.directory, budget);
    }
    extend(run, std::min(2 * budget, arguments.budget_limit), arguments, job);
  }
}

void resume(const ResumeArguments& arguments, const MpiJob& job) {
  const bool until = !arguments.until.empty();
  if (until != (arguments.budget_limit > 0)) {
    fail(ErrorKind::input, "--until pass and --budget-limit N go together: {} is missing",
         until ? "--budget-limit" : "--until pass");
  }
  RunDirectory run = open_run(arguments.directory);
  const Index budget = run.spec().options.budget;
  const bool larger = arguments.budget > 0 && arguments.budget != budget;
  if (larger && arguments.budget < budget) extend_run(run, arguments.budget);  // says what is wrong
  if (until && arguments.budget_limit < std::max(budget, arguments.budget)) {
    fail(ErrorKind::input, "--budget-limit {}: must be at least {}, the budget of the run",
         arguments.budget_limit, std::max(budget, arguments.budget));
  }
  if (!(larger || until) || !run.complete() || !read_checks(run)) {
    execute(run, job, arguments.threads, arguments.exact);
    if ((larger || until) && !run.complete()) return;
  }
  if (larger) extend(run, arguments.budget, arguments, job);
  if (until) go_on_until_pass(run, arguments, job);
}

}  // namespace

void add_resume_command(CLI::App& program, MpiJob& job) {
  auto arguments = std::make_shared<ResumeArguments>();
  CLI::App* command = program.add_subcommand(
      "resume",
      "Continue a run that was stopped or killed, from the point that it had reached; or give a "
      "finished run a larger budget");
  command->add_option("directory", arguments->directory, "Directory of the run")->required();
  CLI::Option* budget =
      command
          ->add_option(
              "--budget", arguments->budget,
              "Total number of simulations, more than the run has. All its simulations are "
              "kept, rounds are added while the region shrinks, the rest is simulated in "
              "the final region, and the networks are trained again")
          ->check(CLI::Range(Index{50}, Index{1000000000}));
  command
      ->add_option("--until", arguments->until,
                   "pass: double the number of simulations until the checks pass")
      ->check(CLI::IsMember({"pass"}))
      ->excludes(budget);
  command
      ->add_option("--budget-limit", arguments->budget_limit,
                   "With --until: largest total number of simulations")
      ->check(CLI::Range(Index{50}, Index{1000000000}));
  command->add_option("--threads", arguments->threads, kThreadsHelp)
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  command->add_flag("--exact", arguments->exact,
                    "Stop if the processor or a library of this machine would not give exactly the "
                    "same result, bit for bit; without it there is a warning");
  command->callback([arguments, &job] { resume(*arguments, job); });
}

}  // namespace hone::cli
