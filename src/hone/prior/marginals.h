#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hone {

// Which parameters a marginal posterior is about: indices, sorted, without repetition.
using Marginal = std::vector<int>;

std::vector<Marginal> one_dimensional(int dimensions);  // {0}, {1}, ...
std::vector<Marginal> two_dimensional(int dimensions);  // {0, 1}, {0, 2}, ..., {1, 2}, ...
Marginal joint(int dimensions);                         // {0, 1, ..., dimensions - 1}

// "a,b" by names or "0,1" by indices, also mixed. Throws Error{input} for an unknown parameter,
// an index out of range, a parameter named twice, or nothing at all.
Marginal parse_marginal(std::string_view text, const std::vector<std::string>& names);

// "a,b": what parse_marginal() reads.
std::string marginal_name(const Marginal& marginal, const std::vector<std::string>& names);

}  // namespace hone
