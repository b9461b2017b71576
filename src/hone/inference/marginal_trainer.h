#pragma once

#include "hone/inference/ratio_estimator.h"

namespace hone {

// Where the networks of a data set are trained. This base trains them in this process, another may
// share them out over several: the networks are the same bit for bit.
class MarginalTrainer {
 public:
  virtual ~MarginalTrainer() = default;
  virtual TrainedEstimator train(const Dataset& data, const std::vector<Marginal>& marginals,
                                 int ensemble, const InferenceOptions& options, const Rng& rng,
                                 Observer& observer) {
    return train_marginals(data, marginals, ensemble, options, rng, observer);
  }
};

inline MarginalTrainer& local_trainer() {
  static MarginalTrainer trainer;
  return trainer;
}

}  // namespace hone
