#pragma once

#include <vector>

#include "hone/check/draws.h"

namespace hone {

// Simulations that no network was trained on, or consecutive ones of them.
struct CalibrationDraws {
  MatrixView<const float> x;       // (n, data size)
  MatrixView<const double> local;  // (n, parameters): where they come from
  Index first = 0;                 // number of the first row among all draws
};

// What the posteriors of a run say about the true values of test draws: the long part of its
// checks. This base computes it here; on the ranks of a job: hone/mpi/rank_calibrator.h.
class Calibrator {
 public:
  virtual ~Calibrator() = default;

  // Ranks of all marginals, of the main networks and of those trained later; those of few
  // parameters first. Draws are independent of each other: the ranks of some of them are the same
  // numbers as in the ranks of all, if these begin with a multiple of options.batch.
  virtual std::vector<MarginalRanks> rank(const std::vector<TrainedPosterior>& trained,
                                          const CalibrationDraws& draws, const RankOptions& options,
                                          const Rng& rng, Observer& observer);
};

Calibrator& local_calibrator();

}  // namespace hone
