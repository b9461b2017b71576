// Files of samples in all formats; the first byte chooses.
#include "hone/files/sample_file.h"

#include "fuzz.h"

HONE_FUZZ_TARGET(sample_file)(const std::string& bytes) {
  const char* const endings[] = {".csv", ".npy", ".npz", ".csv.bz2"};
  std::string_view rest = bytes;
  const int choice = hone::take_choice(rest, 4);
  hone::survive([&] { hone::read_samples(hone::file_with(rest, endings[choice])); });
}
