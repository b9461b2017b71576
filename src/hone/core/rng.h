#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

namespace hone {

// The middle of one of 2^52 equal parts of (0, 1), chosen by the upper bits. Both ends stay out:
// with 53 bits the last middle would round up to 1.
constexpr double open_unit(std::uint64_t bits) {
  return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52;
}

// A counter-based random stream (Philox 4x32-10, Salmon et al. 2011).
//
// A stream is identified by 128 bits: the 64-bit key and the upper half of the counter. Children
// are named by purpose and index, so what a stream yields depends only on its path from the root
// seed, never on threads, ranks or what was drawn before:
//
//   Rng draw = rng.child("simulate", simulation_id);
//
// Copying a stream copies its position. Satisfies UniformRandomBitGenerator.
class Rng {
 public:
  using result_type = std::uint32_t;

  explicit Rng(std::uint64_t seed);

  // Independent of this stream's position. Distinct (purpose, index) give distinct streams.
  Rng child(std::string_view purpose, std::uint64_t index = 0) const;

  result_type operator()();
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }

  std::uint64_t bits64();
  double uniform();  // in the open interval (0, 1), 52 random bits
  double normal();   // standard normal
  // Standard normals of float resolution, several times as fast as normal() and in another
  // sequence.
  void fill_normal(std::span<float> values);
  std::uint64_t below(std::uint64_t limit);  // uniform on 0 .. limit - 1, exactly; limit >= 1
  std::uint64_t poisson(double mean);        // mean >= 0

  void shuffle(std::span<std::int64_t> values);
  std::vector<std::int64_t> permutation(std::int64_t size);  // of 0 .. size - 1

 private:
  using Block = std::array<std::uint32_t, 4>;
  Rng(std::uint64_t key, std::uint64_t stream) : key_(key), stream_(stream) {}
  static Block philox(std::uint64_t key, std::uint64_t high, std::uint64_t low);

  std::uint64_t key_;
  std::uint64_t stream_;
  std::uint64_t position_ = 0;  // next block of four words
  Block block_{};
  int used_ = 4;  // words of block_ already given out
};

}  // namespace hone
