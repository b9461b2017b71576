// Observations and covariances: numbers as text or as an array of NumPy.
#include "hone/files/number_file.h"

#include "fuzz.h"

HONE_FUZZ_TARGET(number_file)(const std::string& bytes) {
  hone::survive([&] { hone::read_numbers(hone::file_with(bytes, ".txt")); });
}
