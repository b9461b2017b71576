// Problem files: TOML, and everything a problem may say in it.
#include "hone/problem/problem_file.h"

#include "fuzz.h"

HONE_FUZZ_TARGET(problem_file)(const std::string& bytes) {
  hone::survive([&] { hone::read_problem_file(hone::file_with(bytes, ".toml")); });
}
