#pragma once

#include "hone/run/run_directory.h"
#include "hone/simulator/executor.h"

namespace hone {

// Who does the work of a run.
struct RunRequest {
  Executor& executor;
  Observer& observer = silent_observer();
  NetworkTrainer& trainer = local_trainer();
  bool exact = false;  // refuse a machine that gives other bits than the run has so far
};

// Simulations, rounds and networks, as far as they are not there yet. Takes the run's lock.
struct RunInference {
  InferenceResult result;
  Index simulations = 0;  // asked for, failed ones included
  Index failed = 0;
};
RunInference infer_run(RunDirectory& run, const RunRequest& request);

// The same, and the posterior: everything that is not done yet, up to summary.json.
Summary execute_run(RunDirectory& run, const RunRequest& request);
// For those who go on with its posteriors, as they are on disk: these remember what they said about
// the observation, which checks ask again.
struct CompletedRun {
  Summary summary;
  std::vector<TrainedPosterior> posteriors;
};
CompletedRun complete_run(RunDirectory& run, const RunRequest& request);

// Goes on with a run until networks have to be trained, and trains none. True: there it stopped.
bool simulate_run(RunDirectory& run, Executor& executor);

}  // namespace hone
