#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace hone {

// Every file of a run by its relative path, but for the lock.
std::map<std::string, std::string> files_of(const std::filesystem::path& run);

// Shards only.
std::map<std::string, std::string> shards_of(const std::filesystem::path& run);

// Expects the same files with the same bytes, and the same simulations row by row: shards may be
// divided differently.
void expect_same_run(const std::filesystem::path& run, const std::filesystem::path& other);

}  // namespace hone
