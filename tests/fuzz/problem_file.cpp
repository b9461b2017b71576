// Problem files: TOML, and everything a problem may say in it.
#include "hone/problem/problem_file.h"

#include "fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  hone::survive(
      [&] { hone::read_problem_file(hone::file_with(hone::text_of(data, size), ".toml")); });
  return 0;
}
