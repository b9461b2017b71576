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

std::shared_ptr<const Matrix<double>> factor(const Matrix<double>& correlation) {
  try {
    return std::make_shared<const Matrix<double>>(cholesky(correlation));
  } catch (const Error&) {
    fail(ErrorKind::input,
         "correlations: no parameters can be correlated like this; the matrix is not positive "
         "definite");
  }
}

Matrix<double> checked(Matrix<double> r) {
  HONE_ASSERT(r.rows() == r.cols() && r.rows() > 0);
  for (Index i = 0; i < r.rows(); ++i) {
    if (r(i, i) != 1) {
      fail(ErrorKind::input, "correlations: a parameter with itself has 1, not {}", r(i, i));
    }
    for (Index j = 0; j < i; ++j) {
      if (r(i, j) != r(j, i) || !(std::abs(r(i, j)) < 1)) {
        fail(ErrorKind::input,
             "correlations: {} and {} of parameters {} and {}: must be the same, in (-1, 1)",
             r(i, j), r(j, i), i, j);
      }
    }
  }
  return r;
}

}  // namespace

Copula::Copula(Matrix<double> correlation)
    : correlation_(checked(std::move(correlation))), l_(factor(correlation_)) {}

bool Copula::operator==(const Copula& other) const {
  const Matrix<double>& a = correlation_;
  const Matrix<double>& b = other.correlation_;
  return a.rows() == b.rows() && std::equal(a.data(), a.data() + a.rows() * a.cols(), b.data());
}

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
