#include "hone/inference/tmnre.h"

#include <algorithm>
#include <cmath>

#include "hone/core/error.h"

namespace hone {
namespace {

// Training needs this many, of which a tenth or so validate. No round asks for less, and no cut is
// made that would leave less.
constexpr Index kFewestRows = 64;

// N^(m): how many simulations round m works with, kept ones included; `before` is N^(m-1). What few
// simulations cannot narrow down, more may: every round so far that hardly shrank the region
// (`stalled`) doubles it.
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

}  // namespace

InferenceResult tmnre(Simulations& simulations, std::span<const double> observation,
                      const std::vector<Marginal>& marginals, const InferenceOptions& options,
                      Journal& journal, const Rng& rng, Observer& observer,
                      MarginalTrainer& trainer) {
  const int dimensions = simulations.prior().dimensions();
  const auto axes = one_dimensional(dimensions);  // rho_1 of the paper
  std::vector<Round> rounds;
  Region region = Region::whole(dimensions);  // Gamma^(1) = supp p(theta)
  bool converged = options.method == Method::mnre;
  int stalled = 0, stalled_in_a_row = 0;

  for (int m = 1; !converged && m <= options.max_rounds; ++m) {
    // Retain the data in the region; simulate what is missing.      D^(m), N_simulate^(m)
    const Index kept = simulations.count_inside(region);
    const Index left = options.budget - simulations.issued();
    const Index before = rounds.empty() ? 0 : rounds.back().kept + rounds.back().simulated;
    const Index fresh =
        std::clamp<Index>(round_target(options, m, stalled, kept, before, rng) - kept, 0, left);
    observer.context_changed(fmt::format("round {}, prior mass {:.3g}", m, region.mass()));
    simulations.simulate(region, m, fresh, observer);

    rounds.push_back(journal.round(m, [&] {
      // Train the 1-d ratios on it, and find the constrained region.  rho_1, Gamma^(m)
      const Dataset data = simulations.inside(region, options.validation_fraction);
      TrainedEstimator ratios =
          trainer.train(data, axes, options.networks(options.round_ensemble, data.rows()), options,
                        rng.child("round", static_cast<std::uint64_t>(m)), observer);
      Cut cut = truncate(ratios.estimator, data.rows(), observation, options.truncation);
      return Round{m,
                   region,
                   kept,
                   fresh,
                   std::move(cut),
                   std::move(ratios.histories),
                   std::make_shared<const RatioEstimator>(std::move(ratios.estimator))};
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

  const bool budget_spent = simulations.issued() == options.budget ||
                            static_cast<int>(rounds.size()) < options.max_rounds;
  observer.context_changed(fmt::format("final region, prior mass {:.3g}", region.mass()));
  // Spend the rest of the budget in the final region and train all marginals there.      rho_2
  const bool enough = !options.spend_all && simulations.count_inside(region) >= kFewestRows;
  simulations.simulate(region, static_cast<int>(rounds.size()) + 1,
                       enough ? 0 : options.budget - simulations.issued(), observer);
  TrainedEstimator final_marginals = journal.final_estimator(region, [&] {
    const Dataset data = simulations.inside(region, options.validation_fraction);
    return trainer.train(data, marginals, options.networks(options.ensemble, data.rows()), options,
                         rng.child("final"), observer);
  });
  // Networks that were found on disk say themselves where they are valid.
  region = final_marginals.estimator.prior().region();
  return {
      std::move(rounds),         region, converged, budget_spent, simulations.count_inside(region),
      std::move(final_marginals)};
}

}  // namespace hone
