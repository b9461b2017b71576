#include "hone/run/finished_run.h"

#include <algorithm>

#include "hone/core/error.h"
#include "hone/estimate/derived_data.h"
#include "hone/prior/derived_axes.h"
#include "hone/problem/problem.h"
#include "hone/run/computed_with.h"
#include "hone/run/posterior_grids.h"
#include "hone/run/run_inputs.h"
#include "hone/run/run_lock.h"

namespace hone {
namespace {

void add_derived_networks(const RunDirectory& run, const std::vector<Marginal>& marginals,
                          Observer& observer, const NoiseModel* simulator_noise) {
  if (marginals.empty()) return;
  const RunSpec& spec = run.spec();
  const Rng rng = Rng(spec.seed).child("final");
  RunData data = training_data(run, *run.final_region(), simulator_noise);
  data.rows = with_derived(std::move(data.rows), rng);
  const EstimatorKind& kind = find_method(spec.options.method).estimator();
  // A likelihood would have to know that quantities determine each other.
  InferenceOptions options = spec.options;
  options.estimators = Estimators::ratio;
  const int ensemble = kind.fit(options, data_size(data.rows)).ensemble;
  observer.context_changed("derived quantities");
  run.add_posterior(estimate(kind, {data.rows, marginals, ensemble, options, rng, observer}));
}

}  // namespace

void train_derived(const RunDirectory& run, Observer& observer, const NoiseModel* simulator_noise) {
  const RunLock lock(run);
  add_derived_networks(run, run.untrained_derived(), observer, simulator_noise);
}

void derive_more(RunDirectory& run, const std::vector<DerivedQuantity>& derived, Observer& observer,
                 const NoiseModel* simulator_noise) {
  run.require_finished();
  std::vector<DerivedQuantity> fresh;
  std::ranges::copy_if(derived, std::back_inserter(fresh), [&](const DerivedQuantity& one) {
    return std::ranges::none_of(run.spec().prior.derived(), [&](const DerivedQuantity& known) {
      return known.name == one.name && known.value == one.value;
    });
  });
  if (!fresh.empty()) {
    const Prior& before = run.spec().prior;
    const Prior after = before.with_derived(fresh);
    const auto marginals = marginals_of_new(after, before.quantities());
    // What cannot be inferred must not be recorded: the run would miss its networks for ever.
    with_derived_axes(TruncatedPrior(after, *run.final_region()));
    const RunLock lock(run);
    std::filesystem::remove(run.checks_file().path());  // they know nothing of the new ones
    run.add_derived(fresh, marginals);
  }
  train_derived(run, observer, simulator_noise);
  const Correction correction = run.correction().value_or(Correction{});
  if (!correction.powers.empty()) correct_posterior(run, correction);
  const RunLock lock(run);
  Summary summary = run.uncorrected_summary().value();
  PosteriorGrids grids = make_posterior_grids(run, Correction{});
  summary.parameters = std::move(grids.parameters);
  run.write_posterior(summary, grids.arrays);
}

void train_more(const RunDirectory& run, const std::vector<Marginal>& marginals, Observer& observer,
                const NoiseModel* simulator_noise, NetworkTrainer& trainer) {
  const RunLock lock(run);
  run.require_complete();
  note_arithmetic(run, false, observer);
  const std::vector<TrainedPosterior> trained = run.posteriors();
  std::vector<Marginal> missing;
  std::ranges::copy_if(marginals, std::back_inserter(missing), [&](const Marginal& marginal) {
    return std::ranges::none_of(
        trained, [&](const TrainedPosterior& one) { return one.posterior->has(marginal); });
  });
  if (missing.empty()) return;
  const auto derived = std::partition(missing.begin(), missing.end(), [&](const Marginal& one) {
    return !run.spec().prior.is_derived(one);
  });
  add_derived_networks(run, {derived, missing.end()}, observer, simulator_noise);
  missing.erase(derived, missing.end());
  if (missing.empty()) return;
  const AmortizedPosterior& main = *trained.at(0).posterior;
  if (const SharedPosterior more = main.with_marginals(missing)) {
    run.add_posterior({more});
    return;
  }
  const RunSpec& spec = run.spec();
  const Region& region = main.prior().region();
  const RunData data = training_data(run, region, simulator_noise);
  const EstimatorKind& kind = find_method(spec.options.method).estimator();
  const int ensemble = kind.fit(spec.options, data_size(data.rows)).ensemble;
  // The same stream as in execute_run(): the networks of a marginal come out the same whenever they
  // are trained.
  run.add_posterior(trainer.train(
      kind, {data.rows, missing, ensemble, spec.options, Rng(spec.seed).child("final"), observer}));
}

RunData training_data(const RunDirectory& run, const Region& region,
                      const NoiseModel* simulator_noise, std::optional<Index> issued, Index first) {
  const RunSpec& spec = run.spec();
  const RunFile directory = run.simulations();
  SimulationStore store =
      SimulationStore::open(directory.path(), SimulationStore::Access::read, directory.mark);
  auto noise = run_noise(spec, simulator_noise);
  Simulations simulations(spec.prior, store, no_executor(), Rng(spec.seed), noise.get());
  simulations.set_observation(spec.observation);
  simulations.take_existing(std::min(issued.value_or(store.rows()), store.rows()));
  Dataset rows = simulations.inside(region, spec.options.validation_fraction, first);
  return {std::move(noise), std::move(rows)};
}

RunData test_data(const RunDirectory& run, const Region& region, Index count, Executor& executor,
                  Observer& observer) {
  const RunLock lock(run);
  const RunSpec& spec = run.spec();
  auto noise = run_noise(spec, executor.noise());
  SimulationStore store = open_run_store(run, run.check_simulations(), noise.get());
  Simulations simulations(spec.prior, store, executor, Rng(spec.seed).child("check"), noise.get(),
                          spec.options.max_failed_fraction);
  simulations.set_observation(spec.observation);
  simulations.simulate(region, 0, count, observer);
  Dataset rows = simulations.inside(region, spec.options.validation_fraction);
  return {std::move(noise), std::move(rows)};
}

Index known_test_draws(const RunDirectory& run) {
  const RunFile directory = run.check_simulations();
  if (!SimulationStore::exists(directory.path())) return 0;
  const SimulationStore store =
      SimulationStore::open(directory.path(), SimulationStore::Access::read, directory.mark);
  Index count = 0;
  while (store.contains(count)) ++count;
  return count;
}

void correct_posterior(const RunDirectory& run, const Correction& correction) {
  const RunLock lock(run);
  Summary summary = run.uncorrected_summary().value();
  PosteriorGrids grids = make_posterior_grids(run, correction);
  summary.parameters = std::move(grids.parameters);
  run.write_corrected(summary, grids.arrays, correction);
}

void remove_correction(const RunDirectory& run) {
  const RunLock lock(run);
  run.remove_correction();
}

MarginalPosterior find_posterior(const std::vector<TrainedPosterior>& posteriors,
                                 const Marginal& marginal, std::span<const double> x,
                                 double power) {
  if (posteriors.empty()) {
    fail_with_advice(ErrorKind::input, "the run has no posterior yet",
                     {.before = ": ", .action = Action::resume, .after = " first"});
  }
  for (const TrainedPosterior& one : posteriors) {
    if (one.posterior->has(marginal)) return {*one.posterior, marginal, x, power};
  }
  posteriors[0].posterior->find(marginal);  // throws with what is there
  throw Error(ErrorKind::input, "the marginal has not been trained");
}

}  // namespace hone
