#pragma once

#include <span>
#include <vector>

#include "hone/core/named_array.h"
#include "hone/engine/trainer.h"
#include "hone/prior/marginals.h"

namespace hone {

// Densities of several columns as products of factors p(y_j | those before it): the factors of
// {3, 0, 5} are {3}, {3, 0} and {3, 0, 5}.
std::vector<std::vector<int>> prefixes(const std::vector<int>& columns);

// The densities whose product is that of some columns: its factors, or, with more than one
// transform, a flow of all columns together (hone/engine/density_stack.h).
std::vector<std::vector<int>> factors_of(const std::vector<int>& columns, Index transforms);

// All of some marginals, each once, in the order in which they come up.
std::vector<std::vector<int>> all_factors(const std::vector<Marginal>& marginals, Index transforms);
Index find_factor(const std::vector<std::vector<int>>& factors, const std::vector<int>& factor);

// The training curve of a product: losses of its factors add up. One that has stopped keeps its
// best loss.
MemberHistory product_history(std::span<const MemberHistory* const> factors);

[[noreturn]] void fail_misfit();  // Error{io}: what was read does not fit the run

}  // namespace hone
