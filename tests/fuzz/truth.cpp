// True values of parameters, for figures.
#include "fuzz.h"
#include "hone/report/run_corner.h"

HONE_FUZZ_TARGET(truth)(const std::string& bytes) {
  hone::survive([&] { hone::read_truth(hone::file_with(bytes, ".csv")); });
}
