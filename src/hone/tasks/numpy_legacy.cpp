#include "hone/tasks/numpy_legacy.h"

#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

namespace hone {

double NumpyLegacyRandom::uniform() {
  const auto high = static_cast<double>(engine_() >> 5);
  const auto low = static_cast<double>(engine_() >> 6);
  return (high * 0x1p26 + low) * 0x1p-53;
}

double NumpyLegacyRandom::normal() {
  if (std::exchange(has_spare_, false)) return spare_;
  while (true) {
    const double a = 2 * uniform() - 1;
    const double b = 2 * uniform() - 1;
    const double square = a * a + b * b;
    if (square >= 1 || square == 0) continue;
    const double scale = std::sqrt(-2 * std::log(square) / square);
    spare_ = scale * a;  // the second point comes first
    has_spare_ = true;
    return scale * b;
  }
}

std::uint32_t NumpyLegacyRandom::up_to(std::uint32_t largest) {
  if (largest == 0) return 0;
  const std::uint32_t mask = ~std::uint32_t{0} >> std::countl_zero(largest);
  while (true) {
    const auto value = static_cast<std::uint32_t>(engine_()) & mask;
    if (value <= largest) return value;
  }
}

std::vector<int> NumpyLegacyRandom::permutation(int size) {
  std::vector<int> values(static_cast<std::size_t>(size));
  std::iota(values.begin(), values.end(), 0);
  for (std::size_t i = values.size(); i-- > 1;) {
    std::swap(values[i], values[up_to(static_cast<std::uint32_t>(i))]);
  }
  return values;
}

}  // namespace hone
