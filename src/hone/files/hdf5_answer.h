#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hone/files/hdf5.h"

namespace hone::hdf5 {

// What the process that reads the file of somebody else (hone/files/hdf5_foreign.h) says through
// its pipe: the arrays that were asked for, or why there are none.

// For that process. It ends when nobody listens any more.
void write_numbers(int pipe, const std::vector<Numbers>& arrays);
void write_error(int pipe, const std::string& message);  // cut after 10,000 bytes

// For the one that listens, which believes nothing: the file may have taken over the process that
// speaks. As many arrays, each of at most `most_values`; nothing if the other has died or talks
// nonsense. Its error is an Error{input}.
std::optional<std::vector<Numbers>> read_answer(int pipe, std::size_t arrays, Index most_values);

}  // namespace hone::hdf5
