#include "hone/files/bz2_file.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include <bzlib.h>

#include "hone/core/error.h"
#include "hone/files/files.h"

namespace hone {
namespace {

// A few bytes may stand for terabytes; tables that are compared or trained on are smaller.
constexpr std::size_t kMostBytes = std::size_t{1} << 32;

class Decompressor {
 public:
  Decompressor() {
    if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) throw std::bad_alloc();
  }
  ~Decompressor() { BZ2_bzDecompressEnd(&stream_); }
  Decompressor(const Decompressor&) = delete;
  Decompressor& operator=(const Decompressor&) = delete;

  // Unpacks the stream that `packed` begins with, adds it to `out` and takes it off. The answer is
  // bzip2's code: BZ_STREAM_END if all is well, BZ_OK if the end is missing.
  int unpack(std::string& out, std::string_view& packed) {
    int code = BZ_OK;
    while (code == BZ_OK && out.size() <= kMostBytes) {
      const std::size_t in = std::min<std::size_t>(packed.size(), kPiece), begin = out.size();
      out.resize(begin + kPiece);
      stream_.next_in = const_cast<char*>(packed.data());
      stream_.avail_in = static_cast<unsigned>(in);
      stream_.next_out = out.data() + begin;
      stream_.avail_out = kPiece;
      code = BZ2_bzDecompress(&stream_);
      packed.remove_prefix(in - stream_.avail_in);
      out.resize(begin + kPiece - stream_.avail_out);
      if (code == BZ_OK && packed.empty() && stream_.avail_out > 0) return BZ_OK;
    }
    return code;
  }

 private:
  static constexpr unsigned kPiece = 1U << 20;
  bz_stream stream_{};
};

[[noreturn]] void refuse(const std::filesystem::path& path, const char* what) {
  fail(ErrorKind::input, "{}: not a readable bzip2 file: {}", path.string(), what);
}

}  // namespace

std::string read_bz2_file(const std::filesystem::path& path) {
  const std::string bytes = read_file(path, kMostBytes);
  std::string_view packed = bytes;
  if (!packed.starts_with("BZh")) refuse(path, "it does not begin like one");
  std::string out;
  while (!packed.empty()) {
    const int code = Decompressor().unpack(out, packed);
    if (out.size() > kMostBytes) refuse(path, "it unpacks to more than 4 GiB");
    if (code == BZ_STREAM_END) continue;
    if (code == BZ_OK) refuse(path, "it ends too early (was the file cut?)");
    if (code == BZ_MEM_ERROR) throw std::bad_alloc();
    refuse(path, code == BZ_DATA_ERROR_MAGIC ? "what follows its end is not bzip2"
                                             : "it is damaged (its checksum differs)");
  }
  return out;
}

}  // namespace hone
