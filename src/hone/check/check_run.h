#pragma once

#include "hone/check/calibrator.h"
#include "hone/check/checks.h"
#include "hone/run/run_directory.h"

namespace hone {

struct CheckOptions {
  // Test draws: 0: the run's own simulations that validated, in the final region; else so many that
  // are simulated for the checks alone, and kept for the next time.
  Index simulations = 0;
  // No more of those that validated are used. With 1,000 a posterior that is 10 % too narrow is
  // always found (docs/benchmarks/coverage.md).
  Index most_draws = 1000;
  Index most_bytes = Index{256} << 20;  // of their data

  void validate() const;
};

// Tests a finished run (docs/howto/check.md) and saves what was found as its checks.json.
// Error{input} if it is not finished. `executor` makes simulations, if they are asked for, and
// knows the noise of a simulator that brings its own; it may be null where neither is needed.
Checks check_run(const RunDirectory& run, const CheckOptions& options, Executor* executor,
                 Observer& observer, Calibrator& calibrator = local_calibrator());
// The same with the posteriors of the run, where they are known already: run.posteriors().
Checks check_posteriors(const RunDirectory& run, const std::vector<TrainedPosterior>& trained,
                        const CheckOptions& options, Executor* executor, Observer& observer,
                        Calibrator& calibrator = local_calibrator());

// Widens the posteriors that a coverage test finds too narrow, beside the run's own, and checks the
// result. An earlier correction is replaced; where nothing is too narrow there is none.
Checks correct_run(const RunDirectory& run, const CheckOptions& options, Executor* executor,
                   Observer& observer, Calibrator& calibrator = local_calibrator());

}  // namespace hone
