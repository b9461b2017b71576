#pragma once

#include <filesystem>
#include <string>

namespace hone {

// The unpacked content of a bzip2 file, also one of several streams in a row. Checksums are
// compared: a file that is cut, damaged, something else, or larger than 4 GiB when unpacked is an
// Error{input} with its name.
std::string read_bz2_file(const std::filesystem::path& path);

}  // namespace hone
