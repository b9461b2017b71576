#include "hone/inference/tmnre.h"

#include <algorithm>
#include <cmath>

#include "hone/core/error.h"
#include "hone/estimate/ratio_estimator.h"

namespace hone {
namespace {

// N^(m): how many simulations round m works with, kept ones included; `before` is N^(m-1). If a
// round barely shrinks the region, the next one gets twice the simulations: `stalled` counts such
// rounds.
Index round_target(const InferenceOptions& options, int round, int stalled, Index kept,
                   Index before, const Rng& rng) {
  const double budget = static_cast<double>(options.budget);
  double target = options.round_fraction * budget;
  if (options.round_schedule == RoundSchedule::growth && round > 1) {
    target = options.round_growth * static_cast<double>(before);
  }
  if (options.round_schedule == RoundSchedule::increment) {
    target = static_cast<double>(kept) + static_cast<double>(options.round_increment);
  }
  target = std::max(target, static_cast<double>(options.round_minimum)) * std::exp2(stalled);
  target = std::min(target, 2 * budget);  // more than there is, also after a Poisson draw
  if (options.poisson_counts) {
    Rng count = rng.child("count", static_cast<std::uint64_t>(round));
    target = static_cast<double>(count.poisson(target));
  }
  return std::max(kFewestRows, static_cast<Index>(std::llround(target)));
}

// How many simulations there may be after all rounds: the rest of the budget belongs to the final
// region, whose simulations are what the answer is made of. The first round gets enough to train
// on.
Index limit_of_rounds(const InferenceOptions& options, Index begin) {
  const double share = (1 - options.final_fraction) * static_cast<double>(options.budget - begin);
  return std::clamp(begin + static_cast<Index>(std::llround(share)),
                    std::min(kFewestRows, options.budget), options.budget);
}

// alpha > beta, or no axis shrinks much: in ten dimensions a mass ratio of 0.8 is 0.98 per axis,
// and another round would cost more than it gains.
bool hardly_shrinks(const Cut& cut, const InferenceOptions& options) {
  const double worst_axis = *std::ranges::min_element(cut.axis_ratio);
  return cut.mass_ratio > options.stop_ratio || worst_axis > options.stop_axis_ratio;
}

std::string describe(const Round& round, bool last) {
  return fmt::format(
      "round {}: {} kept + {} new simulations; prior mass {:.4g} {}", round.number, round.kept,
      round.simulated, round.region.mass(),
      last ? fmt::format("stays (a cut would keep {:.2g} of it)", round.cut.mass_ratio)
           : fmt::format("-> {:.4g}", round.cut.region.mass()));
}

// What the rounds have found so far.
struct Progress {
  std::vector<Round> rounds;
  Region region;                          // Gamma^(m)
  bool converged = false;                 // the region stopped shrinking
  int stalled = 0, stalled_in_a_row = 0;  // rounds that hardly shrank it
};

// From Gamma^(1) = supp p(theta), or from where a smaller budget ended.
Progress beginning(const InferenceRequest& request) {
  if (request.start != nullptr) return {request.start->rounds, request.start->region};
  return {{}, Region::whole(request.simulations.prior().dimensions())};
}

// The simulations of a round.
struct RoundBudget {
  Index kept = 0;    // in the region already
  Index wanted = 0;  // new ones that the round should have
  Index left = 0;    // new ones that there may be
  Index fresh() const { return std::clamp<Index>(wanted, 0, left); }
};

RoundBudget budget_of_round(const InferenceRequest& request, const Progress& progress, int m,
                            Index for_rounds) {
  const std::vector<Round>& rounds = progress.rounds;
  const Index kept = request.simulations.count_inside(progress.region);
  const Index before = rounds.empty() ? 0 : rounds.back().kept + rounds.back().simulated;
  const Index target =
      round_target(request.options, m, progress.stalled, kept, before, request.rng);
  return {.kept = kept,
          .wanted = target - kept,
          .left = std::max<Index>(0, for_rounds - request.simulations.issued())};
}

std::string describe_reserve(int round, const RoundBudget& budget, Index reserved) {
  return fmt::format(
      "round {} is not begun: it would need {} simulations, but only {} are left for rounds, "
      "because "
      "{} of the budget are kept for the final region (final_fraction)",
      round, budget.wanted, budget.left, reserved);
}

// `region` is that of the round's simulations.
Round train_and_cut(const InferenceRequest& request, const EstimatorKind& kind, int m,
                    const Region& region, const RoundBudget& budget) {
  const InferenceOptions& options = request.options;
  const Dataset data = request.simulations.inside(region, options.validation_fraction);
  const InferenceOptions used = kind.fit(options, data_size(data));
  const auto axes = one_dimensional(request.simulations.prior().dimensions());  // rho_1
  TrainedPosterior ratios = request.trainer.train(
      kind, {data, axes, used.round_ensemble, options,
             request.rng.child("round", static_cast<std::uint64_t>(m)), request.observer});
  Cut cut = truncate(*ratios.posterior, request.observation, used.truncation);
  return {.number = m,
          .region = region,
          .kept = budget.kept,
          .simulated = budget.fresh(),
          .cut = std::move(cut),
          .training = std::move(ratios.histories),
          .networks = std::move(ratios.posterior),
          .estimator = kind.name,
          .used = fitted_options(used, used.round_ensemble, data.description)};
}

// Once the budget is spent no other round could tell more than one that hardly shrank the region.
void judge(Progress& progress, const InferenceOptions& options, const RoundBudget& budget) {
  const bool stalls = hardly_shrinks(progress.rounds.back().cut, options);
  const bool spent = budget.fresh() == budget.left;
  progress.stalled += stalls;
  progress.stalled_in_a_row = stalls ? progress.stalled_in_a_row + 1 : 0;
  progress.converged = progress.stalled_in_a_row == options.stop_rounds || (stalls && spent);
}

// On stopping the last cut is not made: the data in hand come from the region before it. Nor is one
// of a round that began with nothing left to simulate, or one that leaves too little data.
bool is_last(const Progress& progress, const RoundBudget& budget, const Simulations& simulations,
             Index whole_budget) {
  const Index reachable = simulations.count_inside(progress.rounds.back().cut.region) +
                          whole_budget - simulations.issued();
  return progress.converged || budget.left == 0 || reachable < kFewestRows;
}

}  // namespace

InferenceResult tmnre(const InferenceRequest& request) {
  return truncate_in_rounds(request, ratio_estimation());
}

InferenceResult truncate_in_rounds(const InferenceRequest& request, const EstimatorKind& kind) {
  const InferenceOptions& options = request.options;
  Simulations& simulations = request.simulations;
  Observer& observer = request.observer;
  Progress progress = beginning(request);
  std::vector<Round>& rounds = progress.rounds;
  const int first = static_cast<int>(rounds.size()) + 1, limit = first + options.max_rounds - 1;
  const Index for_rounds = limit_of_rounds(options, simulations.issued());

  for (int m = first; !progress.converged && m <= limit; ++m) {
    // Retain the data in the region; simulate what is missing.      D^(m), N_simulate^(m)
    const Region region = progress.region;
    const RoundBudget budget = budget_of_round(request, progress, m, for_rounds);
    if (m > first && options.final_fraction > 0 && budget.wanted > budget.left) {
      observer.log(LogLevel::info, describe_reserve(m, budget, options.budget - for_rounds));
      progress.converged = progress.stalled_in_a_row > 0;
      break;
    }
    observer.context_changed(fmt::format("round {}, prior mass {:.3g}", m, region.mass()));
    simulations.simulate(region, m, budget.fresh(), observer);

    // Train the 1-d ratios on it, and find the constrained region.  rho_1, Gamma^(m)
    rounds.push_back(
        request.journal.round(m, [&] { return train_and_cut(request, kind, m, region, budget); }));
    stop_if_requested(observer);

    judge(progress, options, budget);
    const bool last = is_last(progress, budget, simulations, options.budget);
    observer.log(LogLevel::info, describe(rounds.back(), last));
    if (last) break;
    progress.region = rounds.back().cut.region;
  }

  const int count = static_cast<int>(rounds.size());
  const bool budget_spent = simulations.issued() == options.budget || count < limit;
  FinalTraining final = train_in_final_region(request, progress.region, count);  // rho_2
  return {.posterior = std::move(final.posterior),
          .rounds = std::move(rounds),
          .region = std::move(final.region),
          .rows = final.rows,
          .converged = progress.converged,
          .budget_spent = budget_spent};
}

}  // namespace hone
