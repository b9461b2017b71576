#pragma once

#include <filesystem>

#include "hone/files/file_mark.h"
#include "hone/store/simulation_rows.h"

namespace hone {

// manifest.json of a store: the version of its format and its schema.
inline constexpr int kStoreVersion = 1;

void write_manifest(const std::filesystem::path& path, const StoreSchema& schema,
                    const FileMark& mark);

// Error{io} for a file that is damaged, not where it belongs, or from a newer version of hone.
StoreSchema read_manifest(const std::filesystem::path& path, const FileMark& expected);

}  // namespace hone
