#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "hone/core/observer.h"
#include "hone/inference/marginal_trainer.h"
#include "hone/inference/options.h"
#include "hone/inference/ratio_estimator.h"
#include "hone/inference/simulations.h"
#include "hone/inference/truncation.h"

namespace hone {

// What a round did.
struct Round {
  int number = 1;
  Region region;                        // its training data come from here
  Index kept = 0;                       // successful simulations of earlier rounds inside it
  Index simulated = 0;                  // new ones asked for
  Cut cut;                              // what the round found
  std::vector<MemberHistory> training;  // of the 1-d networks, axis by axis
  std::shared_ptr<const RatioEstimator> ratios = nullptr;  // these networks; null if read from disk
};

// Remembers finished work across interruptions. The base remembers nothing: every part is computed.
class Journal {
 public:
  virtual ~Journal() = default;
  virtual Round round(int /*number*/, const std::function<Round()>& compute) { return compute(); }
  virtual TrainedEstimator final_estimator(const Region& /*region*/,
                                           const std::function<TrainedEstimator()>& compute) {
    return compute();
  }
};

struct InferenceResult {
  std::vector<Round> rounds;
  Region region;              // what the final training data come from
  bool converged = true;      // the region stopped shrinking
  bool budget_spent = false;  // if it did not: for lack of simulations, not of rounds
  Index final_rows = 0;       // successful simulations in it
  TrainedEstimator final_marginals;
};

// Truncated Marginal Neural Ratio Estimation, Algorithm 1 of the paper (docs/algorithm.md lists the
// departures). With Method::mnre there are no rounds: everything happens in the whole prior.
InferenceResult tmnre(Simulations& simulations, std::span<const double> observation,
                      const std::vector<Marginal>& marginals, const InferenceOptions& options,
                      Journal& journal, const Rng& rng, Observer& observer = silent_observer(),
                      MarginalTrainer& trainer = local_trainer());

}  // namespace hone
