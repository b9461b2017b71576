#pragma once

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "hone/check/coverage.h"
#include "hone/check/ecdf.h"
#include "hone/check/local_c2st.h"
#include "hone/check/rivals.h"
#include "hone/core/rng.h"

// Test draws for posteriors that are known to be right or wrong, for tests and for
// benchmarks/check_power.cpp. The estimated posterior is standard normal; where the true values lie
// in it depends on the fault:
enum class Fault { none, narrow, wide, shifted, one_mode, ignorant };

namespace hone::test {

inline const char* name_of(Fault fault) {
  switch (fault) {
    case Fault::none: return "right";
    case Fault::narrow: return "10 % too narrow";
    case Fault::wide: return "20 % too wide";
    case Fault::shifted: return "shifted by 0.3 sigma";
    case Fault::one_mode: return "one of two modes missing";
    case Fault::ignorant: return "ignores a column";
  }
  return "";
}

// A true value, in standard deviations of the estimated posterior.
inline double true_value(Fault fault, Rng& rng) {
  const double z = rng.normal();
  switch (fault) {
    case Fault::none: return z;
    case Fault::narrow: return z / 0.9;
    case Fault::wide: return z / 1.2;
    case Fault::shifted: return z + 0.3;
    case Fault::one_mode: return rng.uniform() < 0.5 ? z : z + 20;
    case Fault::ignorant: return z;  // calibrated: what is wrong is said by others
  }
  return z;
}

inline double cdf_of(double z) {
  return 0.5 * std::erfc(-z / std::numbers::sqrt2);
}
inline double credibility_of(double z) {
  return std::erf(std::abs(z) / std::numbers::sqrt2);
}

// The mass of a standard normal pair nearer than the true values to a random point that lies far
// away in its lower corner: nearer means lower along the direction to that point.
inline double nearer_mass(double z0, double z1, Rng& rng) {
  const double angle = 0.5 * std::numbers::pi * rng.uniform();
  return cdf_of(z0 * std::cos(angle) + z1 * std::sin(angle));
}

// Of what an estimate that uses all of the data says beyond the posterior with the true value. With
// the column that the posterior ignores it would be 15 % narrower.
constexpr double kIgnored = 0.53;

struct KnownDraws {
  std::vector<MarginalCredibility> credibility;
  std::vector<UniformValues> cdf, nearer;  // nearer: of pairs, each marginal with another
  std::vector<LocalDraws> local;
  // With one rival each, which knows the posterior and sees one column of the data more.
  std::vector<ComparedPosterior> compared;
};

inline ComparedPosterior compare_with_rival(Fault fault, const LocalDraws& posterior,
                                            const std::vector<double>& z, const Rng& rng) {
  ComparedPosterior one{.posterior = posterior};
  Rival rival{.kind = RivalKind::columns};
  Rng noise = rng.child("rival " + posterior.marginal);
  for (std::size_t i = 0; i < z.size(); ++i) {
    const double known = fault == Fault::ignorant ? kIgnored * z[i] : 0;
    const double news = known + std::sqrt(1 - kIgnored * kIgnored) * noise.normal();
    rival.draws.push_back(posterior.mean[i] + posterior.deviation[i] * kIgnored * news);
    one.truths.push_back(posterior.mean[i] + posterior.deviation[i] * z[i]);
  }
  one.rivals.push_back(std::move(rival));
  return one;
}

// So many draws of so many marginals. The marginals of one draw share a part of their fate, as
// those of a real posterior do: correlation 0.5 between their true values.
inline KnownDraws known_draws(Fault fault, Index draws, Index marginals, const Rng& rng) {
  KnownDraws result;
  std::vector<std::vector<double>> truths(static_cast<std::size_t>(marginals));  // in deviations
  for (Index m = 0; m < marginals; ++m) {
    const std::string name = fmt::format("p{}", m);
    result.credibility.push_back({name, 1, {}});
    result.cdf.push_back({name, {}});
    result.nearer.push_back({name + ",q", {}});
    result.local.push_back({name, {}, {}, {}, 0, 1});
  }
  for (Index i = 0; i < draws; ++i) {
    Rng draw = rng.child("draw", static_cast<std::uint64_t>(i));
    const double common = true_value(fault, draw);
    for (std::size_t m = 0; m < result.cdf.size(); ++m) {
      const double own = true_value(fault, draw);
      const double z = draw.uniform() < 0.5 ? common : own;
      result.credibility[m].credibility.push_back(credibility_of(z));
      result.cdf[m].values.push_back(cdf_of(z));
      Rng other = draw.child("other", m);
      const double partner = true_value(fault, other);
      result.nearer[m].values.push_back(nearer_mass(z, partner, other));
      result.local[m].cdf.push_back(cdf_of(z));
      result.local[m].mean.push_back(draw.normal());
      result.local[m].deviation.push_back(std::exp(0.2 * draw.normal()));
      truths[m].push_back(z);
    }
  }
  for (std::size_t m = 0; m < truths.size(); ++m) {
    result.compared.push_back(compare_with_rival(fault, result.local[m], truths[m], rng));
  }
  return result;
}

}  // namespace hone::test
