#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "hone/check/checks.h"
#include "hone/problem/problem.h"
#include "hone/run/run_directory.h"
#include "hone/session/resources.h"

// The one door between the library and its interfaces: from a stated problem to a report.
//
//   const RunSpec spec = run_spec(read_problem("problem.toml"));
//   RunDirectory run = RunDirectory::create("run-1", spec);
//   const SessionResult result = finish_run(run);
//
// The command line, Python and the benchmark are callers of this, and so is a C++ program.

namespace hone {

// A problem file (its name ends in .toml) or the name of a built-in task. Error{input} with what is
// wrong, before any work.
Problem read_problem(const std::string& file_or_task);
Problem task_problem(const std::string& task);

// What a run of it is. `seed` wins over the problem's own; neither: 1.
RunSpec run_spec(const Problem& problem, std::optional<std::uint64_t> seed = std::nullopt);

// What is left of a run: inference, checks, report.
struct SessionOptions {
  bool report = true;
  bool exact = false;  // refuse a machine that gives other bits than the run has so far
};
struct SessionResult {
  bool was_finished = false;  // before: nothing was done but what was missing of the report
  Summary summary;
  Checks checks;
  Index log_lines_left_out = 0;  // simulator.log was full
  std::filesystem::path report;  // the page; empty if there is none
  std::string report_error;      // why not: a run whose report cannot be written is finished
};
SessionResult finish_run(RunDirectory& run, const Resources& resources, Observer& observer,
                         const SessionOptions& options = {});
// Derived quantities for a finished run (derive_more), then its checks and its report anew.
SessionResult add_derived(RunDirectory& run, const std::vector<DerivedQuantity>& derived,
                          const Resources& resources, Observer& observer,
                          const SessionOptions& options = {});
// What a killed process left in a run: half-written files, and its word on how far it was.
// finish_run() begins with it.
void remove_leftovers(const RunDirectory& run);
// Does what is left of a run need its simulator? To make simulations, or for the noise it brings.
bool needs_simulator(const RunDirectory& run);

// In this process, with a simulator that is opened by its description where it is needed.
SessionResult finish_run(RunDirectory& run, Observer& observer = silent_observer(),
                         const SessionOptions& options = {});

}  // namespace hone
