#pragma once

#include <optional>
#include <string>

#include "hone/check/predictive.h"
#include "hone/run/run_directory.h"
#include "hone/simulator/executor.h"

namespace hone {

struct PredictOptions {
  Index simulations = 200;
  std::string from = "posterior";  // or region, prior
  std::vector<UserStatistic> statistics = {};
  bool anyway = false;    // also from a joint posterior that fails its check
  void validate() const;  // Error{input}
};

// Simulates with parameters from the joint posterior of a finished run (joint_run.h), from the
// prior in its final region, or from the whole prior, compares with the observation, and keeps
// both: the simulations in a store of their own, which no training ever sees, the result in
// predictive/predictive.json. Simulations that are there are not made again. Takes the run's lock.
// Error{numerical} if the joint posterior fails its check (joint_check.h), unless `anyway`.
Predictive predict_run(const RunDirectory& run, const PredictOptions& options, Executor& executor,
                       Observer& observer);

// What the last call found; nothing before the first.
std::optional<Predictive> read_predictive(const RunDirectory& run);

}  // namespace hone
