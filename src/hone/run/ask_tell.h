#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "hone/run/run_directory.h"

// For people whose simulator runs elsewhere: `hone ask` hands out parameters, `hone tell` takes the
// results back, in any order and any number of pieces. Both are safe to repeat.
//
// A run knows no difference: asked to simulate what is not there, its executor says so by an
// exception, and everything finished is on disk. The next call goes on from there.

namespace hone {

// Not a failure: the run goes on once these simulations are told. Of kind interrupted.
class WaitingForSimulations : public Error {
 public:
  explicit WaitingForSimulations(Index count);
  Index count() const { return count_; }  // 0: all of this round are there

 private:
  Index count_;
};

// Results that came back from elsewhere.
struct ToldResult {
  std::vector<double> x;
  Failure failure;            // why there is no x
  std::vector<double> theta;  // what was simulated, if the file says; else empty
};
using ToldResults = std::map<std::int64_t, ToldResult>;  // by the simulation's id

// Hands over the results it has, and throws WaitingForSimulations for the rest. `pause` makes it
// throw even when nothing is missing, so that a caller can stop before the training.
class ToldExecutor final : public Executor {
 public:
  explicit ToldExecutor(ToldResults results = {}, ExecutorOptions options = {}, bool pause = false);

  ExecutionSummary run(const SimulationRequest& request, const SimulationSink& sink,
                       Observer& observer) override;

  // Of the last request, what is still missing, by ascending id; nothing before the first.
  const std::optional<SimulationRequest>& missing() const { return missing_; }
  // Results that the last request did not ask for.
  const ToldResults& unused() const { return results_; }
  Index delivered() const { return delivered_; }

 private:
  ToldResults results_;
  ExecutorOptions options_;
  bool pause_;
  Index delivered_ = 0;
  std::optional<SimulationRequest> missing_;
};

// Goes on with the run until a training begins. Returns for how many simulations the executor made
// it wait; nothing if the round was complete before and it was not asked for any.
std::optional<Index> missing_simulations(RunDirectory& run, Executor& executor);

// Goes on with the run as far as it can without new simulations (training and truncation, if a
// round is complete), and returns up to `most` of the simulations it then waits for: those with
// the smallest ids, so the same ones until they are told. No rows: the run is finished.
struct AskedSimulations {
  SimulationRequest request;
  Index waiting = 0;  // simulations the round waits for, these included
};
AskedSimulations ask(RunDirectory& run, Index most, Observer& observer = silent_observer());

// Writes results into the run's store. An id that is known already is passed over if the result is
// the same (in the precision of the store), else refused; so are ids that were not asked for, an x
// of the wrong length, and a theta that is not the one handed out: Error{input} names the id, and
// nothing is stored. Trains nothing.
struct ToldSummary {
  Index stored = 0;
  Index failed = 0;    // of those
  Index repeated = 0;  // known already
  Index waiting = 0;   // simulations the round still waits for
};
ToldSummary tell(RunDirectory& run, ToldResults results);

}  // namespace hone
