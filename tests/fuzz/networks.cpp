// Networks of a run, once past their seals: the first byte chooses a file that hone wrote
// (tests/fuzz/networks), the others are edits of its arrays. What is still accepted is asked.
#include <algorithm>
#include <cstring>
#include <vector>

#include "fuzz.h"
#include "hone/files/array_file.h"
#include "hone/inference/method.h"
#include "hone/prior/region.h"
#include "small_prior.h"

namespace hone {
namespace {

// What is in tests/fuzz/networks/<file>.h5.
struct Kind {
  const char* file;
  const char* estimator;
  std::vector<NamedArray> arrays = {};
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = [] {
    std::vector<Kind> kinds{{"ratio", "ratio"},           {"density", "density"},
                            {"likelihood", "likelihood"}, {"combined", "combined"},
                            {"samples", "samples"},       {"encoders", "ratio"}};
    const std::filesystem::path folder = HONE_SOURCE_DIR "/tests/fuzz/networks";
    for (Kind& kind : kinds) kind.arrays = read_arrays(folder / (kind.file + std::string(".h5")));
    return kinds;
  }();
  return all;
}

// In the input as 12 bytes.
struct Edit {
  std::uint8_t array, action;
  std::uint16_t at;
  double value;
};

std::vector<Edit> read_edits(std::string_view bytes) {
  constexpr std::size_t kBytes = 12;
  std::vector<Edit> edits;
  for (; bytes.size() >= kBytes; bytes.remove_prefix(kBytes)) {
    Edit edit{.array = static_cast<std::uint8_t>(bytes[0]),
              .action = static_cast<std::uint8_t>(bytes[1]),
              .at = 0,
              .value = 0};
    std::memcpy(&edit.at, bytes.data() + 2, sizeof edit.at);
    std::memcpy(&edit.value, bytes.data() + 4, sizeof edit.value);
    edits.push_back(edit);
  }
  return edits;
}

// Values have as many members as the shape says: the file behind them cannot say otherwise.
void reshape(NamedArray& array, std::vector<Index> shape) {
  Index size = 1;
  for (const Index extent : shape) size *= extent;
  std::visit([&](auto& values) { values.resize(static_cast<std::size_t>(size)); }, array.values);
  array.shape = std::move(shape);
}

void apply(const Edit& edit, std::vector<NamedArray>& arrays) {
  if (arrays.empty()) return;
  NamedArray& array = arrays[edit.array % arrays.size()];
  std::vector<Index> shape = array.shape;
  switch (edit.action % 6) {
    case 0:
      std::visit(
          [&](auto& values) {
            if (values.empty()) return;
            using Value = typename std::remove_reference_t<decltype(values)>::value_type;
            values[edit.at % values.size()] = static_cast<Value>(edit.value);
          },
          array.values);
      return;
    case 1:
      if (!shape.empty()) shape[edit.at % shape.size()] = edit.at / 256 % 16;
      return reshape(array, std::move(shape));
    case 2:
      if (shape.size() < 4) shape.push_back(edit.at % 3);
      return reshape(array, std::move(shape));
    case 3:
      if (!shape.empty()) shape.pop_back();
      return reshape(array, std::move(shape));
    case 4: array.name = arrays[edit.at % arrays.size()].name; return;
    default: arrays.erase(arrays.begin() + edit.array % std::ssize(arrays));
  }
}

void ask(const AmortizedPosterior& posterior) {
  if (posterior.data_size() > 1000) return;
  const std::vector<double> x(static_cast<std::size_t>(posterior.data_size()), 0.3);
  const Matrix<float> features = posterior.features(x);
  for (Index m = 0; m < std::ssize(posterior.marginals()); ++m) {
    const Marginal& marginal = posterior.marginals()[static_cast<std::size_t>(m)];
    Matrix<float> local(2, std::ssize(marginal));
    std::fill_n(local.data(), local.rows() * local.cols(), 0.25F);
    posterior.log_densities(m, features, local);
  }
}

}  // namespace
}  // namespace hone

HONE_FUZZ_TARGET(networks)(const std::string& bytes) {
  using namespace hone;
  std::string_view rest = bytes;
  const Kind& kind =
      kinds()[static_cast<std::size_t>(take_choice(rest, static_cast<int>(kinds().size())))];
  std::vector<NamedArray> arrays = kind.arrays;
  for (const Edit& edit : read_edits(rest)) apply(edit, arrays);
  static const Prior prior = small_prior({"a", "b"}, -1, 1);
  survive([&] {
    const auto posterior =
        find_estimator(kind.estimator).load(prior, Region::whole(prior.dimensions()), arrays);
    const bool proposes =
        posterior->estimator() == "likelihood" || posterior->estimator() == "combined";
    if (!proposes) ask(*posterior);  // these make thousands of draws first
  });
}
