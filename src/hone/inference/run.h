#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hone/inference/correction.h"
#include "hone/inference/marginal_posterior.h"
#include "hone/inference/noise_spec.h"
#include "hone/inference/simulator_spec.h"
#include "hone/inference/summary.h"
#include "hone/inference/tmnre.h"
#include "hone/store/run_directory.h"

// A run on disk. Files of a run directory (docs/run-directory.md):
//   run.json                  the resolved problem: everything that decides the result
//   noise.h5                  the covariance of the noise, if there is one
//   simulations/              the store
//   rounds/round-01.json      region, cut and training curves of each finished round
//   rounds/round-01.h5        the networks that decided its cut
//   networks/main.h5, .json   networks of the requested marginals, their region, training curves
//   networks/extra-01.h5      marginals trained later
//   posterior/posterior.h5    1-d and 2-d marginal posteriors on grids
//   posterior/summary.json    table of parameters, warnings; written last: the run is finished
//   checks.json               what the checks found (hone/check/)
//   checks/simulations/       simulations that were made for the checks alone
//   corrected/                the posterior, widened (hone/inference/correction.h)
// Every file is written whole or not at all and holds no time, and only run.json a path (that of an
// external simulator): the same run gives the same bytes, interrupted or not.

namespace hone {

struct RunSpec {
  std::string name;
  SimulatorSpec simulator;  // where simulations come from, for those who open the run later
  NoiseSpec noise = {};     // what training adds to them
  std::uint64_t seed = 1;
  Prior prior;
  std::vector<double> observation;
  std::vector<Marginal> marginals;  // to be trained in the end
  InferenceOptions options;
  void validate() const;  // Error{input}
};

class Run {
 public:
  // A new directory with run.json; refuses a directory that holds anything.
  static Run create(const std::filesystem::path& directory, RunSpec spec);
  static Run open(const std::filesystem::path& directory);

  const std::filesystem::path& directory() const { return directory_; }
  const RunSpec& spec() const { return spec_; }

  // Simulations, rounds and networks, as far as they are not there yet. Takes the run's lock.
  struct Inference {
    InferenceResult result;
    Index simulations = 0;  // asked for, failed ones included
    Index failed = 0;
  };
  Inference infer(Executor& executor, Observer& observer,
                  MarginalTrainer& trainer = local_trainer());

  // The same, and the posterior: everything that is not done yet, up to summary.json.
  Summary execute(Executor& executor, Observer& observer,
                  MarginalTrainer& trainer = local_trainer());

  // More marginals on the simulations of a finished run. Takes the run's lock. If the simulator
  // brings its own noise (spec().noise), that must be given.
  void train_more(const std::vector<Marginal>& marginals, Observer& observer,
                  const NoiseModel* simulator_noise = nullptr,
                  MarginalTrainer& trainer = local_trainer());

  // What has been done so far.
  bool finished() const;
  bool complete() const;  // finished, and no file that execute() would write is missing since
  std::vector<Round> rounds() const;
  std::optional<Summary> summary() const;
  std::optional<SimulationStore> simulations() const;  // nothing before the first
  std::vector<RatioEstimator> estimators() const;      // main, then extra ones
  std::vector<TrainedEstimator> trained() const;       // the same with their training curves
  // The networks that decided the cut of a round; nothing if the run has none of it.
  std::optional<RatioEstimator> round_networks(const Round& round) const;
  std::optional<Region> final_region() const;

  // Simulations inside a region, as training would see them: of the first `issued` that the run
  // asked for, or of all.
  struct Data {
    std::shared_ptr<const NoiseModel> noise;  // which the rows of x use
    Dataset rows;
  };
  Data data_inside(const Region& region, const NoiseModel* simulator_noise = nullptr,
                   std::optional<Index> issued = std::nullopt) const;

  // More simulations inside a region that no training will ever see, in a store of their own:
  // numbers 0 .. count - 1 of it. Takes the run's lock.
  Data test_data(const Region& region, Index count, Executor& executor, Observer& observer) const;

  // The posterior on grids and its summary, widened. Takes the run's lock.
  Summary write_corrected(const Correction& correction) const;
  std::optional<Correction> correction() const;  // nothing: not corrected
  std::optional<Summary> corrected_summary() const;
  void remove_correction() const;  // takes the run's lock

 private:
  Run(std::filesystem::path directory, RunSpec spec);
  void note_noise_of(const Executor& executor);
  std::shared_ptr<const NoiseModel> noise(const NoiseModel* of_simulator) const;
  SimulationStore open_store(const std::filesystem::path& path, bool create,
                             const NoiseModel* noise) const;
  void load_dataset(SimulationStore& store, const NoiseModel* noise, Observer& observer) const;
  Summary write_posterior(const InferenceResult& result, Index failed) const;
  std::vector<ParameterSummary> write_grids(const RatioEstimator& estimator,
                                            const Correction& correction,
                                            const std::filesystem::path& directory) const;

  std::filesystem::path directory_;
  RunSpec spec_;
};

// The posterior of a marginal at the run's observation; Error{input} if it was not trained.
MarginalPosterior find_posterior(const std::vector<RatioEstimator>& estimators,
                                 const Marginal& marginal, std::span<const double> x,
                                 double power = 1);

}  // namespace hone
