#pragma once

// Inside tasks/ only: the random numbers of numpy.random.seed(s), which fix constants of benchmark
// tasks. Not for anything else: Rng is the generator of this library.

#include <cstdint>
#include <random>
#include <vector>

namespace hone {

// NumPy's RandomState(seed): MT19937, seeded and read as NumPy has done since 1.0 and promises to
// keep ("legacy" generator).
class NumpyLegacyRandom {
 public:
  explicit NumpyLegacyRandom(std::uint32_t seed) : engine_(seed) {}

  double uniform();                        // random_sample(): 53 bits, [0, 1)
  double normal();                         // standard_normal(): polar method, in pairs
  std::vector<int> permutation(int size);  // permutation(size)

 private:
  std::uint32_t up_to(std::uint32_t largest);  // masked, with rejection

  std::mt19937 engine_;
  bool has_spare_ = false;
  double spare_ = 0;
};

}  // namespace hone
