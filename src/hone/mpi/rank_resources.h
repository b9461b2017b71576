#pragma once

#include <memory>

#include "hone/check/calibrator.h"
#include "hone/estimate/estimator.h"
#include "hone/mpi/other_ranks.h"
#include "hone/mpi/serve_rank_zero.h"

namespace hone {

// All ranks at work on a run, seen from rank 0: made before, and gone after. The others are in
// serve_runs (serve_rank_zero.h) meanwhile. `threads` are those of every rank; 0: all it has.
// Without `open` nobody opens the simulator: the ranks only train and check.
class RankResources {
 public:
  RankResources(Transport& transport, const RunDirectory& run, int threads, const LogSink& log,
                const OpenExecutors& open);
  OtherRanks& others() { return others_; }
  Executor* executor() const { return executor_.get(); }  // null: hone makes no simulations of it
  NetworkTrainer& trainer() const { return *trainer_; }
  Calibrator& calibrator() const { return *calibrator_; }

 private:
  LogSink log_;
  OtherRanks others_;
  std::unique_ptr<NetworkTrainer> trainer_;
  std::unique_ptr<Calibrator> calibrator_;
  std::unique_ptr<SimulatorThreads> simulators_;
  std::unique_ptr<Executor> executor_;
};

}  // namespace hone
