// Sealed HDF5 files. The input gets a right seal for contents at a place that it names itself, so
// that the fuzzer reaches what lies behind the checksums.
#include <cstring>
#include <span>
#include <vector>

#include "fuzz.h"
#include "hone/files/array_file.h"
#include "hone/files/seal.h"
#include "hone/run/chunk_files.h"

HONE_FUZZ_TARGET(sealed_file)(const std::string& bytes) {
  using namespace hone;
  if (bytes.size() < 4) return;
  std::uint16_t offset = 0, length = 0;
  std::memcpy(&offset, bytes.data(), 2);
  std::memcpy(&length, bytes.data() + 2, 2);
  std::vector<std::byte> image(static_cast<std::size_t>(kSealBytes) + bytes.size() - 4);
  std::memcpy(image.data() + kSealBytes, bytes.data() + 4, bytes.size() - 4);
  const Section contents{kSealBytes + offset, length};
  const auto end = static_cast<Index>(image.size());
  if (length == 0 || contents.offset + contents.bytes > end) return;
  seal_image(image, contents);
  const auto* text = reinterpret_cast<const char*>(image.data());
  const std::filesystem::path file = file_with({text, image.size()}, ".h5");
  survive([&] { read_arrays(file); });
  survive([&] { read_chunk(file); });
  survive([&] { read_chunk_result(file); });
}
