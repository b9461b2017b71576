#pragma once

#include <memory>
#include <span>
#include <vector>

#include "hone/core/matrix.h"
#include "hone/core/rng.h"
#include "hone/prior/region.h"

namespace hone {

// One axis of a region in its own coordinate: local = CDF of the prior cut to the axis' intervals
// and normalised again, uniform on (0, 1) under the truncated prior if parameters are independent
// and the region has no constraint.
class TruncatedAxis {
 public:
  explicit TruncatedAxis(std::vector<Interval> intervals);  // sorted, disjoint, not empty

  double mass() const { return total_; }
  UnitPoint to_local(const UnitPoint& unit) const;  // outside: the end or gap nearby
  UnitPoint to_unit(const UnitPoint& local) const;

 private:
  std::vector<Interval> intervals_;
  std::vector<double> mass_;   // of each interval
  std::vector<double> below_;  // of all intervals before it
  std::vector<double> above_;  // of all intervals after it
  double total_ = 0;
};

struct PriorSamples {
  Matrix<double> theta;  // (n, dimensions)
  Matrix<double> u;      // (n, dimensions): CDF(theta) as far as a double can tell
};

// p(theta) restricted to a region and normalised: what is simulated from.
class TruncatedPrior {
 public:
  TruncatedPrior(Prior prior, Region region);

  const Prior& prior() const { return prior_; }
  const Region& region() const { return region_; }
  int dimensions() const { return prior_.dimensions(); }
  const TruncatedAxis& axis(int d) const { return axes_[static_cast<std::size_t>(d)]; }
  // Of the prior inside. With correlations not the mass of the region, and estimated; so is the
  // part that a constraint leaves (Region::acceptance).
  double log_mass() const;

  // Row i comes from rng.child("row", first_row + i) alone, so rows do not depend on how many are
  // drawn or by how many threads. Every row satisfies region().contains(): under a constraint it is
  // the first of several draws that does. Throws Error{numerical} if the region is too narrow to
  // hold a double, or its constraint leaves hardly anything.
  PriorSamples sample(Index rows, const Rng& rng, Index first_row = 0) const;
  void sample_row(std::span<double> theta, std::span<double> u, Rng rng) const;

  double log_density(std::span<const double> theta) const;  // -infinity outside the region

  // theta_d and its local coordinate in [0, 1]. A whole number owns a stretch of it: `within` says
  // where in that.
  double to_local(int d, double theta, double within = 0.5) const;
  double to_theta(int d, double local) const;
  // Of a discrete parameter: its values inside the region, ascending.
  std::vector<double> values_inside(int d) const;
  // Row by row; both (n, dimensions).
  void to_local(MatrixView<double> local, MatrixView<const double> theta) const;
  void to_theta(MatrixView<double> theta, MatrixView<const double> local) const;

 private:
  void sample_correlated(std::span<double> theta, std::span<double> u, Rng& rng) const;
  void sample_independent(std::span<double> theta, std::span<double> u, Rng& rng) const;
  bool fits_intervals(std::span<const double> theta) const;
  double correlated_log_mass() const;

  Prior prior_;
  Region region_;
  std::vector<TruncatedAxis> axes_;
  std::shared_ptr<const Copula::Cut> cut_;  // of correlated parameters
};

// TruncatedPrior(prior, region).sample(rows, rng).
PriorSamples sample(const Prior& prior, const Region& region, Index rows, const Rng& rng);

}  // namespace hone
