#include "hone/session/session.h"

#include "hone/check/check_run.h"
#include "hone/core/error.h"
#include "hone/files/files.h"
#include "hone/inference/option_table.h"
#include "hone/problem/problem_file.h"
#include "hone/report/report.h"
#include "hone/report/reproduce.h"
#include "hone/run/execute_run.h"
#include "hone/run/finished_run.h"
#include "hone/tasks/task.h"

namespace hone {
namespace {

KnownTask known_task(const std::string& name) {
  const Task& task = find_task(name);
  return {task.prior,  task.observation, task.budget, task.simulator()->data_size(),
          task.preset, task.data};
}

// The report comes last: what goes wrong with it must not look as if the run had failed.
void add_report(SessionResult& result, const RunDirectory& run) {
  try {
    result.report = write_report(run, {.truth = known_truth(run.spec())}).front();
  } catch (const std::exception& error) {
    result.report_error = error.what();
  }
}

}  // namespace

Problem task_problem(const std::string& task) {
  const KnownTask known = known_task(task);
  Problem problem{.name = task,
                  .prior = known.prior,
                  .observation = known.observation,
                  .data = known.data,
                  .simulator = task_simulator(task),
                  .options = preset(known.preset),
                  .marginals = marginals_from_words({}, known.prior),
                  .seed = std::nullopt};
  problem.options.budget = known.budget;
  return problem;
}

Problem read_problem(const std::string& file_or_task) {
  return file_or_task.ends_with(".toml") ? read_problem_file(file_or_task, known_task)
                                         : task_problem(file_or_task);
}

RunSpec run_spec(const Problem& problem, std::optional<std::uint64_t> seed) {
  RunSpec spec{.name = problem.name,
               .simulator = problem.simulator,
               .noise = problem.noise,
               .seed = seed.value_or(problem.seed.value_or(1)),
               .prior = problem.prior,
               .observation = problem.observation,
               .data = problem.data,
               .marginals = problem.marginals,
               .options = problem.options};
  spec.validate();
  return spec;
}

void remove_leftovers(const RunDirectory& run) {
  remove_temporary_files(run.path());
  std::error_code ignored;  // a file less for `hone watch` to wonder about
  std::filesystem::remove(run.progress_file(), ignored);
}

SessionResult finish_run(RunDirectory& run, const Resources& resources, Observer& observer,
                         const SessionOptions& options) {
  remove_leftovers(run);
  SessionResult result;
  const bool complete = run.complete();
  const std::optional<Checks> known = complete ? read_checks(run) : std::nullopt;
  result.was_finished = known.has_value();
  CompletedRun done;
  if (complete) {
    done.summary = run.summary().value();
    if (!known) done.posteriors = run.posteriors();
  } else {
    done = complete_run(run, {resources.executor(), observer, resources.trainer(), options.exact});
  }
  result.summary = std::move(done.summary);
  result.checks = known ? *known
                        : check_posteriors(run, done.posteriors, {}, &resources.executor(),
                                           observer, resources.calibrator());
  done.posteriors.clear();
  result.log_lines_left_out = resources.log_lines_left_out();
  const bool reported = result.was_finished && std::filesystem::exists(run.report_page());
  if (reported) result.report = run.report_page();
  if (options.report && !reported) add_report(result, run);
  return result;
}

SessionResult add_derived(RunDirectory& run, const std::vector<DerivedQuantity>& derived,
                          const Resources& resources, Observer& observer,
                          const SessionOptions& options) {
  derive_more(run, derived, observer, resources.executor().noise());
  return finish_run(run, resources, observer, options);
}

bool needs_simulator(const RunDirectory& run) {
  if (!run.complete()) return true;
  return run.spec().noise.kind == NoiseKind::simulator && !read_checks(run);
}

SessionResult finish_run(RunDirectory& run, Observer& observer, const SessionOptions& options) {
  check_simulator(run);
  return finish_run(run, Resources(run, {.with_simulator = needs_simulator(run)}), observer,
                    options);
}

}  // namespace hone
