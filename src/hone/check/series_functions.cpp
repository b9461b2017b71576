#include "hone/check/series_functions.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "hone/core/cholesky.h"
#include "hone/core/matrix.h"

namespace hone {
namespace {

constexpr std::size_t kLags = 4, kMostTerms = 6;
using Terms = std::array<double, kMostTerms>;

// Ridge: against powers that are almost the same function of these values.
constexpr double kRidge = 1e-4;
constexpr double kSmallest = 1e-6;  // variance: what is below is rounding

Terms powers_of(double x) {
  Terms powers{1};
  for (std::size_t a = 1; a < kMostTerms; ++a) powers[a] = powers[a - 1] * x;
  return powers;
}

// Sums over t of powers of x_t, a factor of each other and of x_(t+1).
struct Sums {
  Matrix<double> squares{kMostTerms, kMostTerms};
  Terms products{};
};

Sums sums_of(std::span<const double> x) {
  Sums sums;
  for (std::size_t t = 0; t + 1 < x.size(); ++t) {
    const Terms powers = powers_of(x[t]);
    for (std::size_t a = 0; a < kMostTerms; ++a) {
      sums.products[a] += powers[a] * x[t + 1];
      for (std::size_t b = 0; b <= a; ++b) {
        sums.squares(Index(a), Index(b)) += powers[a] * powers[b];
      }
    }
  }
  return sums;
}

// The first `terms` coefficients.
std::vector<double> coefficients(const Sums& sums, std::size_t terms) {
  const auto size = static_cast<Index>(terms);
  Matrix<double> normal(size, size);
  std::vector<double> b(sums.products.begin(), sums.products.begin() + std::ptrdiff_t(terms));
  for (Index i = 0; i < size; ++i) {
    for (Index j = 0; j <= i; ++j) normal(i, j) = sums.squares(i, j);
    normal(i, i) += kRidge * (sums.squares(i, i) + 1);
  }
  const Matrix<double> factor = cholesky(normal);
  solve_lower(b, factor, b);
  solve_lower_transposed(b, factor, b);
  return b;
}

double residual_variance(std::span<const double> x, const std::vector<double>& b) {
  double square = 0;
  for (std::size_t t = 0; t + 1 < x.size(); ++t) {
    double predicted = 0;
    for (std::size_t a = b.size(); a-- > 0;) predicted = predicted * x[t] + b[a];
    square += std::pow(x[t + 1] - predicted, 2);
  }
  return square / static_cast<double>(x.size() - 1);
}

}  // namespace

void append_series_functions(std::vector<float>& out, std::span<const double> x) {
  if (x.size() < 2) return;
  for (std::size_t lag = 0; lag < std::min(kLags, x.size()); ++lag) {
    double sum = 0;
    for (std::size_t t = 0; t + lag < x.size(); ++t) sum += x[t] * x[t + lag];
    out.push_back(static_cast<float>(sum / static_cast<double>(x.size())));
  }
  const Sums sums = sums_of(x);
  for (const std::size_t terms : {std::size_t{2}, std::size_t{4}, kMostTerms}) {
    if (x.size() < 2 * terms) break;
    const std::vector<double> b = coefficients(sums, terms);
    if (terms < kMostTerms) {
      for (const double one : b) out.push_back(static_cast<float>(one));
    }
    out.push_back(static_cast<float>(std::log(residual_variance(x, b) + kSmallest)));
    // How fast a disturbance dies out: rates are read from the logarithm of what is left of it.
    if (terms == 2) out.push_back(static_cast<float>(std::log(std::max(1 - b[1], 0.02))));
  }
}

}  // namespace hone
