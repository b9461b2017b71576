#pragma once

#include <memory>
#include <span>
#include <vector>

#include "hone/core/matrix.h"
#include "hone/core/rng.h"
#include "hone/prior/unit_point.h"

namespace hone {

// Correlations of parameters whose distributions are given one by one: a Gaussian copula. The
// normal scores z_d = Phi^-1(CDF_d(theta_d)) are jointly normal with unit variances and correlation
// R; for normal priors R is the correlation of the parameters themselves.
//
// So the prior is a product of standard normals e, transformed: z = L e with L L^T = R.
class Copula {
 public:
  struct Pair {
    int a = 0, b = 0;
    double correlation = 0;
    bool operator==(const Pair&) const = default;
  };
  // Pairs that are not named are not correlated. Throws Error{input} unless values lie in (-1, 1),
  // each pair is of two parameters and named once, and R is positive definite.
  Copula(int dimensions, std::vector<Pair> pairs);

  int dimensions() const { return static_cast<int>(l_->rows()); }
  const std::vector<Pair>& pairs() const { return pairs_; }  // a < b, sorted, none of 0

  // log of the joint density over the product of the single ones, at points u = CDF(theta).
  double log_density(std::span<const UnitPoint> u) const;

  // A region of u, one list of sorted, disjoint intervals per axis, as a part of the copula.
  class Cut {
   public:
    Cut(const Copula& copula, std::vector<std::vector<Interval>> axes);

    // An exact draw inside, by rejection. Throws Error{numerical} if there seems to be nothing.
    void sample(std::span<UnitPoint> u, Rng& rng) const;
    // log of the probability inside: the mean of an importance sample, always the same one.
    double log_mass() const;

   private:
    // One axis after the other, given those before. Returns the product of the probabilities that
    // each hit its intervals.
    double propose(std::span<UnitPoint> u, std::span<double> e, Rng& rng) const;

    struct Scores {
      double low, high;
    };
    std::shared_ptr<const Matrix<double>> l_;
    std::vector<std::vector<Scores>> axes_;
    double bound_ = 1;  // of what propose returns
  };

  bool operator==(const Copula& other) const {
    return dimensions() == other.dimensions() && pairs_ == other.pairs_;
  }

 private:
  std::vector<Pair> pairs_;
  std::shared_ptr<const Matrix<double>> l_;
};

}  // namespace hone
