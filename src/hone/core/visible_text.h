#pragma once

#include <string>
#include <string_view>

namespace hone {

// Text from others (names, messages of simulators, paths) on its way to a terminal or a log, which
// must not obey it: control characters become "\u001b", the invisible characters that turn the
// direction of writing "\u202e", and bytes that are no UTF-8 "\x9b". Line ends and tabs stay. In
// printed JSON the result means the same as before.
std::string visible_text(std::string_view text);

// The length of the UTF-8 character at the beginning of the text, 0 if there is none.
std::size_t utf8_length(std::string_view text);

}  // namespace hone
