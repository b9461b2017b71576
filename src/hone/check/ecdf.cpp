#include "hone/check/ecdf.h"

#include <algorithm>
#include <cmath>

#include <boost/math/distributions/binomial.hpp>
#include <fmt/format.h>

namespace hone {
namespace {

struct CountBand {
  std::vector<Index> low, high;  // per place
};

CountBand pointwise_band(Index draws, const std::vector<double>& at, double outside) {
  using Quantile =
      boost::math::policies::discrete_quantile<boost::math::policies::integer_round_outwards>;
  using Binomial =
      boost::math::binomial_distribution<double, boost::math::policies::policy<Quantile>>;
  CountBand band;
  for (const double z : at) {
    const Binomial counts(static_cast<double>(draws), z);
    band.low.push_back(static_cast<Index>(boost::math::quantile(counts, outside / 2)));
    band.high.push_back(
        static_cast<Index>(boost::math::quantile(boost::math::complement(counts, outside / 2))));
  }
  return band;
}

// P(low <= #{u <= at} <= high at every place) for uniform u: given the count at one place, that at
// the next has binomially many more.
class BandProbability {
 public:
  explicit BandProbability(Index draws) : draws_(draws) {
    log_factorial_.reserve(static_cast<std::size_t>(draws) + 1);
    for (Index i = 0; i <= draws; ++i) log_factorial_.push_back(std::lgamma(double(i) + 1));
  }

  double operator()(const std::vector<double>& at, const CountBand& band) const {
    std::vector<double> here{1};  // probability of each count from `first` on
    Index first = 0;
    double before = 0;
    for (std::size_t k = 0; k < at.size(); ++k) {
      std::vector<double> next(static_cast<std::size_t>(band.high[k] - band.low[k] + 1), 0.0);
      const double step = (at[k] - before) / (1 - before);
      for (std::size_t i = 0; i < here.size(); ++i) {
        if (here[i] > 0) spread(next, band.low[k], here[i], first + static_cast<Index>(i), step);
      }
      here = std::move(next);
      first = band.low[k];
      before = at[k];
    }
    double sum = 0;
    for (const double p : here) sum += p;
    return sum;
  }

 private:
  // Adds p Binomial(draws - count, step) to the counts after `count`.
  void spread(std::vector<double>& next, Index low, double p, Index count, double step) const {
    const Index left = draws_ - count;
    const double mean = static_cast<double>(left) * step;
    const double reach = 9 * std::sqrt(mean * (1 - step)) + 9;  // beyond it lies less than 1e-16
    const Index begin = std::max({low, count, count + static_cast<Index>(mean - reach)});
    const Index end = std::min(
        {low + std::ssize(next) - 1, draws_, count + static_cast<Index>(std::ceil(mean + reach))});
    const double log_step = std::log(step), log_rest = std::log1p(-step);
    for (Index to = begin; to <= end; ++to) {
      const Index more = to - count;
      const double log_p = log_factorial(left) - log_factorial(more) - log_factorial(left - more) +
                           static_cast<double>(more) * log_step +
                           static_cast<double>(left - more) * log_rest;
      next[static_cast<std::size_t>(to - low)] += p * std::exp(log_p);
    }
  }
  double log_factorial(Index i) const { return log_factorial_[static_cast<std::size_t>(i)]; }

  Index draws_;
  std::vector<double> log_factorial_;
};

}  // namespace

EcdfBands simultaneous_bands(Index draws, double probability, Index points) {
  EcdfBands bands;
  for (Index i = 1; i < points; ++i) {
    bands.at.push_back(static_cast<double>(i) / static_cast<double>(points));
  }
  const BandProbability inside(draws);
  // Pointwise level: between that of one place and of all places if they were independent.
  double most = std::log(1 - probability), least = most - std::log(static_cast<double>(points));
  CountBand band = pointwise_band(draws, bands.at, std::exp(least));
  for (int i = 0; i < 10; ++i) {  // to 0.4 % of the level
    const double middle = (least + most) / 2;
    CountBand trial = pointwise_band(draws, bands.at, std::exp(middle));
    if (inside(bands.at, trial) >= probability) {
      least = middle;
      band = std::move(trial);
    } else {
      most = middle;
    }
  }
  bands.probability = inside(bands.at, band);
  for (std::size_t k = 0; k < bands.at.size(); ++k) {
    bands.low.push_back(static_cast<double>(band.low[k]) / static_cast<double>(draws));
    bands.high.push_back(static_cast<double>(band.high[k]) / static_cast<double>(draws));
  }
  return bands;
}

namespace {

EcdfCurve make_curve(const UniformValues& given, const EcdfBands& bands, const EcdfLimits& limits) {
  std::vector<double> values = given.values;
  std::ranges::sort(values);
  EcdfCurve curve{.marginal = given.marginal,
                  .draws = std::ssize(values),
                  .at = bands.at,
                  .low = bands.low,
                  .high = bands.high};
  bool outside = false;
  for (std::size_t k = 0; k < bands.at.size(); ++k) {
    const auto below = std::ranges::upper_bound(values, bands.at[k]) - values.begin();
    const double ecdf = static_cast<double>(below) / static_cast<double>(values.size());
    curve.ecdf.push_back(ecdf);
    curve.deviation = std::max(curve.deviation, std::abs(ecdf - bands.at[k]));
    // Counts are whole: half of one keeps rounding out.
    const double half = 0.5 / static_cast<double>(values.size());
    outside |= ecdf < bands.low[k] - half || ecdf > bands.high[k] + half;
  }
  for (const double value : values) {
    curve.bias += (value - 0.5) / static_cast<double>(values.size());
  }
  if (outside && curve.deviation > limits.deviation) {
    curve.status = std::abs(curve.bias) > limits.bias ? Status::fail : Status::caution;
  }
  return curve;
}

CheckResult summarize(const std::string& name, const std::vector<EcdfCurve>& curves,
                      const EcdfLimits& limits, const std::string& good, const std::string& bad,
                      const std::string& advice) {
  CheckResult result{.name = name};
  const EcdfCurve* worst = &curves.front();
  Index flagged = 0;
  for (const EcdfCurve& curve : curves) {
    flagged += curve.status != Status::pass;
    const auto rank = [](const EcdfCurve& c) { return std::pair(c.status, c.deviation); };
    if (rank(curve) > rank(*worst)) worst = &curve;
  }
  result.status = worst->status;
  if (result.status == Status::pass) {
    result.reason = fmt::format("{}; the largest deviation is {:.3f} ({})", good, worst->deviation,
                                worst->marginal);
  } else {
    result.reason =
        fmt::format("{}: {} deviates by {:.3f}{}", bad, worst->marginal, worst->deviation,
                    flagged > 1 ? fmt::format("; {} more are flagged", flagged - 1) : "");
    result.advice = advice;
    result.more_simulations = true;
  }
  result.numbers = {{"flagged", static_cast<double>(flagged)},
                    {"largest_deviation", worst->deviation},
                    {"bias", worst->bias},
                    {"false_alarms", limits.false_alarms}};
  return result;
}

}  // namespace

EcdfBands bands_for(Index curves, Index draws, const EcdfLimits& limits) {
  return simultaneous_bands(draws, 1 - limits.false_alarms / static_cast<double>(curves));
}

std::vector<EcdfCurve> ecdf_curves(const std::vector<UniformValues>& values, const EcdfBands& bands,
                                   const EcdfLimits& limits) {
  std::vector<EcdfCurve> curves;
  for (const UniformValues& one : values) curves.push_back(make_curve(one, bands, limits));
  return curves;
}

std::vector<EcdfCurve> ecdf_curves(const std::vector<UniformValues>& values,
                                   const EcdfLimits& limits) {
  if (values.empty() || std::ssize(values[0].values) < limits.fewest_draws) return {};
  return ecdf_curves(values, bands_for(std::ssize(values), std::ssize(values[0].values), limits),
                     limits);
}

CheckResult sbc_result(const std::vector<EcdfCurve>& curves, const EcdfLimits& limits) {
  return summarize("sbc", curves, limits,
                   "the true values are spread over the posteriors as they should be",
                   "the true values are not spread over the posteriors as they should be",
                   "the posteriors are shifted or have the wrong width: use more simulations or a "
                   "larger ensemble");
}

CheckResult tarp_result(const std::vector<EcdfCurve>& curves, const EcdfLimits& limits) {
  return summarize(
      "tarp", curves, limits, "the distances of true values to random points are as they should be",
      "the distances of true values to random points are not as they should be",
      "the shape of the joint posterior is wrong: use more simulations or a larger ensemble");
}

}  // namespace hone
