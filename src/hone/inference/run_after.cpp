// What can be done with a finished run: more marginals, test draws, a correction.
#include <algorithm>

#include "hone/core/error.h"
#include "hone/inference/run.h"
#include "hone/inference/run_files.h"
#include "hone/store/files.h"

namespace hone {

namespace fs = std::filesystem;

namespace {

// Simulations that trained the final networks are all there; none is ever asked for.
class NoExecutor final : public Executor {
 public:
  ExecutionSummary run(const SimulationRequest&, const SimulationSink&, Observer&) override {
    fail(ErrorKind::io, "the run is not finished: run `hone resume` first");
  }
};

fs::path corrected(const fs::path& run, const char* file) {
  return run / "corrected" / file;
}

}  // namespace

void Run::train_more(const std::vector<Marginal>& marginals, Observer& observer,
                     const NoiseModel* simulator_noise, MarginalTrainer& trainer) {
  const RunLock lock(directory_);
  const std::optional<Region> region = final_region();
  if (!region || !finished()) {
    fail(ErrorKind::input, "{} is not finished: run `hone resume {}` first", directory_.string(),
         directory_.string());
  }
  std::vector<Marginal> missing;
  const auto trained = estimators();
  for (const Marginal& marginal : marginals) {
    const bool known = std::ranges::any_of(trained, [&](const RatioEstimator& one) {
      return std::ranges::find(one.marginals(), marginal) != one.marginals().end();
    });
    if (!known) missing.push_back(marginal);
  }
  if (missing.empty()) return;
  const auto noise = this->noise(simulator_noise);
  SimulationStore store = open_store(directory_ / "simulations", false, noise.get());
  NoExecutor executor;
  const Rng rng(spec_.seed);
  Simulations simulations(spec_.prior, store, executor, rng, noise.get());
  simulations.simulate(*region, 0, store.rows(), observer);
  const Dataset data = simulations.inside(*region, spec_.options.validation_fraction);
  // The same stream as in execute(): a marginal comes out the same whenever it is trained.
  const TrainedEstimator result =
      trainer.train(data, missing, spec_.options.networks(spec_.options.ensemble, data.rows()),
                    spec_.options, rng.child("final"), observer);
  write_estimator(directory_ / "networks", extra_name(static_cast<int>(trained.size())), result);
}

Run::Data Run::data_inside(const Region& region, const NoiseModel* simulator_noise,
                           std::optional<Index> issued) const {
  SimulationStore store =
      SimulationStore::open(directory_ / "simulations", SimulationStore::Access::read);
  auto noise = this->noise(simulator_noise);
  NoExecutor executor;
  Simulations simulations(spec_.prior, store, executor, Rng(spec_.seed), noise.get());
  simulations.simulate(region, 0, std::min(issued.value_or(store.rows()), store.rows()),
                       silent_observer());
  Dataset rows = simulations.inside(region, spec_.options.validation_fraction);
  return {std::move(noise), std::move(rows)};
}

Run::Data Run::test_data(const Region& region, Index count, Executor& executor,
                         Observer& observer) const {
  const RunLock lock(directory_);
  auto noise = this->noise(executor.noise());
  SimulationStore store = open_store(directory_ / "checks" / "simulations", true, noise.get());
  Simulations simulations(spec_.prior, store, executor, Rng(spec_.seed).child("check"), noise.get(),
                          spec_.options.max_failed_fraction);
  simulations.simulate(region, 0, count, observer);
  Dataset rows = simulations.inside(region, spec_.options.validation_fraction);
  return {std::move(noise), std::move(rows)};
}

Summary Run::write_corrected(const Correction& correction) const {
  const RunLock lock(directory_);
  const auto trained = estimators();
  HONE_ASSERT(!trained.empty() && summary());
  Summary result = *summary();
  fs::remove(corrected(directory_, "correction.json"));  // written last: then all of it is there
  result.parameters = write_grids(trained[0], correction, directory_ / "corrected");
  write_json(corrected(directory_, "summary.json"), to_json(result));
  write_json(corrected(directory_, "correction.json"), to_json(correction));
  return result;
}

std::optional<Correction> Run::correction() const {
  const fs::path file = corrected(directory_, "correction.json");
  if (!fs::exists(file)) return std::nullopt;
  return read_json_as(file, correction_from_json);
}

std::optional<Summary> Run::corrected_summary() const {
  if (!correction()) return std::nullopt;
  return read_json_as(corrected(directory_, "summary.json"), summary_from_json);
}

void Run::remove_correction() const {
  const RunLock lock(directory_);
  for (const char* file : {"correction.json", "summary.json", "posterior.h5"}) {
    fs::remove(corrected(directory_, file));
  }
  std::error_code ignored;
  fs::remove(directory_ / "corrected", ignored);
}

}  // namespace hone
