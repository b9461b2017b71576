#include "hone/core/rng.h"

#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include <Random123/philox.h>
#include <boost/random/normal_distribution.hpp>
#include <boost/random/poisson_distribution.hpp>

#include "hone/core/error.h"

namespace hone {
namespace {

std::uint64_t join(std::uint32_t low, std::uint32_t high) {
  return static_cast<std::uint64_t>(high) << 32 | low;
}

// FNV-1a: names a purpose by 64 bits, the same in every build.
std::uint64_t hash(std::string_view text) {
  std::uint64_t value = 14695981039346656037ULL;
  for (const char c : text) {
    value ^= static_cast<unsigned char>(c);
    value *= 1099511628211ULL;
  }
  return value;
}

}  // namespace

Rng::Rng(std::uint64_t seed) : key_(seed), stream_(0) {}

Rng::Block Rng::philox(std::uint64_t key, std::uint64_t high, std::uint64_t low) {
  const r123::Philox4x32::ctr_type counter{
      {static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(low >> 32),
       static_cast<std::uint32_t>(high), static_cast<std::uint32_t>(high >> 32)}};
  const r123::Philox4x32::key_type words{
      {static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32)}};
  const auto out = r123::Philox4x32{}(counter, words);
  return {out[0], out[1], out[2], out[3]};
}

// Two keyed permutations mix the parent's 128 bits with the child's name: the first absorbs the
// purpose under the parent's key, the second the index under the key the first one made.
Rng Rng::child(std::string_view purpose, std::uint64_t index) const {
  const Block named = philox(key_, stream_, hash(purpose));
  const std::uint64_t key = join(named[0], named[1]);
  const Block indexed = philox(key, join(named[2], named[3]), index);
  return Rng(join(indexed[0], indexed[1]), join(indexed[2], indexed[3]));
}

Rng::result_type Rng::operator()() {
  if (used_ == 4) {
    block_ = philox(key_, stream_, position_++);
    used_ = 0;
  }
  return block_[static_cast<std::size_t>(used_++)];
}

std::uint64_t Rng::bits64() {
  const std::uint32_t low = (*this)();
  return join(low, (*this)());
}

double Rng::uniform() {
  return open_unit(bits64());
}

double Rng::normal() {
  const double radius = std::sqrt(-2.0 * std::log(uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

// Boost's ziggurat: one word of the stream for most values.
void Rng::fill_normal(std::span<float> values) {
  boost::random::normal_distribution<float> draw;
  for (float& value : values) value = draw(*this);
}

// Lemire's multiply-and-reject.
std::uint64_t Rng::below(std::uint64_t limit) {
  HONE_ASSERT(limit >= 1);
  const std::uint64_t threshold = (0 - limit) % limit;
  while (true) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(bits64()) * limit;
    if (static_cast<std::uint64_t>(product) >= threshold) {
      return static_cast<std::uint64_t>(product >> 64);
    }
  }
}

std::uint64_t Rng::poisson(double mean) {
  HONE_ASSERT(mean >= 0);
  if (mean == 0) return 0;
  return boost::random::poisson_distribution<std::uint64_t>(mean)(*this);
}

void Rng::shuffle(std::span<std::int64_t> values) {
  for (std::size_t left = values.size(); left > 1; --left) {
    std::swap(values[left - 1], values[below(left)]);
  }
}

std::vector<std::int64_t> Rng::permutation(std::int64_t size) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(size));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  shuffle(order);
  return order;
}

}  // namespace hone
