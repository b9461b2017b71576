// Tables of simulations that existed before the run, and what becomes of them in its store; the
// first byte chooses the format. Two csv files are divided by the first zero byte. HDF5 files of
// others are read by a process of its own: hdf5_answer.cpp.
#include "fuzz.h"
#include "hone/store/dataset_file.h"
#include "small_prior.h"

namespace hone {
namespace {

DatasetSource source_of(std::string_view bytes, int choice) {
  if (choice == 1) return {.file = file_with(bytes, ".npz")};
  const std::size_t end = choice == 2 ? bytes.find('\0') : bytes.npos;
  DatasetSource source{.file = file_with(bytes.substr(0, end), ".csv")};
  if (end != bytes.npos) source.x_file = file_with(bytes.substr(end + 1), "-x.csv");
  return source;
}

}  // namespace
}  // namespace hone

HONE_FUZZ_TARGET(dataset)(const std::string& bytes) {
  using namespace hone;
  static const Prior prior = small_prior({"mass", "age"}, 0, 10);
  std::string_view rest = bytes;
  const int choice = take_choice(rest, 3);
  survive([&] {
    const DatasetSource source = source_of(rest, choice);
    const ExistingSimulations simulations = read_dataset(source, prior.names());
    prior_mismatches(dataset_rows(simulations, prior, source), prior);
  });
}
