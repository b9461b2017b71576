#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "hone/inference/method.h"
#include "hone/posterior/correction.h"
#include "hone/posterior/marginal_grid.h"
#include "hone/posterior/summary.h"
#include "hone/run/run_spec.h"
#include "hone/store/simulation_store.h"

// A run on disk: its paths and the values in its files. Nobody else spells a path of a run
// (docs/run-directory.md). What is done with a run: execute_run.h, finished_run.h.
//
//   run.json                  the resolved problem: everything that decides the result
//   noise.h5                  the covariance of the noise, if there is one
//   simulations/              the store
//   rounds/round-01.json      region, cut and training curves of each finished round
//   rounds/round-01.h5        the networks that decided its cut
//   networks/main.h5, .json   networks of the requested marginals, their region, training curves
//   networks/extra-01.h5      marginals trained later
//   posterior/posterior.h5    1-d and 2-d marginal posteriors on grids
//   posterior/summary.json    table of parameters, warnings; written last: the run is finished
//   corrected/                the posterior, widened (hone/posterior/correction.h)
//   checks.json               what the checks found (hone/check/)
//   checks/simulations/       simulations that were made for the checks alone
//   chunks/                   simulations divided for a job array (chunk_files.h)
//   simulator.log             what external simulators wrote to standard error
//   progress.json, lock       while a process works on it
//   report.html, figures/     the report (hone/report/)
// Every file is written whole or not at all and holds no time, and only run.json a path (that of an
// external simulator): the same run gives the same bytes, interrupted or not.

namespace hone {

class RunDirectory {
 public:
  // A new directory with run.json; refuses a directory that holds anything.
  static RunDirectory create(const std::filesystem::path& path, RunSpec spec);
  static RunDirectory open(const std::filesystem::path& path);
  static bool is_run(const std::filesystem::path& path);  // is there a run.json?

  const std::filesystem::path& path() const { return path_; }
  std::string label() const;  // the last part of the path, for people
  const RunSpec& spec() const { return spec_; }
  void replace_spec(RunSpec spec);  // and write it

  std::filesystem::path spec_file() const { return path_ / "run.json"; }
  std::filesystem::path simulations() const { return path_ / "simulations"; }
  std::filesystem::path check_simulations() const { return path_ / "checks" / "simulations"; }
  std::filesystem::path checks_file() const { return path_ / "checks.json"; }
  std::filesystem::path chunks() const { return path_ / "chunks"; }
  std::filesystem::path simulator_log() const { return path_ / "simulator.log"; }
  std::filesystem::path progress_file() const { return path_ / "progress.json"; }
  std::filesystem::path lock_file() const { return path_ / "lock"; }
  std::filesystem::path report_page() const { return path_ / "report.html"; }
  std::filesystem::path figures() const { return path_ / "figures"; }

  // What has been done so far.
  bool finished() const;
  bool complete() const;  // finished, and no file that execute_run() would write is missing since
  void require_finished() const;  // Error{input} with what to do

  std::optional<SimulationStore> store() const;  // to read; nothing before the first simulation

  std::vector<Round> rounds() const;
  bool has_round(int number) const;
  Round round(int number) const;
  void write_round(const Round& round) const;
  // The networks that decided the cut of a round; null if the run has none of it.
  SharedPosterior round_networks(const Round& round) const;

  // The posteriors of the run: those that were asked for, then those trained later.
  std::vector<TrainedPosterior> posteriors() const;
  bool has_final_posterior() const;
  TrainedPosterior final_posterior() const;
  void write_final_posterior(const TrainedPosterior& trained) const;
  void add_posterior(const TrainedPosterior& trained) const;  // after all that are there
  std::optional<Region> final_region() const;
  std::vector<MemberHistory> final_training() const;  // without reading networks

  // What is reported: the posterior of the networks, or if there is a correction the widened one.
  std::optional<Summary> summary() const;
  std::vector<MarginalGrid> grids() const;       // of all 1-d and 2-d marginals that were asked for
  std::optional<Correction> correction() const;  // nothing: not corrected
  // Before any correction.
  std::optional<Summary> uncorrected_summary() const;

  void write_posterior(const Summary& summary, const std::vector<NamedArray>& grids) const;
  void write_corrected(const Summary& summary, const std::vector<NamedArray>& grids,
                       const Correction& correction) const;
  void remove_correction() const;

 private:
  RunDirectory(std::filesystem::path path, RunSpec spec);
  std::filesystem::path noise_file() const { return path_ / "noise.h5"; }
  std::filesystem::path round_file(int number) const;
  std::filesystem::path round_networks_file(int number) const;
  std::filesystem::path networks() const { return path_ / "networks"; }
  std::filesystem::path posterior() const { return path_ / "posterior"; }
  std::filesystem::path corrected() const { return path_ / "corrected"; }

  std::filesystem::path path_;
  RunSpec spec_;
};

}  // namespace hone
