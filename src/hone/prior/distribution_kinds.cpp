#include <cmath>
#include <limits>

#include "hone/core/error.h"
#include "hone/prior/distribution_makers.h"

namespace hone {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

DistributionField low_field() {
  return {.name = "low", .description = "lower end"};
}

DistributionField high_field() {
  return {.name = "high", .description = "upper end", .above_field = "low"};
}

DistributionField positive(std::string_view name, std::string_view description,
                           std::vector<std::string_view> aliases = {}) {
  return {.name = name, .description = description, .aliases = std::move(aliases), .above = 0};
}

// Outside these limits the incomplete beta and gamma functions lose their digits or their speed.
DistributionField shape_like(std::string_view name, std::string_view description,
                             std::vector<std::string_view> aliases) {
  return {.name = name,
          .description = description,
          .aliases = std::move(aliases),
          .above = 1e-3,
          .at_most = 1e6};
}

DistributionField mean_field() {
  return {.name = "mean", .description = "mean", .aliases = {"mu", "loc"}};
}

DistributionField sigma_field() {
  return positive("sigma", "standard deviation", {"std", "scale"});
}

std::vector<DistributionKind> bounded_kinds() {
  return {
      {"uniform", "the same density from low to high", {low_field(), high_field()}, make_uniform},
      {"loguniform",
       "density proportional to 1 / x from low to high: uniform in the logarithm",
       {positive("low", "lower end"), high_field()},
       make_loguniform},
      {"triangular",
       "density rises linearly from low to mode and falls to high",
       {low_field(),
        {.name = "mode", .description = "peak", .from_field = "low", .to_field = "high"},
        high_field()},
       make_triangular},
      {"beta",
       "density proportional to x^(alpha - 1) (1 - x)^(beta - 1) on [0, 1]",
       {shape_like("alpha", "exponent at 0, plus 1", {"a"}),
        shape_like("beta", "exponent at 1, plus 1", {"b"})},
       make_beta},
      {"tabulated",
       "linear between the points (x, density); need not be normalised",
       {{.name = "x", .description = "grid, strictly increasing, 2 points or more", .array = true},
        {.name = "density", .description = "density at x, not negative", .array = true}},
       make_tabulated},
  };
}

std::vector<DistributionKind> unbounded_kinds() {
  return {
      {"normal", "Gaussian", {mean_field(), sigma_field()}, make_normal},
      {"truncated_normal",
       "Gaussian with mean and sigma, cut to [low, high] and normalised again",
       {mean_field(),
        sigma_field(),
        {.name = "low", .description = "lower end", .fallback = -kInfinity},
        {.name = "high", .description = "upper end", .above_field = "low", .fallback = kInfinity}},
       make_truncated_normal},
      {"lognormal",
       "the logarithm of x is Gaussian with mean and sigma",
       {{.name = "mean", .description = "mean of log x", .aliases = {"mu"}},
        positive("sigma", "standard deviation of log x", {"std"})},
       make_lognormal},
      {"half_normal",
       "the absolute value of a Gaussian of mean 0",
       {positive("sigma", "standard deviation of the Gaussian", {"std", "scale"})},
       make_half_normal},
      {"gamma",
       "density proportional to x^(shape - 1) exp(-x / scale), x > 0",
       {shape_like("shape", "shape", {"alpha", "k"}), positive("scale", "scale: mean / shape")},
       make_gamma},
      {"exponential",
       "density proportional to exp(-x / scale), x > 0",
       {positive("scale", "mean, the inverse of the rate", {"mean"})},
       make_exponential},
      {"student_t",
       "Student's t, moved by location and stretched by scale",
       {shape_like("degrees_of_freedom", "degrees of freedom", {"df", "nu"}),
        {.name = "location", .description = "centre", .aliases = {"mean", "loc"}, .fallback = 0},
        {.name = "scale", .description = "scale", .aliases = {"sigma"}, .above = 0, .fallback = 1}},
       make_student_t},
  };
}

std::vector<DistributionKind> discrete_kinds() {
  return {
      {"integer",
       "each whole number from low to high is equally probable",
       {{.name = "low", .description = "lowest value, a whole number"},
        {.name = "high", .description = "highest value, a whole number", .above_field = "low"}},
       make_integer},
      {"poisson",
       "a number of independent events with this mean",
       {{.name = "mean",
         .description = "mean",
         .aliases = {"rate", "mu"},
         .above = 0,
         .at_most = 1e3}},
       make_poisson},
      {"binomial",
       "how many of some trials succeed",
       {{.name = "trials",
         .description = "trials, a whole number",
         .aliases = {"n"},
         .above = 0,
         .at_most = 999},
        {.name = "probability",
         .description = "probability that a trial succeeds, less than 1",
         .aliases = {"p"},
         .above = 0,
         .at_most = 0.999999}},
       make_binomial},
      {"categorical",
       "one of several categories, which the simulator gets as numbers 0, 1, ...",
       {{.name = "probabilities",
         .description = "of each category; need not add up to 1",
         .array = true},
        {.name = "names", .description = "of the categories, in tables", .text = true}},
       make_categorical},
  };
}

}  // namespace

const std::vector<DistributionKind>& distribution_kinds() {
  static const std::vector<DistributionKind> kinds = [] {
    std::vector<DistributionKind> all = bounded_kinds();
    for (DistributionKind& kind : unbounded_kinds()) all.push_back(std::move(kind));
    for (DistributionKind& kind : discrete_kinds()) all.push_back(std::move(kind));
    return all;
  }();
  return kinds;
}

void require_usable_width(double low, double high, std::string_view where) {
  if (std::isnormal(high - low)) return;
  fail_value(fmt::format("{}.high", where), high,
             fmt::format("high - low = {} is out of the range of double precision", high - low));
}

}  // namespace hone
