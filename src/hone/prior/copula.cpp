#include "hone/prior/copula.h"

#include <algorithm>
#include <cmath>

#include "hone/core/cholesky.h"
#include "hone/core/error.h"
#include "hone/prior/standard_normal.h"
#include "hone/prior/truncated_prior.h"

namespace hone {
namespace {

double score(const UnitPoint& point) {
  if (point.u <= 0) return -std::numeric_limits<double>::infinity();
  if (point.complement <= 0) return std::numeric_limits<double>::infinity();
  return point.u <= point.complement ? standard_normal_quantile(point.u)
                                     : -standard_normal_quantile(point.complement);
}

UnitPoint point_of(double z) {
  return {standard_normal_cdf(z), standard_normal_cdf(-z)};
}

// Ordered, without zeros.
std::vector<Copula::Pair> checked(int dimensions, std::vector<Copula::Pair> pairs) {
  for (Copula::Pair& pair : pairs) {
    HONE_ASSERT(std::min(pair.a, pair.b) >= 0 && std::max(pair.a, pair.b) < dimensions);
    if (pair.a == pair.b) {
      fail_place("correlations", fmt::format("parameter {} with itself", pair.a));
    }
    if (!(std::abs(pair.correlation) < 1)) {
      fail_place("correlations", fmt::format("{} of parameters {} and {}: must lie in (-1, 1)",
                                             pair.correlation, pair.a, pair.b));
    }
    if (pair.a > pair.b) std::swap(pair.a, pair.b);
  }
  const auto names = [](const Copula::Pair& pair) { return std::pair(pair.a, pair.b); };
  std::ranges::sort(pairs, {}, names);
  if (const auto twice = std::ranges::adjacent_find(pairs, {}, names); twice != pairs.end()) {
    fail_place("correlations",
               fmt::format("parameters {} and {} are there twice", twice->a, twice->b));
  }
  std::erase_if(pairs, [](const Copula::Pair& pair) { return pair.correlation == 0; });
  return pairs;
}

// L of R = L L^T.
std::shared_ptr<const Matrix<double>> factor(int dimensions,
                                             const std::vector<Copula::Pair>& pairs) {
  Matrix<double> r(dimensions, dimensions);
  for (Index d = 0; d < dimensions; ++d) r(d, d) = 1;
  for (const auto& [a, b, correlation] : pairs) r(a, b) = r(b, a) = correlation;
  try {
    return std::make_shared<const Matrix<double>>(cholesky(r));
  } catch (const Error&) {
    fail_place("correlations",
               "no parameters can be correlated like this; the matrix is not positive definite");
  }
}

}  // namespace

Copula::Copula(int dimensions, std::vector<Pair> pairs)
    : pairs_(checked(dimensions, std::move(pairs))), l_(factor(dimensions, pairs_)) {}

// log N(z; 0, R) - sum_d log N(z_d; 0, 1) = (|z|^2 - |L^-1 z|^2) / 2 - log det L
double Copula::log_density(std::span<const UnitPoint> u) const {
  HONE_ASSERT(std::ssize(u) == dimensions());
  std::vector<double> z;
  for (const UnitPoint& point : u) z.push_back(score(point));
  if (!std::ranges::all_of(z, [](double value) { return std::isfinite(value); })) {
    return -std::numeric_limits<double>::infinity();
  }
  double square = 0;
  for (const double value : z) square += value * value;
  solve_lower(z, *l_, z);
  for (const double value : z) square -= value * value;
  return 0.5 * square - log_determinant(*l_);
}

Copula::Cut::Cut(const Copula& copula, std::vector<std::vector<Interval>> axes) : l_(copula.l_) {
  HONE_ASSERT(std::ssize(axes) == l_->rows());
  for (std::size_t d = 0; d < axes.size(); ++d) {
    std::vector<Scores> scores;
    // Given the axes before it, z_d is normal with standard deviation L_dd: an interval is hit most
    // often if the mean lies in its middle.
    double most = 0;
    for (const Interval& interval : axes[d]) {
      scores.push_back({score(interval.low), score(interval.high)});
      const double width = scores.back().high - scores.back().low;
      most += 1 - 2 * standard_normal_cdf(-width / (2 * (*l_)(Index(d), Index(d))));
    }
    bound_ *= std::min(most, 1.0);
    axes_.push_back(std::move(scores));
  }
}

double Copula::Cut::propose(std::span<UnitPoint> u, std::span<double> e, Rng& rng) const {
  const Matrix<double>& l = *l_;
  double product = 1;
  for (std::size_t d = 0; d < axes_.size(); ++d) {
    double mean = 0;
    for (std::size_t j = 0; j < d; ++j) mean += l(Index(d), Index(j)) * e[j];
    const double deviation = l(Index(d), Index(d));
    std::vector<Interval> hit;  // in the distribution of e_d
    double mass = 0;
    for (const Scores& scores : axes_[d]) {
      hit.push_back(
          {point_of((scores.low - mean) / deviation), point_of((scores.high - mean) / deviation)});
      mass += hit.back().mass();
    }
    product *= mass;
    const double uniform = rng.uniform();
    if (!(product > 0)) return 0;
    e[d] = score(TruncatedAxis(std::move(hit)).to_unit(unit_point(uniform)));
    u[d] = point_of(mean + deviation * e[d]);
  }
  return product;
}

void Copula::Cut::sample(std::span<UnitPoint> u, Rng& rng) const {
  constexpr int kTries = 10000000;
  std::vector<double> e(axes_.size());
  for (int tries = 0; tries < kTries; ++tries) {
    const double product = propose(u, e, rng);
    if (rng.uniform() * bound_ < product) return;
  }
  fail(ErrorKind::numerical,
       "the region holds too little of the correlated prior: no draw in {} lies inside it", kTries);
}

double Copula::Cut::log_mass() const {
  constexpr int kDraws = 16384;
  Rng rng = Rng(0).child("mass of a correlated prior");
  std::vector<UnitPoint> u(axes_.size());
  std::vector<double> e(axes_.size());
  double sum = 0;
  for (int i = 0; i < kDraws; ++i) sum += propose(u, e, rng);
  return std::log(sum / kDraws);
}

}  // namespace hone
