#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hone {

// For messages about an unknown word: "did you mean 'normal'? allowed: uniform, normal". The
// question is left out when nothing allowed looks like the word.
std::string suggestion(std::string_view word, const std::vector<std::string>& allowed);

}  // namespace hone
