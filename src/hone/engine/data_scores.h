#pragma once

#include <span>

#include "hone/engine/embedding.h"
#include "hone/engine/standardizer.h"

namespace hone {

// Statistics of the data's columns (standardizer.h), as the embedding wants them: all elements of a
// set share theirs, so that their order means nothing, and all pixels of an image their scale.
Standardizer fit_data_standardizer(const RowSource& x, std::span<const Index> rows, Tails tails,
                                   const EmbeddingOptions& embedding);

}  // namespace hone
