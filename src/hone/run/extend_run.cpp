#include "hone/run/extend_run.h"

#include "hone/core/error.h"
#include "hone/inference/option_table.h"
#include "hone/run/run_lock.h"

namespace hone {

void extend_run(RunDirectory& run, Index budget) {
  const RunSpec& spec = run.spec();
  if (budget == spec.options.budget) return;
  if (budget < spec.options.budget) {
    fail_value("budget", fmt::format("{}", budget),
               fmt::format("must be more than {}, which the run has already", spec.options.budget));
  }
  const SimulatorFacts& facts = facts_of(spec.simulator.kind);
  if (!facts.simulates) {
    fail(ErrorKind::input,
         "budget = {}: the simulations of {} come from {}, and hone cannot make more of them",
         budget, run.path().string(), facts.in_words);
  }
  const RunLock lock(run);
  run.require_complete();
  InferenceOptions larger = spec.options;
  larger.budget = budget;
  validate(larger, std::ssize(spec.observation));
  const Summary done = *run.uncorrected_summary();
  run.add_extension({budget, static_cast<int>(run.rounds().size()), done.simulations});
}

std::optional<Continuation> continuation_of(const RunDirectory& run) {
  if (run.extensions().empty()) return std::nullopt;
  const Extension& last = run.extensions().back();
  Continuation start;
  for (int m = 1; m <= last.rounds; ++m) start.rounds.push_back(run.round(m));
  const auto region = run.state(run.extensions().size() - 1).final_region();
  if (!region) {
    fail(ErrorKind::io, "{}: the networks from before its extension are gone, and it cannot go on",
         run.path().string());
  }
  start.region = *region;
  return start;
}

}  // namespace hone
