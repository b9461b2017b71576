#pragma once

#include <memory>

#include "hone/estimate/estimator.h"
#include "hone/mpi/other_ranks.h"

namespace hone {

// Trains the networks of a run on all ranks that see its directory and compute with the same
// kernels as this one. Each trains its share of the members on the data it reads itself; this rank
// gathers them.
//
// With a shared embedding every rank carries the embedding along: it takes the steps of its
// members, the ranks exchange the gradients of the features, and all add them up in the order of
// the members. This needs every rank of the job; if one cannot take part, this rank trains alone.
std::unique_ptr<NetworkTrainer> make_rank_trainer(OtherRanks& others);

}  // namespace hone
