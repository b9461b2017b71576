#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "hone/store/files.h"

namespace hone {

// Our HDF5 files begin with a "user block" of 512 bytes, which HDF5 leaves to the application.
// It holds lengths and checksums as text (`head -n 6 FILE` shows it), so that damage is noticed
// before libhdf5, which trusts what it reads, sees the file.
//
// A file may have one large data section (the x of a shard) with a checksum of its own: opening a
// store then need not read it.
inline constexpr Index kSealBytes = 512;

struct Section {
  Index offset = 0;  // from the beginning of the file
  Index bytes = 0;
};

struct Seal {
  Index length = 0;  // of the whole file
  Section data;
  std::uint64_t body_checksum = 0;  // all but the seal and the data section
  std::uint64_t data_checksum = 0;
};

// Writes the seal into the first 512 bytes of a file's image.
Seal seal_image(std::span<std::byte> image, Section data = {});

// Reads the seal and checks it, the file's length and its body. Throws Error{io}.
Seal verify_body(const ReadableFile& file);

// Checks the data section. Throws Error{io}.
void verify_data(const ReadableFile& file, const Seal& seal);

}  // namespace hone
