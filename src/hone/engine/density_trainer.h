#pragma once

#include <optional>
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

// Simulations that do not follow the prior teach a posterior density q by the atomic loss of SNPE-C
// (Greenberg et al. 2019): which of several parameter vectors, the atoms, has made the data?
//
//   L = -log (r(theta_i, x_i) / sum over the atoms of r(theta_j, x_i)),
//   r(theta, x) = q(theta | x) / p(theta).
//
// Atoms are the row's own parameters and negatives as for ratios. The loss says nothing about the
// integral of q where there are no atoms: on rows that do follow the prior -log q is added.
struct AtomicLoss {
  Index atoms = 10;  // 1: none but the own, so that -log q of rows from the prior is all
  // (rows of theta): log density of the prior in the coordinates of theta, up to a constant.
  std::span<const float> log_prior;
  std::vector<bool> from_prior;  // (rows of x)
};

struct DensityTraining {
  DensityOf what = DensityOf::parameters;
  DensityForm form = DensityForm::mixture;
  Index components = 8;  // Gaussians or knots per density; in 1 (2) .. kMostComponents
  ColumnBounds bounds;   // of the columns of the table, raw
  // Of posteriors of all parameters: members are chains {a}, {a, b}, {a, b, c}, ..., one after the
  // other, and each chain is trained as one; or flows.
  std::optional<AtomicLoss> atomic = std::nullopt;
  // More than 1: each member that is asked for is the density of all its columns together, and
  // becomes a flow of so many networks. In 1 .. kMostTransforms
  Index transforms = 1;
};

struct DensityResult {
  DensityStack stack;
  // Per density; a loss is the mean of -log density of scores. With the atomic loss, per chain.
  std::vector<MemberHistory> histories;
};

// Trains one network per member by maximum likelihood, from rows of data and theta as train()
// (trainer.h) does: the same batches, realisations, schedule, early stopping and best weights.
// Negatives are atoms of the atomic loss, and else not used. Each network begins with the linear
// regression of its column on what it sees of the row, and with the width around it; not behind an
// embedding, which has learned nothing yet. Of a flow the first transform does so, and the others
// change nothing at first; columns that are the same in all simulations are not part of it.
//
// An embedding compresses the data where they are the context.
DensityResult train_densities(const TrainingData& data, std::vector<MemberSpec> members,
                              const DensityTraining& densities, const NetworkOptions& network,
                              const EmbeddingOptions& embedding, const TrainingOptions& options,
                              const Rng& rng, Observer& observer = silent_observer(),
                              ProcessGroup& group = single_process());

}  // namespace hone
