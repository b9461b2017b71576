#include "hone/files/seal.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <vector>

#include "hone/core/error.h"
#include "hone/files/checksum.h"

namespace hone {
namespace {

static_assert(std::endian::native == std::endian::little, "the store's files are little-endian");

constexpr Index kPieceBytes = Index{1} << 20;  // a multiple of 8, as checksum() needs in between

constexpr std::size_t kLongestName = 200;

// Version 1 is of files that belong to no run, or to a run that is older than marks.
std::string seal_text(const Seal& seal) {
  std::string text = fmt::format(
      "hone sealed HDF5 file {}\nlength {}\ncontents {} {}\ndata {} {}\ndata_checksum {:016x}\n"
      "body_checksum {:016x}\n",
      seal.mark.run == 0 ? 1 : 2, seal.length, seal.contents.offset, seal.contents.bytes,
      seal.data.offset, seal.data.bytes, seal.data_checksum, seal.body_checksum);
  if (seal.mark.run != 0)
    text += fmt::format("run {:016x}\nfile {}\n", seal.mark.run, seal.mark.name);
  text.resize(static_cast<std::size_t>(kSealBytes), '\0');
  return text;
}

// Anything that is not exactly what seal_text() writes is damaged.
bool parse_seal(Seal& seal, const std::string& text) {
  std::array<char, kLongestName + 1> name{};
  const int found = std::sscanf(
      text.c_str(),  // NOLINT: overlong numbers fail the comparison below
      "hone sealed HDF5 file %*d length %" SCNd64 " contents %" SCNd64 " %" SCNd64 " data %" SCNd64
      " %" SCNd64 " data_checksum %" SCNx64 " body_checksum %" SCNx64 " run %" SCNx64 " file %200s",
      &seal.length, &seal.contents.offset, &seal.contents.bytes, &seal.data.offset,
      &seal.data.bytes, &seal.data_checksum, &seal.body_checksum, &seal.mark.run, name.data());
  seal.mark.name = name.data();
  return (found == 7 || found == 9) && text == seal_text(seal);
}

bool lies_inside(Section section, Index length) {
  return section.bytes > 0 && section.offset >= kSealBytes && section.offset <= length &&
         section.bytes <= length - section.offset;
}

bool is_possible(const Seal& seal) {
  const bool no_data = seal.data.offset == 0 && seal.data.bytes == 0 && seal.data_checksum == 0;
  return lies_inside(seal.contents, seal.length) &&
         (no_data || lies_inside(seal.data, seal.length));
}

// read(span, offset) fills a piece of the file.
template <typename Read>
std::uint64_t section_checksum(std::uint64_t state, Section section, Read read) {
  std::vector<std::byte> piece(static_cast<std::size_t>(std::min(section.bytes, kPieceBytes)));
  while (section.bytes > 0) {
    const auto part =
        std::span(piece).first(static_cast<std::size_t>(std::min(section.bytes, kPieceBytes)));
    read(part, section.offset);
    state = checksum(state, part);
    section.offset += static_cast<Index>(part.size());
    section.bytes -= static_cast<Index>(part.size());
  }
  return state;
}

template <typename Read>
std::uint64_t body_checksum(const Seal& seal, Read read) {
  const std::array<Index, 6> numbers = {
      seal.length,      seal.contents.offset, seal.contents.bytes,
      seal.data.offset, seal.data.bytes,      static_cast<Index>(seal.data_checksum)};
  std::uint64_t state = checksum(0, std::as_bytes(std::span(numbers)));
  if (seal.mark.run != 0) {
    state = checksum(state, std::as_bytes(std::span(&seal.mark.run, 1)));
    state = checksum(state, std::as_bytes(std::span(seal.mark.name)));
  }
  const Index data_begin = seal.data.bytes == 0 ? seal.length : seal.data.offset;
  const Index data_end = data_begin + seal.data.bytes;
  state = section_checksum(state, {kSealBytes, data_begin - kSealBytes}, read);
  return section_checksum(state, {data_end, seal.length - data_end}, read);
}

auto reader_of(const ReadableFile& file) {
  return [&file](std::span<std::byte> out, Index offset) { file.read(out, offset); };
}

}  // namespace

Seal seal_image(std::span<std::byte> image, Section contents, Section data, const FileMark& mark) {
  Seal seal{static_cast<Index>(image.size()), contents, data, 0, mark, 0};
  HONE_ASSERT(is_possible(seal) && mark.name.size() < kLongestName);
  const auto read = [image](std::span<std::byte> out, Index offset) {
    std::memcpy(out.data(), image.data() + offset, out.size());
  };
  seal.data_checksum = section_checksum(0, data, read);
  seal.body_checksum = body_checksum(seal, read);
  std::memcpy(image.data(), seal_text(seal).data(), static_cast<std::size_t>(kSealBytes));
  return seal;
}

Seal verify_body(const ReadableFile& file, const FileMark& expected) {
  const std::string path = file.path().string();
  if (file.length() < kSealBytes) fail(ErrorKind::io, "{}: damaged: the file is cut", path);
  std::string text(static_cast<std::size_t>(kSealBytes), '\0');
  file.read(std::as_writable_bytes(std::span(text)), 0);
  Seal seal;
  if (!parse_seal(seal, text) || !is_possible(seal)) {
    fail(ErrorKind::io, "{}: damaged, or not written by hone", path);
  }
  if (seal.length != file.length()) {
    fail(ErrorKind::io, "{}: damaged: {} bytes instead of {}", path, file.length(), seal.length);
  }
  if (body_checksum(seal, reader_of(file)) != seal.body_checksum) {
    fail(ErrorKind::io, "{}: damaged: its checksum differs", path);
  }
  if (const auto reason = misplaced(seal.mark, expected)) {
    fail(ErrorKind::io, "{}: {}", path, *reason);
  }
  return seal;
}

void verify_data(const ReadableFile& file, const Seal& seal) {
  if (section_checksum(0, seal.data, reader_of(file)) != seal.data_checksum) {
    fail(ErrorKind::io, "{}: damaged: the checksum of its data differs", file.path().string());
  }
}

}  // namespace hone
