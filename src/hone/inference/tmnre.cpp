#include "hone/inference/tmnre.h"

#include <algorithm>
#include <cmath>

#include "hone/core/error.h"
#include "hone/inference/ratio_estimator.h"

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

std::string describe_reserve(int round, Index wanted, Index left, Index reserved) {
  return fmt::format(
      "no round {}: it would need {} simulations, {} are left for rounds; {} of the budget are for "
      "the final region (final_fraction)",
      round, wanted, left, reserved);
}

}  // namespace

InferenceResult tmnre(const InferenceRequest& request) {
  return truncate_in_rounds(request, ratio_estimation());
}

InferenceResult truncate_in_rounds(const InferenceRequest& request, const EstimatorKind& kind) {
  const InferenceOptions& options = request.options;
  Simulations& simulations = request.simulations;
  Observer& observer = request.observer;
  const int dimensions = simulations.prior().dimensions();
  const auto axes = one_dimensional(dimensions);  // rho_1 of the paper
  // Gamma^(1) = supp p(theta), or where a smaller budget ended.
  const Continuation begin =
      request.start != nullptr ? *request.start : Continuation{.region = Region::whole(dimensions)};
  std::vector<Round> rounds = begin.rounds;
  Region region = begin.region;
  const int first = static_cast<int>(rounds.size()) + 1, limit = first + options.max_rounds - 1;
  const Index for_rounds = limit_of_rounds(options, simulations.issued());
  bool converged = false;
  int stalled = 0, stalled_in_a_row = 0;

  for (int m = first; !converged && m <= limit; ++m) {
    // Retain the data in the region; simulate what is missing.      D^(m), N_simulate^(m)
    const Index kept = simulations.count_inside(region);
    const Index left = std::max<Index>(0, for_rounds - simulations.issued());
    const Index before = rounds.empty() ? 0 : rounds.back().kept + rounds.back().simulated;
    const Index target = round_target(options, m, stalled, kept, before, request.rng);
    if (m > first && options.final_fraction > 0 && target - kept > left) {
      observer.log(LogLevel::info,
                   describe_reserve(m, target - kept, left, options.budget - for_rounds));
      converged = stalled_in_a_row > 0;
      break;
    }
    const Index fresh = std::clamp<Index>(target - kept, 0, left);
    observer.context_changed(fmt::format("round {}, prior mass {:.3g}", m, region.mass()));
    simulations.simulate(region, m, fresh, observer);

    rounds.push_back(request.journal.round(m, [&] {
      // Train the 1-d ratios on it, and find the constrained region.  rho_1, Gamma^(m)
      const Dataset data = simulations.inside(region, options.validation_fraction);
      const InferenceOptions used = kind.fit(options, data_size(data));
      TrainedPosterior ratios = request.trainer.train(
          kind, {data, axes, used.round_ensemble, options,
                 request.rng.child("round", static_cast<std::uint64_t>(m)), observer});
      Cut cut = truncate(*ratios.posterior, request.observation, used.truncation);
      return Round{.number = m,
                   .region = region,
                   .kept = kept,
                   .simulated = fresh,
                   .cut = std::move(cut),
                   .training = std::move(ratios.histories),
                   .networks = std::move(ratios.posterior),
                   .estimator = kind.name,
                   .used = fitted_options(used, used.round_ensemble, data.description)};
    }));
    stop_if_requested(observer);

    // Once the budget is spent no other round could tell more than this one.
    const Cut& cut = rounds.back().cut;
    const bool stalls = hardly_shrinks(cut, options), spent = fresh == left;
    stalled += stalls;
    stalled_in_a_row = stalls ? stalled_in_a_row + 1 : 0;
    converged = stalled_in_a_row == options.stop_rounds || (stalls && spent);
    // On stopping the last cut is not made: the data in hand come from the region before it. Nor is
    // one of a round that began with nothing left to simulate, or one that leaves too little data.
    const Index reachable =
        simulations.count_inside(cut.region) + options.budget - simulations.issued();
    const bool last = converged || left == 0 || reachable < kFewestRows;
    observer.log(LogLevel::info, describe(rounds.back(), last));
    if (last) break;
    region = cut.region;
  }

  const int count = static_cast<int>(rounds.size());
  const bool budget_spent = simulations.issued() == options.budget || count < limit;
  FinalTraining final = train_in_final_region(request, region, count);  // rho_2
  return {.posterior = std::move(final.posterior),
          .rounds = std::move(rounds),
          .region = std::move(final.region),
          .rows = final.rows,
          .converged = converged,
          .budget_spent = budget_spent};
}

}  // namespace hone
