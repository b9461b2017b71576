#pragma once

#include <span>
#include <vector>

#include "hone/engine/density_stack.h"
#include "hone/engine/trainer.h"

namespace hone {

// Which side of a simulation is the context of the densities, and which the table whose columns
// they are of (density_stack.h).
enum class DensityOf {
  parameters,  // given the data: posteriors
  data,        // given the parameters: likelihoods
};

struct DensityTraining {
  DensityOf what = DensityOf::parameters;
  Index components = 8;  // Gaussians per density; in 1 .. kMostComponents
  ColumnBounds bounds;   // of the columns of the table, raw
};

struct DensityResult {
  DensityStack stack;
  std::vector<MemberHistory> histories;  // per member; a loss is the mean of -log density of scores
};

// Trains one network per member by maximum likelihood, from rows of data and theta as train()
// (trainer.h) does: the same batches, realisations, schedule, early stopping and best weights.
// Negatives are not used. Each network begins with the linear regression of its column on what it
// sees of the row, and with the width around it; not behind an embedding, which has learned nothing
// yet.
//
// An embedding compresses the data where they are the context.
DensityResult train_densities(const TrainingData& data, std::vector<MemberSpec> members,
                              const DensityTraining& densities, const NetworkOptions& network,
                              const EmbeddingOptions& embedding, const TrainingOptions& options,
                              const Rng& rng, Observer& observer = silent_observer(),
                              ProcessGroup& group = single_process());

}  // namespace hone
