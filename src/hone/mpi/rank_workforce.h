#pragma once

#include <memory>

#include "hone/check/calibrator.h"
#include "hone/inference/marginal_trainer.h"
#include "hone/mpi/crew.h"
#include "hone/mpi/leader.h"

namespace hone {

// All ranks at work on a run, seen from rank 0: made before, and gone after. The others are in
// serve_runs (crew.h) meanwhile. `threads` are those of every rank; 0: all it has. Without `open`
// nobody opens the simulator: the ranks only train and check.
class RankWorkforce {
 public:
  RankWorkforce(Transport& transport, const Run& run, int threads, const LogSink& log,
                const OpenLanes& open);
  Leader& leader() { return leader_; }
  Executor* executor() const { return executor_.get(); }  // null: hone makes no simulations of it
  MarginalTrainer& trainer() const { return *trainer_; }
  Calibrator& calibrator() const { return *calibrator_; }

 private:
  LogSink log_;
  Leader leader_;
  std::unique_ptr<MarginalTrainer> trainer_;
  std::unique_ptr<Calibrator> calibrator_;
  std::unique_ptr<Lanes> lanes_;
  std::unique_ptr<Executor> executor_;
};

}  // namespace hone
