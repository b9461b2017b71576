#include "hone/run/execute_run.h"

#include "hone/core/error.h"
#include "hone/run/computed_with.h"
#include "hone/run/extend_run.h"
#include "hone/run/finished_run.h"
#include "hone/run/posterior_grids.h"
#include "hone/run/reused_simulations.h"
#include "hone/run/run_inputs.h"
#include "hone/run/run_lock.h"
#include "hone/run/warnings.h"

namespace hone {
namespace {

// Finished rounds and networks, on disk.
class DirectoryJournal final : public Journal {
 public:
  explicit DirectoryJournal(const RunDirectory& run) : run_(run) {}

  Round round(int number, const std::function<Round()>& compute) override {
    if (run_.has_round(number)) return run_.round(number);
    Round round = compute();
    run_.write_round(round);
    return round;
  }

  TrainedPosterior final_posterior(const std::function<TrainedPosterior()>& compute) override {
    if (run_.has_final_posterior()) return run_.final_posterior();
    TrainedPosterior trained = compute();
    run_.write_final_posterior(trained);
    return trained;
  }

  SharedPosterior networks(const Round& round) override {
    return round.networks ? round.networks : run_.round_networks(round);
  }

 private:
  const RunDirectory& run_;
};

// Trains nothing: says that a training is due.
class TrainingIsDue : public std::exception {};
class NoTraining final : public NetworkTrainer {
 public:
  TrainedPosterior train(const EstimatorKind&, const EstimationRequest&) override {
    throw TrainingIsDue();
  }
};

}  // namespace

namespace {

RunInference infer(RunDirectory& run, const RunRequest& request) {
  note_noise_of(run, request.executor);  // first: it is a part of what identifies the run
  note_arithmetic(run, request.exact, request.observer);
  const Rng rng(run.spec().seed);
  const RunSpec& spec = run.spec();
  const auto noise = run_noise(spec, request.executor.noise());
  SimulationStore store = open_run_store(run, run.simulations(), noise.get());
  if (!spec.simulator.dataset.empty()) load_dataset(run, store, noise.get(), request.observer);
  const std::optional<SimulationStore> earlier = reusable_simulations(run, request.observer);
  std::optional<ReusingExecutor> reusing;
  if (earlier) reusing.emplace(request.executor, *earlier);
  Simulations simulations(spec.prior, store, reusing ? *reusing : request.executor, rng,
                          noise.get(), spec.options.max_failed_fraction);
  simulations.set_observation(spec.observation);
  const std::optional<Continuation> start = continuation_of(run);
  if (start) {
    simulations.take_existing(run.extensions().back().simulations);
  } else if (spec.simulator.kind != SimulatorKind::dataset) {
    simulations.take_existing(spec.simulator.dataset_rows);
  }
  DirectoryJournal journal(run);
  std::vector<Marginal> marginals = spec.marginals;
  std::erase_if(marginals, [&](const Marginal& one) { return spec.prior.is_derived(one); });
  InferenceResult result = find_method(spec.options.method)
                               .infer({simulations, spec.observation, marginals, spec.options, rng,
                                       journal, request.observer, request.trainer,
                                       run_likelihood(spec), start ? &*start : nullptr});
  stop_if_requested(request.observer);
  return {std::move(result), simulations.issued(), simulations.failed()};
}

}  // namespace

RunInference infer_run(RunDirectory& run, const RunRequest& request) {
  const RunLock lock(run);
  try {
    return infer(run, request);
  } catch (const Error& error) {
    if (error.advice().action != Action::allow_failures) throw;
    Advice advice = error.advice();  // who counts failures does not know the run
    advice.run = run.path().string();
    throw error.with_advice(std::move(advice));
  }
}

Summary execute_run(RunDirectory& run, const RunRequest& request) {
  return complete_run(run, request).summary;
}

CompletedRun complete_run(RunDirectory& run, const RunRequest& request) {
  const RunInference inference = infer_run(run, request);
  train_derived(run, request.observer, request.executor.noise());
  const RunLock lock(run);
  std::vector<TrainedPosterior> posteriors = run.posteriors();
  PosteriorGrids grids = make_posterior_grids(run, posteriors, Correction{});
  Summary summary{.parameters = std::move(grids.parameters),
                  .warnings = {},
                  .rounds = static_cast<int>(inference.result.rounds.size()),
                  .simulations = inference.simulations};
  summary.warnings =
      find_warnings(inference.result, summary.parameters, inference.failed, run.spec().observation);
  run.remove_correction();  // it was chosen for the posterior that this one replaces
  run.write_posterior(summary, grids.arrays);
  return {std::move(summary), std::move(posteriors)};
}

bool simulate_run(RunDirectory& run, Executor& executor) {
  NoTraining trainer;
  try {
    infer_run(run, {executor, silent_observer(), trainer});
  } catch (const TrainingIsDue&) {
    return true;
  }
  return false;
}

}  // namespace hone
