// Files of samples in all formats; the first byte chooses.
#include "hone/files/sample_file.h"

#include "fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const char* const endings[] = {".csv", ".npy", ".npz", ".csv.bz2"};
  hone::survive([&] {
    hone::read_samples(hone::file_with(hone::text_of(data + 1, size - 1), endings[data[0] % 4]));
  });
  return 0;
}
