#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "hone/check/cuts.h"
#include "hone/check/proportion.h"
#include "hone/posterior/judgement.h"

namespace hone {

CheckResult edges_result(const std::vector<EdgeCheck>& edges) {
  CheckResult result{.name = "edges"};
  double worst = 0;
  std::string place;
  for (const EdgeCheck& edge : edges) {
    for (const auto& [side, density] : {std::pair("lower", edge.low), {"upper", edge.high}}) {
      if (density > worst) {
        worst = density;
        place = fmt::format("the {} edge of {}", side, edge.parameter);
      }
    }
  }
  result.status = worst > kEdgeFail      ? Status::fail
                  : worst > kEdgeCaution ? Status::caution
                                         : Status::pass;
  if (place.empty()) {
    result.reason = "the region has no other edges than the prior";
  } else {
    result.reason = fmt::format(
        "the posterior density at {} of the region is {:.2g} of its peak, the highest of all edges",
        place, worst);
  }
  if (result.status != Status::pass) {
    result.advice =
        "the posterior continues beyond the region: use a smaller epsilon, or more simulations per "
        "round";
  }
  result.numbers = {{"highest_density", worst}};
  return result;
}

CheckResult lost_mass_result(const std::vector<CutCheck>& cuts) {
  constexpr double kCaution = 1e-3, kFail = 1e-2;
  CheckResult result{.name = "lost_mass"};
  std::map<std::string, double> lost;  // by all rounds together
  for (const CutCheck& cut : cuts) lost[cut.parameter] += cut.lost_mass;
  const auto& [parameter, worst] =
      *std::ranges::max_element(lost, {}, [](const auto& one) { return one.second; });
  result.status = worst > kFail ? Status::fail : worst > kCaution ? Status::caution : Status::pass;
  result.reason = fmt::format(
      "all cuts together lost at most {:.1g} of the posterior of a parameter ({}), as estimated by "
      "the networks that decided them",
      worst, parameter);
  if (result.status != Status::pass) result.advice = "use a smaller epsilon";
  result.numbers = {{"largest_lost_mass", worst}};
  return result;
}

CheckResult cut_truths_result(const std::vector<CutCheck>& cuts) {
  // The rule cuts below exp(-13) of the peak: a right posterior has less than 1e-5 of its mass
  // there. One in a thousand is far more than that, and still does no harm.
  constexpr double kHarmless = 1e-3, kFail = 0.02, kChance = 1e-3;
  CheckResult result{.name = "cut_truths"};
  const CutCheck* worst = &cuts.front();
  double worst_probability = 2;
  Index draws = 0, cut = 0;
  for (const CutCheck& one : cuts) {
    draws += one.draws;
    cut += one.cut_truths;
    const double probability = probability_at_least(one.cut_truths, one.draws, kHarmless);
    if (probability < worst_probability) {
      worst = &one;
      worst_probability = probability;
    }
  }
  const double rate = worst->draws == 0 ? 0
                                        : static_cast<double>(worst->cut_truths) /
                                              static_cast<double>(worst->draws);
  if (worst_probability <= kChance / static_cast<double>(cuts.size())) {
    result.status = rate > kFail ? Status::fail : Status::caution;
    result.reason = fmt::format(
        "the cut of {} in round {} is not safe: it would have removed {} of {} true values",
        worst->parameter, worst->round, worst->cut_truths, worst->draws);
    result.advice =
        "use more simulations per round (round_fraction, round_minimum) or a smaller epsilon";
  } else if (draws == 0) {
    result.reason = "the networks that decided the cuts were not kept, so they cannot be tested";
  } else {
    result.reason =
        fmt::format("the cuts would have removed {} of {} true values of test draws", cut, draws);
  }
  double lowest = 1;
  for (const CutCheck& one : cuts) {
    if (one.coverage95 < lowest) lowest = one.coverage95;
  }
  result.numbers = {{"draws", static_cast<double>(draws)},
                    {"cut", static_cast<double>(cut)},
                    {"worst_rate", rate},
                    {"lowest_coverage95", lowest}};
  return result;
}

CheckResult probe_result(const std::vector<CutCheck>& cuts) {
  // Lower ends of intervals for the share that comes from outside, which all hold together with
  // 99.9 %: the worst of all axes and rounds decides.
  constexpr double kCaution = 0.02, kFail = 0.1, kChance = 0.001;
  const auto looks = std::ranges::count_if(cuts, [](const CutCheck& one) { return one.near > 0; });
  const double level = 1 - 2 * kChance / static_cast<double>(std::max<Index>(1, looks));
  CheckResult result{.name = "probe"};
  const CutCheck* worst = &cuts.front();
  double share = -1;
  Index near = 0, outside = 0;
  for (const CutCheck& one : cuts) {
    near += one.near;
    outside += one.near_outside;
    const double low =
        one.near == 0 ? 0 : jeffreys_interval(one.near_outside, one.near, level).first;
    if (low > share) {
      worst = &one;
      share = low;
    }
  }
  result.status = share > kFail ? Status::fail : share > kCaution ? Status::caution : Status::pass;
  if (result.status == Status::pass) {
    result.reason = near == 0 ? std::string(
                                    "no simulation with data like the observation was found, so "
                                    "nothing could be compared")
                              : fmt::format(
                                    "of {} simulations that look like the observation, {} come "
                                    "from parts that were cut away",
                                    near, outside);
  } else {
    result.reason = fmt::format(
        "{} of {} simulations that look like the observation have a value of {} that round {} cut "
        "away",
        worst->near_outside, worst->near, worst->parameter, worst->round);
    result.advice =
        "a mode may have been lost: use more simulations per round (round_fraction) or a "
        "smaller epsilon";
  }
  result.numbers = {{"near", static_cast<double>(near)},
                    {"outside", static_cast<double>(outside)},
                    {"worst_share", share}};
  return result;
}

}  // namespace hone
