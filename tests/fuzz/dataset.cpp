// Tables of simulations that existed before the run; the first byte chooses the format. HDF5 files
// of others are read by a process of its own (hone/files/hdf5_foreign.h).
#include "fuzz.h"
#include "hone/store/dataset_file.h"

HONE_FUZZ_TARGET(dataset)(const std::string& bytes) {
  using namespace hone;
  std::string_view rest = bytes;
  const std::string ending = take_choice(rest, 2) == 0 ? ".csv" : ".npz";
  survive([&] { read_dataset({.file = file_with(rest, ending)}, {"mass", "age"}); });
}
