#include "hone/inference/run.h"

#include <algorithm>
#include <functional>

#include "hone/core/error.h"
#include "hone/inference/marginal_grid.h"
#include "hone/inference/problem_file.h"
#include "hone/inference/run_files.h"
#include "hone/store/array_file.h"
#include "hone/store/dataset_file.h"
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

std::string extra_name(int number) {
  return fmt::format("extra-{:02}", number);
}

// Puts an existing data set into the store: rows 0, 1, ... are what the algorithm asks for first.
void load_dataset(SimulationStore& store, const RunSpec& spec, Observer& observer) {
  const DatasetSource source = dataset_source(spec.simulator);
  const SimulationRows rows =
      dataset_rows(read_dataset(source, spec.prior.names()), spec.prior, source);
  for (const std::string& mismatch : prior_mismatches(rows, spec.prior)) {
    observer.log(LogLevel::warning, mismatch);
  }
  append_missing(store, rows);
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
  options.validate();
  options.embedding.validate(static_cast<Index>(observation.size()));
}

Run::Run(fs::path directory, RunSpec spec)
    : directory_(std::move(directory)), spec_(std::move(spec)) {}

Run Run::create(const fs::path& directory, RunSpec spec) {
  spec.validate();
  // Killed while it wrote its first file, a run leaves this and nothing else.
  std::error_code ignored;
  fs::remove(directory / "run.json.tmp", ignored);
  create_run_directory(directory);
  write_json(directory / "run.json", to_json(spec));
  return {directory, std::move(spec)};
}

Run Run::open(const fs::path& directory) {
  const fs::path file = directory / "run.json";
  if (!fs::exists(file)) {
    fail(ErrorKind::input, "{}: not a run of hone (there is no run.json in it)",
         directory.string());
  }
  return {directory, read_json_as(file, run_spec_from_json)};
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

SimulationStore Run::open_store(bool create) const {
  const fs::path path = directory_ / "simulations";
  if (create && !fs::exists(path / "manifest.json")) {
    return SimulationStore::create(path, {.parameters = spec_.prior.names(),
                                          .data_size = static_cast<Index>(spec_.observation.size()),
                                          .precision = Precision::float32});
  }
  SimulationStore store = SimulationStore::open(path, SimulationStore::Access::write);
  if (store.schema().parameters != spec_.prior.names() ||
      store.schema().data_size != static_cast<Index>(spec_.observation.size())) {
    fail(ErrorKind::io, "{}: its parameters or data size are not those of {}",
         (path / "manifest.json").string(), (directory_ / "run.json").string());
  }
  return store;
}

Run::Inference Run::infer(Executor& executor, Observer& observer) {
  const RunLock lock(directory_);
  const Rng rng(spec_.seed);
  SimulationStore store = open_store(true);
  if (spec_.simulator.kind == SimulatorKind::dataset) load_dataset(store, spec_, observer);
  Simulations simulations(spec_.prior, store, executor, rng);
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

void Run::train_more(const std::vector<Marginal>& marginals, Observer& observer) {
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
  SimulationStore store = open_store(false);
  NoExecutor executor;
  const Rng rng(spec_.seed);
  Simulations simulations(spec_.prior, store, executor, rng);
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
