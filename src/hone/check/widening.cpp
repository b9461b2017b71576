#include "hone/check/widening.h"

#include <algorithm>
#include <cmath>

#include "hone/check/proportion.h"

namespace hone {
namespace {

// Tests in favour of a correction are not adjusted for the number of marginals: widening one that
// is right by a few per cent costs little.
constexpr double kChance = 0.05;

struct Half {
  Index first, step;  // rows first, first + step, ...
};

template <typename F>
double mean_over(std::span<const double> values, const Half& half, F&& f) {
  double sum = 0;
  Index count = 0;
  for (Index i = half.first; i < std::ssize(values); i += half.step, ++count) {
    sum += f(values[static_cast<std::size_t>(i)]);
  }
  return sum / static_cast<double>(count);
}

double mean_square(std::span<const double> credibility, const Half& half) {
  return mean_over(credibility, half, [](double c) {
    const double z = std::min(5.0, z_of_level(c));
    return z * z;
  });
}

// Index of the power.
Index choose(const MarginalRanks& ranks, const Half& half) {
  const double n = std::ceil(static_cast<double>(ranks.credibility.cols() - half.first) /
                             static_cast<double>(half.step));
  const double square = mean_square(ranks.credibility.row(0), half);
  if (chi_squared_above(n * square, n) > kChance) return 0;
  Index power = 0;
  while (power + 1 < ranks.credibility.rows() &&
         mean_square(ranks.credibility.row(power), half) > 1) {
    ++power;
  }
  return power;
}

double coverage(const MarginalRanks& ranks, Index power, double sigma, const Half& half) {
  return mean_over(ranks.credibility.row(power), half,
                   [&](double c) { return c <= level_of_z(sigma) ? 1.0 : 0.0; });
}

}  // namespace

std::vector<double> widening_powers() {
  std::vector<double> powers{1};
  while (powers.back() > 0.1) powers.push_back(powers.back() / (1.03 * 1.03));
  return powers;
}

Widening choose_widening(const std::vector<MarginalRanks>& ranks,
                         const std::vector<std::string>& names) {
  const std::vector<double> powers = widening_powers();
  const Half all{0, 1}, even{0, 2}, odd{1, 2};
  Widening result;
  for (const MarginalRanks& one : ranks) {
    const Index chosen = choose(one, all);
    if (chosen == 0) continue;
    const Index by_even = choose(one, even), by_odd = choose(one, odd);
    const auto crossed = [&](double sigma) {
      return (coverage(one, by_odd, sigma, even) + coverage(one, by_even, sigma, odd)) / 2;
    };
    const double power = powers[static_cast<std::size_t>(chosen)];
    result.correction.powers[one.marginal] = power;
    result.entries.push_back({marginal_name(one.marginal, names), power, coverage(one, 0, 1, all),
                              coverage(one, 0, 2, all), crossed(1), crossed(2)});
  }
  return result;
}

}  // namespace hone
