#pragma once

#include <filesystem>
#include <string_view>

namespace hone {

// A file that the user named, as with -o: atomically, like write_file_atomically(), if it is a
// regular file or not there yet. What else the name leads to keeps its place: the file behind a
// link is replaced, not the link, and a device, a pipe or /dev/stdout is written to.
void write_output_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace hone
