#include "hone/check/coverage.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <boost/math/special_functions/erf.hpp>
#include <fmt/format.h>

#include "hone/check/proportion.h"

namespace hone {
namespace {

constexpr double kBandLevel = 0.95;  // of the Jeffreys intervals that are shown
constexpr int kCurvePoints = 50;
constexpr double kSigmas[] = {1, 2, 3};

// Tests of one marginal in each direction: three levels and the width.
constexpr double kTests = 4;

Index count_inside(const std::vector<double>& credibility, double level) {
  return std::ranges::count_if(credibility, [&](double c) { return c <= level; });
}

CoverageLevel make_level(double sigma, Index inside, Index draws) {
  const double nominal = level_of_z(sigma);
  const double empirical = static_cast<double>(inside) / static_cast<double>(draws);
  const auto [low, high] = jeffreys_interval(inside, draws, kBandLevel);
  return {nominal,         empirical,       low, high, sigma, z_of_level(empirical),
          z_of_level(low), z_of_level(high)};
}

// |z| for which the normal distribution has this credibility. At most 5: beyond that the points on
// which posteriors are computed have no meaning, and one draw must not decide.
double z_score(double credibility) {
  return std::min(5.0, z_of_level(credibility));
}

// Sum of z^2: chi-squared with `draws` degrees of freedom if the posterior is right, and s^2 times
// that if it is normal and s times too narrow.
double sum_of_squares(const std::vector<double>& credibility) {
  double sum = 0;
  for (const double c : credibility) sum += z_score(c) * z_score(c);
  return sum;
}

void add_curve(CoverageCurve& curve, const std::vector<double>& credibility) {
  for (int i = 1; i < kCurvePoints; ++i) {
    const double nominal = static_cast<double>(i) / kCurvePoints;
    const Index inside = count_inside(credibility, nominal);
    const auto [low, high] = jeffreys_interval(inside, curve.draws, kBandLevel);
    curve.nominal.push_back(nominal);
    curve.empirical.push_back(static_cast<double>(inside) / static_cast<double>(curve.draws));
    curve.low.push_back(low);
    curve.high.push_back(high);
  }
}

CoverageCurve make_curve(const MarginalCredibility& marginal) {
  CoverageCurve curve{.marginal = marginal.marginal,
                      .dimensions = marginal.dimensions,
                      .draws = std::ssize(marginal.credibility)};
  add_curve(curve, marginal.credibility);
  for (const double sigma : kSigmas) {
    const double nominal = level_of_z(sigma);
    const Index inside = count_inside(marginal.credibility, nominal);
    curve.levels.push_back(make_level(sigma, inside, curve.draws));
    curve.probability =
        std::min(curve.probability, probability_at_most(inside, curve.draws, nominal));
    curve.probability_wide =
        std::min(curve.probability_wide, probability_at_least(inside, curve.draws, nominal));
  }
  const double n = static_cast<double>(curve.draws), sum = sum_of_squares(marginal.credibility);
  const double above = chi_squared_above(sum, n);
  curve.width_error = std::sqrt(sum / n) - 1;
  curve.probability = std::min(1.0, kTests * std::min(curve.probability, above));
  curve.probability_wide = std::min(1.0, kTests * std::min(curve.probability_wide, 1 - above));
  return curve;
}

// Standard error of the mean of values that may be anything.
double standard_error(const std::vector<double>& values, double mean) {
  double square = 0;
  for (const double value : values) square += (value - mean) * (value - mean);
  const double n = static_cast<double>(values.size());
  return std::sqrt(square / (n - 1) / n);
}

// The mean coverage of several marginals. They share their draws, so what is independent is a draw,
// with all its marginals: bands come from the scatter between draws, which holds whatever their
// correlation.
class MeanCurve {
 public:
  explicit MeanCurve(std::vector<const MarginalCredibility*> marginals)
      : marginals_(std::move(marginals)), draws_(marginals_[0]->credibility.size()) {}

  CoverageCurve make(const std::string& name) const {
    CoverageCurve curve{.marginal = name,
                        .dimensions = marginals_[0]->dimensions,
                        .draws = static_cast<Index>(draws_)};
    for (int i = 1; i < kCurvePoints; ++i) {
      const CoverageLevel level = at(static_cast<double>(i) / kCurvePoints);
      curve.nominal.push_back(level.nominal);
      curve.empirical.push_back(level.empirical);
      curve.low.push_back(level.low);
      curve.high.push_back(level.high);
    }
    for (const double sigma : kSigmas) curve.levels.push_back(at(level_of_z(sigma)));
    // The mean credibility of a draw: bounded, and symmetric if the posteriors are right, so that
    // its mean over draws is normal also far out.
    const auto credibility = per_draw([](double c) { return c; });
    const double mean = mean_of(credibility), error = standard_error(credibility, mean);
    curve.probability = normal_above((mean - 0.5) / error);
    curve.probability_wide = normal_above((0.5 - mean) / error);
    curve.width_error =
        std::sqrt(mean_of(per_draw([](double c) { return z_score(c) * z_score(c); }))) - 1;
    return curve;
  }

 private:
  template <typename F>
  std::vector<double> per_draw(F&& f) const {
    std::vector<double> values(draws_, 0.0);
    for (const MarginalCredibility* marginal : marginals_) {
      for (std::size_t i = 0; i < draws_; ++i) {
        values[i] += f(marginal->credibility[i]) / static_cast<double>(marginals_.size());
      }
    }
    return values;
  }
  static double mean_of(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
  }
  CoverageLevel at(double nominal) const {
    const auto inside = per_draw([&](double c) { return c <= nominal ? 1.0 : 0.0; });
    const double mean = mean_of(inside), error = 1.96 * standard_error(inside, mean);
    const double low = std::max(0.0, mean - error), high = std::min(1.0, mean + error);
    return {
        nominal,         mean, low, high, z_of_level(nominal), z_of_level(mean), z_of_level(low),
        z_of_level(high)};
  }

  std::vector<const MarginalCredibility*> marginals_;
  std::size_t draws_;
};

double shortfall(const CoverageCurve& curve) {
  return std::max(curve.levels[0].nominal - curve.levels[0].empirical,
                  curve.levels[1].nominal - curve.levels[1].empirical);
}

double excess(const CoverageCurve& curve) {
  return std::max(curve.levels[0].empirical - curve.levels[0].nominal,
                  curve.levels[1].empirical - curve.levels[1].nominal);
}

// How many times more often than stated the truth lies outside the 3-sigma region.
double tail_excess(const CoverageCurve& curve) {
  return (1 - curve.levels[2].empirical) / (1 - curve.levels[2].nominal);
}

// Significant and large; `tests`: curves judged together, in two directions.
Status judge(const CoverageCurve& curve, double tests, const CoverageLimits& limits) {
  const double chance = limits.false_alarms / 2 / tests;
  const double tail = tail_excess(curve);
  if (curve.probability <= chance) {
    if (curve.levels[0].empirical < limits.fail68 || curve.levels[1].empirical < limits.fail95 ||
        tail > limits.tail_fail) {
      return Status::fail;
    }
    if (shortfall(curve) > limits.shortfall || tail > limits.tail_caution) return Status::caution;
  }
  const bool wide = curve.probability_wide <= chance && excess(curve) > limits.excess;
  return wide ? Status::caution : Status::pass;
}

std::string describe(const CoverageCurve& curve, const CoverageLimits& limits) {
  std::string text = fmt::format(
      "{:.1f} % of the true values lie in the 68.3 % region of {}, {:.1f} % in the "
      "95.4 % region",
      100 * curve.levels[0].empirical, curve.marginal, 100 * curve.levels[1].empirical);
  if (tail_excess(curve) > limits.tail_caution) {
    text += fmt::format(", {:.1f} % in the 99.7 % region", 100 * curve.levels[2].empirical);
  }
  return text;
}

void summarize(CoverageCheck& check, const CoverageLimits& limits) {
  const CoverageCurve* worst = nullptr;
  Index flagged = 0;
  const auto look_at = [&](const CoverageCurve& curve) {
    flagged += curve.status != Status::pass;
    const auto rank = [](const CoverageCurve& c) {
      return std::pair(c.status, c.status == Status::pass ? shortfall(c) : -c.probability);
    };
    if (worst == nullptr || rank(curve) > rank(*worst)) worst = &curve;
  };
  for (const CoverageCurve& curve : check.marginals) look_at(curve);
  for (const CoverageCurve& curve : check.means) look_at(curve);
  CheckResult& result = check.result;
  result.status = worst->status;
  const bool narrow = worst->probability < worst->probability_wide;
  if (result.status == Status::pass) {
    result.reason = fmt::format(
        "credible regions contain the true values as often as they should; the lowest coverage: {}",
        describe(*worst, limits));
  } else {
    result.reason = fmt::format(
        "{}: {}{}", narrow ? "overconfident" : "wider than necessary", describe(*worst, limits),
        flagged > 1 ? fmt::format("; {} more are flagged", flagged - 1) : "");
    const bool safe =
        !narrow && worst->levels[1].empirical > worst->levels[1].nominal - limits.shortfall / 2;
    result.advice =
        narrow ? "use more simulations or a larger ensemble; to widen the posteriors as far as "
                 "necessary " +
                     AdviceText(Action::correct)
        : safe ? "the intervals are safe; more simulations would make them narrower"
               : "the shape is wrong, too wide in the middle and too narrow in the tails: use more "
                 "simulations";
    result.more_simulations = !safe;
  }
  result.numbers = {{"flagged", static_cast<double>(flagged)},
                    {"worst_coverage68", worst->levels[0].empirical},
                    {"worst_coverage95", worst->levels[1].empirical},
                    {"worst_width_error", worst->width_error},
                    {"worst_probability", narrow ? worst->probability : worst->probability_wide},
                    {"false_alarms", limits.false_alarms}};
}

}  // namespace

CoverageCheck check_coverage(const std::vector<MarginalCredibility>& marginals,
                             const CoverageLimits& limits) {
  HONE_ASSERT(!marginals.empty());
  CoverageCheck check;
  check.result.name = "coverage";
  const Index draws = std::ssize(marginals[0].credibility);
  if (draws < limits.fewest_draws) {
    check.result.status = Status::unclear;
    check.result.reason =
        fmt::format("there are only {} test draws, too few to measure the coverage", draws);
    check.result.advice = "for more test draws " + AdviceText(Action::more_test_draws, 1000);
    return check;
  }
  for (const MarginalCredibility& marginal : marginals) {
    check.marginals.push_back(make_curve(marginal));
  }
  for (const Index dimensions : {1, 2}) {
    std::vector<const MarginalCredibility*> group;
    for (const MarginalCredibility& marginal : marginals) {
      if (marginal.dimensions == dimensions) group.push_back(&marginal);
    }
    if (group.size() < 2) continue;
    check.means.push_back(MeanCurve(group).make(fmt::format("mean of {}-d marginals", dimensions)));
  }
  const double tests = static_cast<double>(check.marginals.size() + check.means.size());
  for (CoverageCurve& curve : check.marginals) curve.status = judge(curve, tests, limits);
  for (CoverageCurve& curve : check.means) curve.status = judge(curve, tests, limits);
  summarize(check, limits);
  return check;
}

double noticeable_width_error(Index draws, Index marginals, const CoverageLimits& limits) {
  if (draws == 0) return std::numeric_limits<double>::quiet_NaN();
  const double chance =
      limits.false_alarms / 2 / kTests / static_cast<double>(marginals + (marginals > 1 ? 2 : 0));
  const double z = -std::sqrt(2.0) * boost::math::erfc_inv(2 - 2 * chance);
  return std::sqrt(1 + z * std::sqrt(2 / static_cast<double>(draws))) - 1;
}

}  // namespace hone
