#include "hone/estimate/polynomial_basis.h"

#include <algorithm>

#include "hone/core/error.h"

namespace hone {

PolynomialBasis::PolynomialBasis(Index variables, int degree)
    : variables_(variables), degree_(degree), factors_{{0, 0}} {
  HONE_ASSERT(variables >= 1 && degree >= 0);
  std::size_t begin = 0;
  for (int d = 1; d <= degree; ++d) {
    const std::size_t end = factors_.size();
    for (std::size_t rest = begin; rest < end; ++rest) {
      const std::size_t first = d == 1 ? 0 : factors_[rest].variable;
      for (std::size_t v = first; v < static_cast<std::size_t>(variables); ++v) {
        factors_.push_back({rest, v});
      }
    }
    begin = end;
  }
}

Index PolynomialBasis::size_of(Index variables, int degree) {
  constexpr Index kLimit = 1'000'000;
  Index size = 1;
  for (int d = 1; d <= degree; ++d) {
    size = size * (variables + d) / d;
    if (size > kLimit) return kLimit;
  }
  return size;
}

void PolynomialBasis::values(std::span<double> out, std::span<const double> z) const {
  out[0] = 1;
  for (std::size_t i = 1; i < factors_.size(); ++i) {
    out[i] = out[factors_[i].rest] * z[factors_[i].variable];
  }
}

void PolynomialBasis::slopes(MatrixView<double> out, std::span<const double> values,
                             std::span<const double> z) const {
  std::ranges::fill(out.row(0), 0.0);
  for (std::size_t i = 1; i < factors_.size(); ++i) {
    const auto [rest, variable] = factors_[i];
    const std::span<double> own = out.row(static_cast<Index>(i));
    std::ranges::transform(out.row(static_cast<Index>(rest)), own.begin(),
                           [&, at = z[variable]](double slope) { return slope * at; });
    own[variable] += values[rest];
  }
}

}  // namespace hone
