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

// Finished rounds and networks, on disk.
class DirectoryJournal final : public Journal {
 public:
  DirectoryJournal(fs::path run, const Prior& prior) : run_(std::move(run)), prior_(prior) {}

  Round round(int number, const std::function<Round()>& compute) override {
    const fs::path file = round_file(run_, number);
    if (fs::exists(file)) return read_round(file, number, prior_.dimensions());
    Round round = compute();
    create_directories_durably(file.parent_path());
    write_arrays(round_networks_file(run_, number), round.ratios->to_arrays());
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
  if (spec_.options.method == Method::mnre) return true;
  const std::vector<Round> done = rounds();
  const int count = static_cast<int>(done.size());
  if (count == 0 || count < last - 1) return false;
  // Only when rounds run out is the cut of the last one made.
  return count == spec_.options.max_rounds || final_region() == done.back().region;
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

std::vector<TrainedEstimator> Run::trained() const {
  std::vector<TrainedEstimator> trained;
  const fs::path networks = directory_ / "networks";
  if (!has_networks(networks, "main")) return trained;
  trained.push_back(read_estimator(networks, "main", spec_.prior));
  for (int i = 1; has_networks(networks, extra_name(i)); ++i) {
    trained.push_back(read_estimator(networks, extra_name(i), spec_.prior));
  }
  return trained;
}

std::vector<RatioEstimator> Run::estimators() const {
  std::vector<RatioEstimator> estimators;
  for (TrainedEstimator& one : trained()) estimators.push_back(std::move(one.estimator));
  return estimators;
}

std::optional<RatioEstimator> Run::round_networks(const Round& round) const {
  const fs::path file = round_networks_file(directory_, round.number);
  if (!fs::exists(file)) return std::nullopt;
  const auto arrays = read_arrays(file);
  return make_sense_of(
      file, [&] { return RatioEstimator::from_arrays(spec_.prior, round.region, arrays); });
}

std::optional<Region> Run::final_region() const {
  const fs::path file = directory_ / "networks" / "main.json";
  if (!fs::exists(file)) return std::nullopt;
  return read_json_as(file, [&](const nlohmann::json& json) {
    return region_from_json(json.at("region"), spec_.prior.dimensions());
  });
}

Run::Inference Run::infer(Executor& executor, Observer& observer, MarginalTrainer& trainer) {
  const RunLock lock(directory_);
  const Rng rng(spec_.seed);
  note_noise_of(executor);
  const auto noise = this->noise(executor.noise());
  SimulationStore store = open_store(directory_ / "simulations", true, noise.get());
  if (!spec_.simulator.dataset.empty()) load_dataset(store, noise.get(), observer);
  Simulations simulations(spec_.prior, store, executor, rng, noise.get(),
                          spec_.options.max_failed_fraction);
  if (spec_.simulator.kind != SimulatorKind::dataset) {
    simulations.take_existing(spec_.simulator.dataset_rows);
  }
  DirectoryJournal journal(directory_, spec_.prior);
  InferenceResult result = tmnre(simulations, spec_.observation, spec_.marginals, spec_.options,
                                 journal, rng, observer, trainer);
  stop_if_requested(observer);
  return {std::move(result), simulations.issued(), simulations.failed()};
}

Summary Run::execute(Executor& executor, Observer& observer, MarginalTrainer& trainer) {
  const Inference inference = infer(executor, observer, trainer);
  return write_posterior(inference.result, inference.failed);
}

Summary Run::write_posterior(const InferenceResult& result, Index failed) const {
  Summary summary;
  summary.parameters = write_grids(result.final_marginals.estimator, {}, directory_ / "posterior");
  summary.warnings = find_warnings(result, summary.parameters, failed, spec_.options);
  write_json(summary_file(directory_), to_json(summary));
  return summary;
}

// <directory>/posterior.h5, and what to say about each parameter.
std::vector<ParameterSummary> Run::write_grids(const RatioEstimator& estimator,
                                               const Correction& correction,
                                               const fs::path& directory) const {
  const auto names = spec_.prior.names();
  std::vector<ParameterSummary> parameters;
  std::vector<NamedArray> arrays;
  for (const Marginal& marginal : estimator.marginals()) {
    if (marginal.size() > 2) continue;  // sampled, not gridded
    const MarginalPosterior posterior(estimator, marginal, spec_.observation,
                                      correction.power(marginal));
    const MarginalGrid grid = make_grid(posterior, marginal.size() == 1 ? kCells1d : kCells2d);
    for (NamedArray& array : to_arrays(grid, marginal_name(marginal, names))) {
      arrays.push_back(std::move(array));
    }
    if (marginal.size() == 1) {
      parameters.push_back(summarize_parameter(grid, names[static_cast<std::size_t>(marginal[0])]));
    }
  }
  create_directories_durably(directory);
  write_arrays(directory / "posterior.h5", arrays);
  return parameters;
}

MarginalPosterior find_posterior(const std::vector<RatioEstimator>& estimators,
                                 const Marginal& marginal, std::span<const double> x,
                                 double power) {
  for (const RatioEstimator& estimator : estimators) {
    if (std::ranges::find(estimator.marginals(), marginal) != estimator.marginals().end()) {
      return {estimator, marginal, x, power};
    }
  }
  if (estimators.empty()) {
    fail(ErrorKind::input, "the run has no posterior yet: run `hone resume` first");
  }
  estimators[0].find(marginal);  // throws with what is there
  throw Error(ErrorKind::input, "the marginal has not been trained");
}

}  // namespace hone
