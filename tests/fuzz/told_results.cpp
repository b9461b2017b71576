// Results of simulations that somebody else made, for `hone tell`; the first byte chooses the
// format.
#include "fuzz.h"
#include "hone/run/ask_tell_files.h"

HONE_FUZZ_TARGET(told_results)(const std::string& bytes) {
  const char* const endings[] = {".csv", ".jsonl", ".npz"};
  std::string_view rest = bytes;
  const int choice = hone::take_choice(rest, 3);
  hone::survive([&] {
    hone::read_told_results(hone::file_with(rest, endings[choice]), {"mass", "age"});
  });
}
