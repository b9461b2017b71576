// Arrays of NumPy: files of their own and members of archives.
#include "hone/core/npy.h"

#include "fuzz.h"

HONE_FUZZ_TARGET(npy)(const std::string& bytes) {
  hone::survive([&] { hone::npy_matrix(hone::parse_npy(bytes, "x.npy"), "x.npy"); });
}
