#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hone {

// The allowed word that looks most like this one; nothing if none does.
std::optional<std::string> nearest_word(std::string_view word,
                                        const std::vector<std::string>& allowed);

// For messages about an unknown word: "did you mean 'normal'? allowed: uniform, normal". The
// question is left out when nothing allowed looks like the word.
std::string suggestion(std::string_view word, const std::vector<std::string>& allowed);

}  // namespace hone
