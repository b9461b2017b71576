#pragma once

#include <memory>

#include "hone/run/run_directory.h"
#include "hone/simulator/executor.h"

namespace hone {

// Takes simulations from an earlier run instead of making them again: those of the same number,
// parameters and seed. A run that asks for just these therefore ends with the bits of one that
// makes them all. Failed ones are tried again.
class ReusingExecutor final : public Executor {
 public:
  // Both must outlive it.
  ReusingExecutor(Executor& executor, const SimulationStore& earlier)
      : executor_(executor), earlier_(earlier) {}

  ExecutionSummary run(const SimulationRequest& request, const SimulationSink& sink,
                       Observer& observer) override;
  const NoiseModel* noise() const override { return executor_.noise(); }

 private:
  bool has(const SimulationRequest& request, Index row) const;
  void deliver(const std::vector<Index>& rows, const SimulationRequest& request,
               const SimulationSink& sink) const;

  Executor& executor_;
  const SimulationStore& earlier_;
};

// The simulations of the run that `run` names as its source (RunSpec::reuses). Nothing if it names
// none, or if that has gone or is unreadable: then a warning says so, and all are made.
std::optional<SimulationStore> reusable_simulations(const RunDirectory& run, Observer& observer);

}  // namespace hone
