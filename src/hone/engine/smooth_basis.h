#pragma once

#include <vector>

#include "hone/core/matrix.h"
#include "hone/engine/embedding.h"

namespace hone {

// Of a series or an image, what neighbours say of a parameter is usually alike: weights of linear
// estimates (ridge.h) are smooth functions of the place. A regression that knows this averages the
// noise of neighbours, and needs fewer simulations by as much as it has fewer weights.
//
// More functions than this cost more time than they are worth, where wider ones do.
constexpr Index kMostFunctions = 512;

// One table for each width: columns of the data x functions. A function is a bump of this width
// (in places) in one channel of a block, of norm 1, with bumps one width apart in each direction;
// of blocks without places, such as vectors, it is one column. Columns of sets have none. No tables
// if no block has places; those of the widest bumps are always there.
// Columns behind those of the blocks, as many as `others`, are functions of their own.
std::vector<Matrix<float>> smooth_bases(const EmbeddingOptions& options, Index others);

}  // namespace hone
