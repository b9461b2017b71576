#include "hone/prior/truncated_prior.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "hone/core/error.h"
#include "hone/core/parallel.h"

namespace hone {

TruncatedAxis::TruncatedAxis(std::vector<Interval> intervals) : intervals_(std::move(intervals)) {
  HONE_ASSERT(!intervals_.empty());
  const std::size_t count = intervals_.size();
  below_.assign(count, 0);
  above_.assign(count, 0);
  for (const Interval& interval : intervals_) mass_.push_back(interval.mass());
  for (std::size_t i = 1; i < count; ++i) below_[i] = below_[i - 1] + mass_[i - 1];
  for (std::size_t i = count - 1; i > 0; --i) above_[i - 1] = above_[i] + mass_[i];
  total_ = below_.back() + mass_.back();
}

UnitPoint TruncatedAxis::to_local(const UnitPoint& unit) const {
  std::size_t i = 0;
  while (i + 1 < intervals_.size() && intervals_[i].high < unit) ++i;
  const UnitPoint inside = std::clamp(unit, intervals_[i].low, intervals_[i].high);
  return {(below_[i] + distance(intervals_[i].low, inside)) / total_,
          (above_[i] + distance(inside, intervals_[i].high)) / total_};
}

// The place inside the interval is measured from its nearer end, by the mass on that side.
UnitPoint TruncatedAxis::to_unit(const UnitPoint& local) const {
  const double from_left = local.u * total_;
  const double from_right = local.complement * total_;
  std::size_t i = 0;
  while (i + 1 < intervals_.size() &&
         (local.u <= 0.5 ? from_left > below_[i + 1] : from_right < above_[i])) {
    ++i;
  }
  double from_low = std::clamp(from_left - below_[i], 0.0, mass_[i]);
  double from_high = std::clamp(from_right - above_[i], 0.0, mass_[i]);
  (from_low < from_high ? from_high : from_low) = mass_[i] - std::min(from_low, from_high);
  return point_inside(intervals_[i], from_low, from_high);
}

TruncatedPrior::TruncatedPrior(Prior prior, Region region)
    : prior_(std::move(prior)), region_(std::move(region)) {
  HONE_ASSERT(prior_.dimensions() == region_.dimensions());
  std::vector<std::vector<Interval>> intervals;
  for (int d = 0; d < dimensions(); ++d) {
    axes_.emplace_back(region_.axis(d));
    intervals.push_back(region_.axis(d));
  }
  if (prior_.copula() == nullptr) return;
  cut_ = std::make_shared<const Copula::Cut>(*prior_.copula(), std::move(intervals));
}

double TruncatedPrior::log_mass() const {
  return cut_ ? correlated_log_mass() : region_.log_mass();
}

// Points inside the intervals follow the correlated prior, not the uniform density that
// Region::acceptance() is about: they are drawn here, always the same ones.
double TruncatedPrior::correlated_log_mass() const {
  if (!region_.has_constraint()) return cut_->log_mass();
  constexpr int kDraws = 16384;
  Rng rng = Rng(0).child("constraint in a correlated prior");
  std::vector<double> theta(static_cast<std::size_t>(dimensions())), u(theta.size());
  int hits = 0;
  for (int i = 0; i < kDraws; ++i) {
    sample_correlated(theta, u, rng);
    hits += region_.constraint()->contains(u) ? 1 : 0;
  }
  return cut_->log_mass() + std::log(static_cast<double>(hits) / kDraws);
}

bool TruncatedPrior::fits_intervals(std::span<const double> theta) const {
  for (int d = 0; d < dimensions(); ++d) {
    const double value = theta[static_cast<std::size_t>(d)];
    if (!(value >= prior_[d].lower() && value <= prior_[d].upper()) ||
        !region_.contains_axis(d, to_unit(prior_[d], value))) {
      return false;
    }
  }
  return true;
}

void TruncatedPrior::sample_correlated(std::span<double> theta, std::span<double> u,
                                       Rng& rng) const {
  std::vector<UnitPoint> points(static_cast<std::size_t>(dimensions()));
  do {  // rounding may put a point just outside an edge
    cut_->sample(points, rng);
    for (int d = 0; d < dimensions(); ++d) {
      const auto at = static_cast<std::size_t>(d);
      theta[at] = hone::to_theta(prior_[d], points[at]);
      u[at] = to_unit(prior_[d], theta[at]).u;
    }
  } while (!fits_intervals(theta));
}

void TruncatedPrior::sample_row(std::span<double> theta, std::span<double> u, Rng rng) const {
  constexpr int kTries = 10000000;
  for (int tries = 0; tries < kTries; ++tries) {
    if (cut_) {
      sample_correlated(theta, u, rng);
    } else {
      sample_independent(theta, u, rng);
    }
    if (!region_.has_constraint() || region_.constraint()->contains(u)) return;
  }
  fail(ErrorKind::numerical,
       "the constraint of the region leaves too little of the prior: no draw in {} satisfies it; "
       "narrow the intervals around what it leaves",
       kTries);
}

void TruncatedPrior::sample_independent(std::span<double> theta, std::span<double> u,
                                        Rng& rng) const {
  for (int d = 0; d < dimensions(); ++d) {
    // Rounding may put a point just outside an edge; it is drawn again. More often than a few times
    // only when the interval is about as narrow as the spacing of doubles.
    constexpr int kTries = 1000;
    UnitPoint unit;
    double value = 0;
    int tries = 0;
    do {
      if (tries++ == kTries) {
        fail(ErrorKind::numerical,
             "the region of '{}' is too narrow: no double near {} lies inside it",
             prior_.parameter(d).name, value);
      }
      value = hone::to_theta(prior_[d], axis(d).to_unit(unit_point(rng.uniform())));
      unit = to_unit(prior_[d], value);
    } while (!region_.contains_axis(d, unit));
    theta[static_cast<std::size_t>(d)] = value;
    u[static_cast<std::size_t>(d)] = unit.u;
  }
}

PriorSamples TruncatedPrior::sample(Index rows, const Rng& rng, Index first_row) const {
  PriorSamples samples{Matrix<double>(rows, dimensions()), Matrix<double>(rows, dimensions())};
  constexpr Index kRowsPerTask = 256;  // about 0.1 ms of work in 3 dimensions
  parallel_for((rows + kRowsPerTask - 1) / kRowsPerTask, [&](Index task) {
    const Index end = std::min(rows, (task + 1) * kRowsPerTask);
    for (Index i = task * kRowsPerTask; i < end; ++i) {
      sample_row(samples.theta.row(i), samples.u.row(i),
                 rng.child("row", static_cast<std::uint64_t>(first_row + i)));
    }
  });
  return samples;
}

double TruncatedPrior::log_density(std::span<const double> theta) const {
  if (!region_.contains(prior_, theta)) return -std::numeric_limits<double>::infinity();
  return prior_.log_density(theta) - log_mass();
}

double TruncatedPrior::to_local(int d, double theta, double within) const {
  if (!prior_[d].discrete()) return axis(d).to_local(to_unit(prior_[d], theta)).u;
  const Interval own = unit_interval(prior_[d], theta);
  const double low = axis(d).to_local(own.low).u;
  return low + within * (axis(d).to_local(own.high).u - low);
}

std::vector<double> TruncatedPrior::values_inside(int d) const {
  HONE_ASSERT(prior_[d].discrete());
  std::vector<double> values;
  for (double k = prior_[d].lower() + 0.5; k < prior_[d].upper(); ++k) {
    if (region_.contains_axis(d, to_unit(prior_[d], k))) values.push_back(k);
  }
  return values;
}

double TruncatedPrior::to_theta(int d, double local) const {
  return hone::to_theta(prior_[d], axis(d).to_unit(unit_point(local)));
}

void TruncatedPrior::to_local(MatrixView<double> local, MatrixView<const double> theta) const {
  HONE_ASSERT(local.rows() == theta.rows() && local.cols() == dimensions() &&
              theta.cols() == dimensions());
  for (Index i = 0; i < theta.rows(); ++i) {
    for (int d = 0; d < dimensions(); ++d) local(i, d) = to_local(d, theta(i, d));
  }
}

void TruncatedPrior::to_theta(MatrixView<double> theta, MatrixView<const double> local) const {
  HONE_ASSERT(local.rows() == theta.rows() && local.cols() == dimensions() &&
              theta.cols() == dimensions());
  for (Index i = 0; i < theta.rows(); ++i) {
    for (int d = 0; d < dimensions(); ++d) theta(i, d) = to_theta(d, local(i, d));
  }
}

PriorSamples sample(const Prior& prior, const Region& region, Index rows, const Rng& rng) {
  return TruncatedPrior(prior, region).sample(rows, rng);
}

}  // namespace hone
