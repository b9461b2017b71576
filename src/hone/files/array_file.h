#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "hone/core/named_array.h"
#include "hone/files/file_mark.h"

namespace hone {

// One HDF5 file with a data set for each array, written atomically (hone/files/files.h). Equal
// arrays give equal bytes, whatever the order they are given in. A slash in a name is written %2F
// and a percent sign %25.
void write_arrays(const std::filesystem::path& path, std::span<const NamedArray> arrays,
                  const FileMark& mark = {});

// The arrays of such a file, sorted by name. A file that is damaged or not where it belongs is an
// Error{io}.
std::vector<NamedArray> read_arrays(const std::filesystem::path& path,
                                    const FileMark& expected = {});

}  // namespace hone
