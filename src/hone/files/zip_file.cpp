#include "hone/files/zip_file.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string_view>

#include <zlib.h>

#include "hone/core/error.h"
#include "hone/files/files.h"

namespace hone {
namespace {

// Signatures and sizes of the records (APPNOTE.TXT 4.3).
constexpr std::uint32_t kLocal = 0x04034b50, kEntry = 0x02014b50, kEnd = 0x06054b50;
constexpr std::uint32_t kLargeEnd = 0x06064b50, kLargeEndLocator = 0x07064b50;
constexpr std::uint64_t kLocalBytes = 30, kEntryBytes = 46, kEndBytes = 22, kLocatorBytes = 20;
constexpr std::uint64_t kLargeEndBytes = 56;
constexpr std::uint32_t kInLargeRecord = 0xffffffff;
constexpr std::uint16_t kStored = 0, kDeflated = 8;

// Deflate cannot do better than 1032 to 1.
constexpr std::uint64_t kBestRatio = 1032;

// An archive is read whole; no machine that trains on it has less memory.
constexpr std::size_t kMostBytes = std::size_t{1} << 38;

std::string inflate_raw(std::string_view packed, std::size_t size) {
  std::string out(size, '\0');
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  // zlib counts in 32 bits: both sides are handed over in pieces.
  constexpr std::size_t piece = std::size_t{1} << 30;
  std::size_t taken = 0, made = 0;
  int code = Z_OK;
  while (code == Z_OK) {
    const std::size_t in = std::min(packed.size() - taken, piece);
    const std::size_t room = std::min(out.size() - made, piece);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + taken));
    stream.avail_in = static_cast<uInt>(in);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + made);
    stream.avail_out = static_cast<uInt>(room);
    code = inflate(&stream, Z_NO_FLUSH);
    taken += in - stream.avail_in;
    made += room - stream.avail_out;
    if (code == Z_OK && stream.avail_in == in && stream.avail_out == room) break;  // no progress
  }
  inflateEnd(&stream);
  if (code != Z_STREAM_END) made = 0;
  out.resize(made);
  return out;
}

std::uint32_t checksum_of(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace

void ZipFile::damaged(const std::string& what) const {
  fail(ErrorKind::input, "{}: not a readable npz (zip) archive: {}", path_.string(), what);
}

template <typename T>
T ZipFile::number(std::uint64_t offset) const {
  if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) damaged("it ends too early");
  T value;
  std::memcpy(&value, bytes_.data() + offset, sizeof(T));
  return value;
}

// The end record: the last thing in the file but for a comment of up to 64 kB.
std::uint64_t ZipFile::find_end() const {
  const std::uint64_t size = bytes_.size();
  for (std::uint64_t back = kEndBytes; back <= size && back <= kEndBytes + 0xffff; ++back) {
    if (number<std::uint32_t>(size - back) == kEnd) return size - back;
  }
  damaged("its table of contents is missing (was the file cut?)");
}

ZipFile::Directory ZipFile::find_directory() const {
  const std::uint64_t end = find_end();
  const Directory small{number<std::uint32_t>(end + 16), number<std::uint16_t>(end + 10)};
  if (end < kLocatorBytes || number<std::uint32_t>(end - kLocatorBytes) != kLargeEndLocator) {
    return small;
  }
  const auto large = number<std::uint64_t>(end - kLocatorBytes + 8);
  if (large > bytes_.size() || number<std::uint32_t>(large) != kLargeEnd ||
      bytes_.size() - large < kLargeEndBytes) {
    damaged("its table of contents is missing");
  }
  return {number<std::uint64_t>(large + 48), number<std::uint64_t>(large + 32)};
}

// Sizes beyond 32 bits are in an extra field, in a fixed order.
void ZipFile::read_large_sizes(Member& member, std::uint64_t begin, std::uint64_t end) const {
  while (end - begin >= 4) {
    const auto kind = number<std::uint16_t>(begin);
    const auto size = number<std::uint16_t>(begin + 2);
    begin += 4;
    if (size > end - begin) return;
    if (kind != 1) {
      begin += size;
      continue;
    }
    std::uint64_t next = begin;
    for (std::uint64_t* value : {&member.unpacked, &member.packed, &member.offset}) {
      if (*value != kInLargeRecord) continue;
      if (begin + size - next < 8) damaged("a size is missing");
      *value = number<std::uint64_t>(next);
      next += 8;
    }
    return;
  }
}

// Returns where the next entry begins.
std::uint64_t ZipFile::read_entry(std::uint64_t offset) {
  if (number<std::uint32_t>(offset) != kEntry) damaged("its table of contents is damaged");
  Member member;
  member.flags = number<std::uint16_t>(offset + 8);
  member.method = number<std::uint16_t>(offset + 10);
  member.checksum = number<std::uint32_t>(offset + 16);
  member.packed = number<std::uint32_t>(offset + 20);
  member.unpacked = number<std::uint32_t>(offset + 24);
  const auto name_bytes = number<std::uint16_t>(offset + 28);
  const auto extra_bytes = number<std::uint16_t>(offset + 30);
  const auto comment_bytes = number<std::uint16_t>(offset + 32);
  member.offset = number<std::uint32_t>(offset + 42);
  const std::uint64_t name = offset + kEntryBytes, extra = name + name_bytes;
  const std::uint64_t next = extra + extra_bytes + comment_bytes;
  if (next > bytes_.size()) damaged("its table of contents is damaged");
  read_large_sizes(member, extra, extra + extra_bytes);
  members_.emplace(bytes_.substr(name, name_bytes), member);
  return next;
}

ZipFile::ZipFile(const std::filesystem::path& path)
    : path_(path), bytes_(read_file(path, kMostBytes)) {
  const Directory directory = find_directory();
  std::uint64_t offset = directory.offset;
  for (std::uint64_t i = 0; i < directory.entries; ++i) offset = read_entry(offset);
}

std::vector<std::string> ZipFile::names() const {
  std::vector<std::string> names;
  for (const auto& [name, member] : members_) names.push_back(name);
  return names;
}

std::string ZipFile::read(const std::string& name) const {
  const Member& member = members_.at(name);
  const std::string shown = fmt::format("'{}' ", name.substr(0, 60));
  if (member.flags & 1) damaged(shown + "is encrypted");
  if (member.method != kStored && member.method != kDeflated) {
    damaged(shown + "is compressed by a method other than deflate; write it with numpy.savez");
  }
  // Additions cannot overflow: the offset is inside the file, the lengths have 16 bits.
  if (member.offset > bytes_.size() || number<std::uint32_t>(member.offset) != kLocal) {
    damaged(shown + "is not where the table of contents says");
  }
  const std::uint64_t begin = member.offset + kLocalBytes +
                              number<std::uint16_t>(member.offset + 26) +
                              number<std::uint16_t>(member.offset + 28);
  if (begin > bytes_.size() || member.packed > bytes_.size() - begin) {
    damaged(shown + "lies outside the file");
  }
  const std::string_view packed = std::string_view(bytes_).substr(begin, member.packed);
  if (member.unpacked / kBestRatio > member.packed) damaged(shown + "has an impossible size");
  std::string content =
      member.method == kStored ? std::string(packed) : inflate_raw(packed, member.unpacked);
  if (content.size() != member.unpacked || checksum_of(content) != member.checksum) {
    damaged(shown + "is damaged (its checksum differs)");
  }
  return content;
}

}  // namespace hone
