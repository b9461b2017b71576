// Files packed by bzip2. The first byte chooses: the input is such a file, or its lines are packed
// as streams in a row, which must come back as they were.
#include "hone/files/bz2_file.h"

#include <algorithm>
#include <vector>

#include <bzlib.h>

#include "fuzz.h"

namespace hone {
namespace {

std::string packed(std::string_view text) {
  // As bzip2's manual has it: 1 % more than the text and 600 bytes always suffice.
  std::vector<char> out(text.size() + text.size() / 100 + 600);
  auto size = static_cast<unsigned>(out.size());
  std::string content(text);
  const int code = BZ2_bzBuffToBuffCompress(out.data(), &size, content.data(),
                                            static_cast<unsigned>(content.size()), 1, 0, 0);
  HONE_ASSERT(code == BZ_OK);
  return {out.data(), size};
}

}  // namespace
}  // namespace hone

HONE_FUZZ_TARGET(bz2_file)(const std::string& bytes) {
  using namespace hone;
  std::string_view rest = bytes;
  if (take_choice(rest, 2) == 0) {
    survive([&] { read_bz2_file(file_with(rest, ".bz2")); });
    return;
  }
  std::string streams;
  for (std::string_view left = rest; !left.empty();) {
    const std::size_t length = std::min(left.find('\n'), left.size() - 1) + 1;
    streams += packed(left.substr(0, length));
    left.remove_prefix(length);
  }
  if (!streams.empty()) HONE_ASSERT(read_bz2_file(file_with(streams, ".bz2")) == rest);
}
