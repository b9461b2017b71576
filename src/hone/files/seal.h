#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "hone/files/file_mark.h"
#include "hone/files/files.h"

namespace hone {

// Our HDF5 files begin with a "user block" of 512 bytes, which HDF5 leaves to the application.
// It holds, as text (`head -n 8 FILE` shows it), lengths and checksums, where the table of
// contents is, and which file of which run this is. The table of contents is a data set that lists
// the others (hone/files/sealed_file.h). With the seal we notice damage, and read our files without
// libhdf5, which trusts what it reads: version 1.10.8 crashes on some damaged files
// (docs/decisions/0002-store-files-are-sealed.md).
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
  Section contents;
  Section data;  // all zero if there is none
  std::uint64_t data_checksum = 0;
  FileMark mark;
  std::uint64_t body_checksum = 0;  // of all above, and of all but seal and data section
};

// Writes the seal into the first 512 bytes of a file's image.
Seal seal_image(std::span<std::byte> image, Section contents, Section data = {},
                const FileMark& mark = {});

// Reads the seal and checks it, the file's length and its body, and that the file is where it
// belongs. Throws Error{io}.
Seal verify_body(const ReadableFile& file, const FileMark& expected = {});

// Checks the data section. Throws Error{io}.
void verify_data(const ReadableFile& file, const Seal& seal);

}  // namespace hone
