#include "hone/check/second_opinion.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include <fmt/format.h>

#include "hone/check/feature_distance.h"

namespace hone {
namespace {

// Of the regressions the one that knows the parameter best, by its own account. Null: none.
const Rival* sharpest(const std::vector<Rival>& rivals) {
  const Rival* best = nullptr;
  const auto error = [](const Rival& rival) {
    return std::accumulate(rival.error.begin(), rival.error.end(), 0.0);
  };
  for (const Rival& rival : rivals) {
    if (rival.kind == RivalKind::part) continue;
    if (best == nullptr || error(rival) < error(*best)) best = &rival;
  }
  return best;
}

// tests: parameters that are judged together.
Opinion judge(const ComparedPosterior& one_of, const Rival& rival, double tests,
              const OpinionLimits& limits) {
  const LocalDraws& posterior = one_of.posterior;
  std::vector<double> differences;
  for (std::size_t i = 0; i < rival.draws.size(); ++i) {
    differences.push_back(std::abs(posterior.mean[i] - rival.draws[i]) / rival.error[i]);
  }
  const double n = static_cast<double>(differences.size());
  const double gap = posterior.observed_mean - rival.observed;
  const double here = std::abs(gap) / rival.observed_error;
  const auto beyond = std::ranges::count_if(differences, [&](double v) { return v >= here; });
  Opinion one{.parameter = posterior.marginal,
              .difference = gap / std::max(posterior.observed_deviation, 1e-300),
              .probability = static_cast<double>(1 + beyond) / (n + 1)};
  const double largest = *std::ranges::max_element(differences);
  one.beyond = here / std::max(quantile(differences, 0.99), 1e-300);
  // Few draws cannot show a small probability: then it must be clearly beyond all of them.
  const double each = limits.false_alarms / tests;
  const bool few = 1 / (n + 1) > each;
  const bool rare = few ? here > 1.25 * largest : one.probability <= each;
  if (rare && std::abs(one.difference) > limits.matters) {
    one.status = one.beyond > limits.fail ? Status::fail : Status::caution;
  }
  return one;
}

}  // namespace

std::vector<Opinion> second_opinions(const std::vector<ComparedPosterior>& parameters,
                                     const OpinionLimits& limits) {
  std::vector<Opinion> opinions;
  for (const ComparedPosterior& one : parameters) {
    const Rival* rival = sharpest(one.rivals);
    if (rival == nullptr || std::ssize(rival->draws) < limits.fewest_draws) continue;
    opinions.push_back(judge(one, *rival, static_cast<double>(parameters.size()), limits));
  }
  return opinions;
}

CheckResult second_opinion_result(const std::vector<Opinion>& opinions,
                                  const OpinionLimits& limits) {
  CheckResult result{.name = "second_opinion"};
  const Opinion* worst = &opinions.front();
  Index flagged = 0;
  for (const Opinion& one : opinions) {
    flagged += one.status != Status::pass;
    const auto rank = [](const Opinion& o) { return std::tuple(o.status, o.beyond); };
    if (rank(one) > rank(*worst)) worst = &one;
  }
  result.status = worst->status;
  const std::string numbers = fmt::format(
      "for {} their means differ by {:+.2f} sigma of the posterior; {:.1f} % of simulated data "
      "have a difference as large",
      worst->parameter, worst->difference, 100 * worst->probability);
  if (result.status == Status::pass) {
    result.reason =
        "at the observation, networks and a regression on the same simulations agree as well as "
        "for simulated data; " +
        numbers;
  } else {
    result.reason =
        "at the observation, networks and a regression on the same simulations disagree more than "
        "for simulated data: " +
        numbers;
    result.advice =
        "the networks may be wrong for your data alone: use more simulations, or another embedding";
    result.more_simulations = true;
  }
  result.numbers = {{"flagged", static_cast<double>(flagged)},
                    {"difference", worst->difference},
                    {"probability", worst->probability},
                    {"beyond", worst->beyond},
                    {"false_alarms", limits.false_alarms}};
  return result;
}

}  // namespace hone
