#pragma once

#include "hone/engine/density_trainer.h"
#include "hone/estimate/data_pieces.h"
#include "hone/estimate/estimator.h"

namespace hone {

// What the density of a piece learns from: pieces of simulations of this size. Not of all pieces
// where these are more than it takes.
DataSize size_of_pieces(DataSize size, const DataPieces& pieces);

// p(piece | theta) of the simulations of the request, for each member of the ensemble: a density of
// every column that is not given, in an order of the member's own, or a flow of all.
DensityResult train_pieces(const EstimationRequest& request, const DataPieces& pieces,
                           ProcessGroup& group);

// p(first values | theta) of series with so many channels: they have none before them.
DensityResult train_first_values(const EstimationRequest& request, Index channels,
                                 ProcessGroup& group);

}  // namespace hone
