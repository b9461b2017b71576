#include "hone/inference/run.h"

#include <algorithm>
#include <array>
#include <functional>

#include "hone/core/error.h"
#include "hone/inference/marginal_grid.h"
#include "hone/inference/run_files.h"
#include "hone/store/array_file.h"
#include "hone/store/files.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

// Cells per axis of the posteriors on disk: fine enough to draw and to read quantiles from.
constexpr Index kCells1d = 1024, kCells2d = 128;

Round read_round(const fs::path& file, int number, int dimensions) {
  return read_json_as(
      file, [&](const nlohmann::json& json) { return round_from_json(json, number, dimensions); });
}

bool has_networks(const fs::path& networks, const std::string& name) {
  return fs::exists(networks / (name + ".h5")) && fs::exists(networks / (name + ".json"));
}

// Finished rounds and networks, on disk.
class DirectoryJournal final : public Journal {
 public:
  DirectoryJournal(fs::path run, const Prior& prior) : run_(std::move(run)), prior_(prior) {}

  Round round(int number, const std::function<Round()>& compute) override {
    const fs::path file = round_file(run_, number);
    if (fs::exists(file)) return read_round(file, number, prior_.dimensions());
    Round round = compute();
    write_json(file, to_json(round));
    return round;
  }

  TrainedEstimator final_estimator(const Region&,
                                   const std::function<TrainedEstimator()>& compute) override {
    const fs::path networks = run_ / "networks";
    if (has_networks(networks, "main")) return read_estimator(networks, "main", prior_);
    TrainedEstimator trained = compute();
    write_estimator(networks, "main", trained);
    return trained;
  }

 private:
  fs::path run_;
  const Prior& prior_;
};

fs::path summary_file(const fs::path& run) {
  return run / "posterior" / "summary.json";
}

fs::path noise_file(const fs::path& run) {
  return run / "noise.h5";
}

std::string extra_name(int number) {
  return fmt::format("extra-{:02}", number);
}

// Simulations that trained the final networks are all there; none is ever asked for.
class NoExecutor final : public Executor {
 public:
  ExecutionSummary run(const SimulationRequest&, const SimulationSink&, Observer&) override {
    fail(ErrorKind::io, "the run is not finished: run `hone resume` first");
  }
};

}  // namespace

void RunSpec::validate() const {
  const auto good = [&](const Marginal& marginal) {
    return !marginal.empty() && marginal.front() >= 0 && marginal.back() < prior.dimensions() &&
           std::ranges::adjacent_find(marginal, std::greater_equal{}) == marginal.end();
  };
  if (marginals.empty() || !std::ranges::all_of(marginals, good)) {
    fail(ErrorKind::input, "marginals: must be lists of ascending parameter indices");
  }
  if (!noise.sigma.empty()) make_noise(noise, prior.dimensions(), std::ssize(observation));
  options.validate(std::ssize(observation));
  simulator.check_budget(options.budget);
}

Run::Run(fs::path directory, RunSpec spec)
    : directory_(std::move(directory)), spec_(std::move(spec)) {}

Run Run::create(const fs::path& directory, RunSpec spec) {
  spec.validate();
  // Killed while it wrote its first files, a run leaves these and nothing else.
  std::error_code ignored;
  if (!fs::exists(directory / "run.json", ignored)) {
    for (const char* file : {"run.json.tmp", "noise.h5", "noise.h5.tmp"}) {
      fs::remove(directory / file, ignored);
    }
  }
  create_run_directory(directory);
  if (!spec.noise.covariance.empty()) {
    const Index size = std::ssize(spec.observation);
    write_arrays(noise_file(directory),
                 std::vector<NamedArray>{{"covariance", {size, size}, spec.noise.covariance}});
  }
  write_json(directory / "run.json", to_json(spec));
  return {directory, std::move(spec)};
}

Run Run::open(const fs::path& directory) {
  const fs::path file = directory / "run.json";
  if (!fs::exists(file)) {
    fail(ErrorKind::input, "{}: not a run of hone (there is no run.json in it)",
         directory.string());
  }
  RunSpec spec = read_json_as(file, run_spec_from_json);
  if (spec.noise.kind == NoiseKind::gaussian && spec.noise.sigma.empty()) {
    const fs::path path = noise_file(directory);
    const auto arrays = read_arrays(path);
    spec.noise.covariance = make_sense_of(path, [&] {
      const Index size = std::ssize(spec.observation);
      const auto values = array_values<double>(arrays, "covariance", std::array{size, size});
      return std::vector<double>(values.begin(), values.end());
    });
  }
  return {directory, std::move(spec)};
}

bool Run::finished() const {
  return fs::exists(summary_file(directory_));
}

bool Run::complete() const {
  const fs::path networks = directory_ / "networks";
  if (!finished() || !has_networks(networks, "main")) return false;
  if (!fs::exists(directory_ / "posterior" / "posterior.h5")) return false;
  const std::optional<SimulationStore> store = simulations();
  if (!store || (spec_.options.spend_all && store->rows() < spec_.options.budget)) return false;
  // Simulations of round m + 1 come from the region that round m found.
  int last = 1;
  store->select([&](const SimulationInfo& info) {
    last = std::max(last, info.round);
    return false;
  });
  return static_cast<int>(rounds().size()) >= last - 1;
}

std::vector<Round> Run::rounds() const {
  std::vector<Round> rounds;
  for (int m = 1; fs::exists(round_file(directory_, m)); ++m) {
    rounds.push_back(read_round(round_file(directory_, m), m, spec_.prior.dimensions()));
  }
  return rounds;
}

std::optional<Summary> Run::summary() const {
  if (!finished()) return std::nullopt;
  return read_json_as(summary_file(directory_), summary_from_json);
}

std::optional<SimulationStore> Run::simulations() const {
  const fs::path store = directory_ / "simulations";
  if (!fs::exists(store / "manifest.json")) return std::nullopt;
  return SimulationStore::open(store, SimulationStore::Access::read);
}

std::vector<RatioEstimator> Run::estimators() const {
  std::vector<RatioEstimator> estimators;
  const fs::path networks = directory_ / "networks";
  if (!has_networks(networks, "main")) return estimators;
  estimators.push_back(read_estimator(networks, "main", spec_.prior).estimator);
  for (int i = 1; has_networks(networks, extra_name(i)); ++i) {
    estimators.push_back(read_estimator(networks, extra_name(i), spec_.prior).estimator);
  }
  return estimators;
}

std::optional<Region> Run::final_region() const {
  const fs::path file = directory_ / "networks" / "main.json";
  if (!fs::exists(file)) return std::nullopt;
  return read_json_as(file, [&](const nlohmann::json& json) {
    return region_from_json(json.at("region"), spec_.prior.dimensions());
  });
}

Run::Inference Run::infer(Executor& executor, Observer& observer) {
  const RunLock lock(directory_);
  const Rng rng(spec_.seed);
  note_noise_of(executor);
  const auto noise = this->noise(executor.noise());
  SimulationStore store = open_store(true, noise.get());
  if (!spec_.simulator.dataset.empty()) load_dataset(store, noise.get(), observer);
  Simulations simulations(spec_.prior, store, executor, rng, noise.get(),
                          spec_.options.max_failed_fraction);
  if (spec_.simulator.kind != SimulatorKind::dataset) {
    simulations.take_existing(spec_.simulator.dataset_rows);
  }
  DirectoryJournal journal(directory_, spec_.prior);
  InferenceResult result =
      tmnre(simulations, spec_.observation, spec_.marginals, spec_.options, journal, rng, observer);
  stop_if_requested(observer);
  return {std::move(result), simulations.issued(), simulations.failed()};
}

Summary Run::execute(Executor& executor, Observer& observer) {
  const Inference inference = infer(executor, observer);
  return write_posterior(inference.result, inference.failed);
}

Summary Run::write_posterior(const InferenceResult& result, Index failed) const {
  const RatioEstimator& estimator = result.final_marginals.estimator;
  const auto names = spec_.prior.names();
  Summary summary;
  std::vector<NamedArray> arrays;
  for (const Marginal& marginal : estimator.marginals()) {
    if (marginal.size() > 2) continue;  // sampled, not gridded
    const MarginalPosterior posterior(estimator, marginal, spec_.observation);
    const MarginalGrid grid = make_grid(posterior, marginal.size() == 1 ? kCells1d : kCells2d);
    for (NamedArray& array : to_arrays(grid, marginal_name(marginal, names))) {
      arrays.push_back(std::move(array));
    }
    if (marginal.size() == 1) {
      summary.parameters.push_back(
          summarize_parameter(grid, names[static_cast<std::size_t>(marginal[0])]));
    }
  }
  summary.warnings = find_warnings(result, summary.parameters, failed, spec_.options);
  create_directories_durably(directory_ / "posterior");
  write_arrays(directory_ / "posterior" / "posterior.h5", arrays);
  write_json(summary_file(directory_), to_json(summary));
  return summary;
}

void Run::train_more(const std::vector<Marginal>& marginals, Observer& observer,
                     const NoiseModel* simulator_noise) {
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
  SimulationStore store = open_store(false, noise.get());
  NoExecutor executor;
  const Rng rng(spec_.seed);
  Simulations simulations(spec_.prior, store, executor, rng, noise.get());
  simulations.simulate(*region, 0, store.rows(), observer);
  const Dataset data = simulations.inside(*region, spec_.options.validation_fraction);
  // The same stream as in execute(): a marginal comes out the same whenever it is trained.
  const TrainedEstimator result = train_marginals(data, missing, spec_.options.ensemble,
                                                  spec_.options, rng.child("final"), observer);
  write_estimator(directory_ / "networks", extra_name(static_cast<int>(trained.size())), result);
}

MarginalPosterior find_posterior(const std::vector<RatioEstimator>& estimators,
                                 const Marginal& marginal, std::span<const double> x) {
  for (const RatioEstimator& estimator : estimators) {
    if (std::ranges::find(estimator.marginals(), marginal) != estimator.marginals().end()) {
      return {estimator, marginal, x};
    }
  }
  if (estimators.empty()) {
    fail(ErrorKind::input, "the run has no posterior yet: run `hone resume` first");
  }
  estimators[0].find(marginal);  // throws with what is there
  throw Error(ErrorKind::input, "the marginal has not been trained");
}

}  // namespace hone
