#include "hone/run/warnings.h"

#include <algorithm>

#include <fmt/format.h>

#include "hone/posterior/judgement.h"

namespace hone {
namespace {

void warn_about_edges(std::vector<Warning>& warnings, const InferenceResult& result,
                      const std::vector<ParameterSummary>& parameters) {
  const Prior& prior = result.posterior.posterior->prior().prior();
  const auto names = prior.names();
  for (const ParameterSummary& p : parameters) {
    if (std::ranges::find(names, p.name) == names.end()) continue;  // derived: no edge of its own
    const Interval hull = result.region.hull(prior.index_of(p.name));
    const auto warn = [&](const char* side, double density) {
      warnings.push_back({"edge",
                          fmt::format("the posterior of {} touches the {} edge of the region: its "
                                      "density there is {:.2g} of the peak",
                                      p.name, side, density),
                          "use a smaller epsilon or more simulations per round"});
    };
    if (hull.low.u > 0 && p.edge_low > kEdgeCaution) warn("lower", p.edge_low);
    if (hull.high.complement > 0 && p.edge_high > kEdgeCaution) warn("upper", p.edge_high);
  }
}

void warn_about_rounds(std::vector<Warning>& warnings, const InferenceResult& result) {
  if (result.rounds.empty()) return;
  if (!result.converged) {
    const bool was_cut = result.region != result.rounds.back().region;
    warnings.push_back(
        {"not_converged",
         fmt::format("the {} ran out before the region stopped shrinking: the last cut {} {:.2g} "
                     "of its prior mass",
                     result.budget_spent ? "budget" : "rounds", was_cut ? "kept" : "would keep",
                     result.rounds.back().cut.mass_ratio),
         result.budget_spent ? "use a larger budget" : "allow more rounds (max_rounds)"});
  }
  const bool looked_for_a_cut = !result.rounds[0].cut.curves.empty();
  if (looked_for_a_cut && result.rounds.size() == 1 && result.rounds[0].cut.mass_ratio > 0.95) {
    warnings.push_back(
        {"no_truncation",
         fmt::format("the region did not shrink: the first cut kept {:.2g} of the "
                     "prior mass",
                     result.rounds[0].cut.mass_ratio),
         "either the data say little about any single parameter, or the networks learned little; "
         "more simulations in the first round (round_fraction) would show which"});
  }
}

void warn_about_training(std::vector<Warning>& warnings, const InferenceResult& result) {
  const auto& histories = result.posterior.histories;
  const auto diverged = std::ranges::count(histories, StopReason::diverged, &MemberHistory::stop);
  if (diverged > 0) {
    warnings.push_back(
        {"diverged",
         fmt::format("{} of {} networks diverged; the best weights that they had before are used",
                     diverged, histories.size()),
         "use a smaller learning_rate or clip_norm"});
  }
}

void warn_about_draws(std::vector<Warning>& warnings, const InferenceResult& result,
                      std::span<const double> observation) {
  constexpr double kFewDraws = 200;  // whose mean is known to 0.07 standard deviations
  const auto draws = result.posterior.posterior->effective_draws(observation);
  if (!draws || *draws >= kFewDraws) return;
  warnings.push_back({"few_draws",
                      fmt::format("the posterior from the learned likelihood consists of weighted "
                                  "draws, which are worth only {:.0f} independent draws: its shape "
                                  "is uncertain",
                                  *draws),
                      "use more simulations, or estimators = ratio"});
}

}  // namespace

std::vector<Warning> find_warnings(const InferenceResult& result,
                                   const std::vector<ParameterSummary>& parameters, Index failed,
                                   std::span<const double> observation) {
  std::vector<Warning> warnings;
  warn_about_rounds(warnings, result);
  warn_about_edges(warnings, result, parameters);
  for (const ParameterSummary& p : parameters) {
    if (p.ensemble_error <= kEnsembleCaution * p.deviation) continue;
    warnings.push_back({"ensemble",
                        fmt::format("the networks disagree about {}: their means scatter by "
                                    "{:.2g} of its standard deviation",
                                    p.name, p.ensemble_error / p.deviation),
                        "use more simulations or a larger ensemble"});
  }
  constexpr Index kFewRows = 500;
  if (result.rows > 0 && result.rows < kFewRows) {  // 0: the method needs none
    warnings.push_back({"few_simulations",
                        fmt::format("only {} simulations lie in the final region", result.rows),
                        "use a larger budget"});
  }
  if (failed > 0) {
    warnings.push_back({"failed_simulations",
                        fmt::format("{} simulations failed; the posterior takes into account that "
                                    "the observation is not a failure, so values whose simulations "
                                    "often fail become less probable",
                                    failed),
                        command_words(Action::list_failures, "")});
  }
  warn_about_training(warnings, result);
  warn_about_draws(warnings, result, observation);
  return warnings;
}

}  // namespace hone
