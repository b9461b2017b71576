#pragma once

#include <optional>
#include <string_view>

#include "hone/core/matrix.h"

namespace hone {

// The line of a TOML text where values and the parts of their keys are nested deeper than
// `deepest`: a.b = {c = [1]} has five levels. Nothing if there is none. Comments and strings do not
// count. In a text that is not TOML it sees what a parser sees up to the fault.
std::optional<Index> line_of_too_deep_toml(std::string_view text, int deepest);

}  // namespace hone
