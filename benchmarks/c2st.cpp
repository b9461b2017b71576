// Seconds of C2ST on the marginals of a 10-dimensional posterior: 10 pairs of one column and 45 of
// two, with the given number of draws per sample. Prints one JSON object.
#include "hone/metrics/c2st.h"

#include <chrono>
#include <cstdlib>

#include <fmt/format.h>

#include "hone/core/parallel.h"

namespace {

hone::SamplePair shifted_normals(hone::Index rows, hone::Index cols, double shift, hone::Rng rng) {
  hone::SamplePair pair{hone::Matrix<double>(rows, cols), hone::Matrix<double>(rows, cols)};
  for (hone::Index i = 0; i < rows; ++i) {
    for (hone::Index j = 0; j < cols; ++j) {
      pair.a(i, j) = rng.normal();
      pair.b(i, j) = shift + (1 + shift) * rng.normal();
    }
  }
  return pair;
}

}  // namespace

int main(int argc, char** argv) {
  const hone::Index rows = argc > 1 ? std::atol(argv[1]) : 10000;
  const double shift = argc > 2 ? std::atof(argv[2]) : 0.2;
  const hone::Rng rng(1);
  std::vector<hone::SamplePair> pairs;
  for (int i = 0; i < 55; ++i) {
    pairs.push_back(shifted_normals(rows, i < 10 ? 1 : 2, shift,
                                    rng.child("pair", static_cast<std::uint64_t>(i))));
  }
  const auto start = std::chrono::steady_clock::now();
  const std::vector<double> values = hone::c2st(pairs, {}, rng);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  fmt::print(
      "{{\"rows\": {}, \"pairs\": {}, \"threads\": {}, \"seconds\": {:.2f}, "
      "\"first_1d\": {:.4f}, \"first_2d\": {:.4f}}}\n",
      rows, pairs.size(), hone::thread_count(), seconds.count(), values[0], values[10]);
}
