#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "hone/prior/distribution_spec.h"

namespace hone {

// A distribution of one parameter. Immutable, so it may be shared between threads.
//
// Of whole numbers each value k owns the part of u between P(X < k) and P(X <= k): quantile() gives
// k for all of it, and cdf(k) is its middle, P(X < k) + P(X = k) / 2. The density at k is P(X = k),
// and the ends of the support lie half a unit outside of the values, where P(X < x) is exact.
//
// Both tails are relatively accurate: ask for cdf() and quantile() on the left, for
// cdf_complement() = 1 - cdf and quantile_complement(q) = quantile(1 - q) on the right. Beyond 8
// standard deviations 1 - cdf(x) is no longer representable, cdf_complement(x) still has all its
// digits.
class Distribution {
 public:
  virtual ~Distribution() = default;
  Distribution(const Distribution&) = delete;
  Distribution& operator=(const Distribution&) = delete;

  const DistributionSpec& spec() const { return spec_; }  // resolved: with every default
  const std::string& kind() const { return spec_.kind; }
  bool discrete() const { return discrete_; }  // of whole numbers only
  // "red" for a value of a categorical distribution; else the number.
  virtual std::string value_name(double x) const;

  // Ends of the support; may be infinite.
  double lower() const { return lower_; }
  double upper() const { return upper_; }

  double log_density(double x) const;  // -infinity outside the support
  double cdf(double x) const;
  double cdf_complement(double x) const;
  double quantile(double p) const;             // p in [0, 1]; NaN otherwise
  double quantile_complement(double q) const;  // q in [0, 1]; NaN otherwise

 protected:
  Distribution(DistributionSpec spec, double lower, double upper, bool discrete = false);

 private:
  // What a kind must know. x lies inside the support, p and q in (0, 1/2]: with both halves given,
  // no kind ever has to subtract from one.
  virtual double log_density_inside(double x) const = 0;
  virtual double mass_below(double x) const = 0;
  virtual double mass_above(double x) const = 0;
  virtual double lower_quantile(double p) const = 0;
  virtual double upper_quantile(double q) const = 0;

  DistributionSpec spec_;
  double lower_;
  double upper_;
  bool discrete_;
};

using DistributionPointer = std::shared_ptr<const Distribution>;

// Throws Error{input} naming what is wrong with the spec; `where` begins the message.
DistributionPointer make_distribution(const DistributionSpec& spec,
                                      std::string_view where = "prior");

}  // namespace hone
