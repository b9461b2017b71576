#pragma once

#include <filesystem>

#include "hone/store/simulation_rows.h"

namespace hone {

// manifest.json of a store: the version of its format and its schema.
inline constexpr int kStoreVersion = 1;

void write_manifest(const std::filesystem::path& path, const StoreSchema& schema);

// Error{io} for a file that is damaged or from a newer version of hone.
StoreSchema read_manifest(const std::filesystem::path& path);

}  // namespace hone
