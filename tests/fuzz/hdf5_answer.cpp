// What the confined process that reads HDF5 files of others says of them: such a file may have
// taken it over. The library itself is no target: a crash of it is expected, ends that process
// only, and is refused like any damage (store.HostileDataset), so the fuzzer would stop at what is
// no finding.
#include "hone/files/hdf5_answer.h"

#include <fcntl.h>

#include "fuzz.h"
#include "hone/core/npy.h"
#include "hone/files/files.h"

HONE_FUZZ_TARGET(hdf5_answer)(const std::string& bytes) {
  using namespace hone;
  const FileDescriptor pipe(::open(file_with(bytes, ".pipe").c_str(), O_RDONLY | O_CLOEXEC));
  survive([&] {
    const auto arrays = hdf5::read_answer(pipe.get(), 2, 10000);
    if (!arrays) return;
    for (const hdf5::Numbers& numbers : *arrays) npy_matrix({numbers.shape, numbers.values}, "x");
  });
}
