#pragma once

#include <span>

#include "hone/engine/standardizer.h"

namespace hone {

// Sets center and softness of the columns that look clearly more like a Gaussian with softened
// tails; leaves both empty if there is none. Decided on at most a few thousand of the rows.
void soften_tails(Standardizer& scores, const RowSource& table, std::span<const Index> rows);

}  // namespace hone
