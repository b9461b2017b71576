#pragma once

#include <string>
#include <vector>

namespace hone {

// The words of all DataKinds (data_description.h), in the order of their table: for messages, other
// languages and tests of the documentation.
std::vector<std::string> data_kind_names();

}  // namespace hone
