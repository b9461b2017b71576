#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "hone/files/hdf5.h"

namespace hone::hdf5 {

// Data sets of a file that others made, as double, in the order of the names ("x" or "group/x").
// Everything that is wrong with the file is an Error{input}, with the nearest name for one that is
// missing.
//
// libhdf5 is used in a process of its own, which hands back the numbers: of files in chunks with
// some bytes changed, one in a thousand crashes version 1.10.8. That must not take hone with it.
// And should such a file do more than crash it, the process is confined (hone/files/confine.h).
std::vector<Numbers> read_foreign(const std::filesystem::path& path,
                                  const std::vector<std::string>& names);

}  // namespace hone::hdf5
