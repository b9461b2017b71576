#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "hone/inference/method.h"
#include "hone/posterior/correction.h"
#include "hone/posterior/marginal_grid.h"
#include "hone/posterior/summary.h"
#include "hone/run/run_files.h"
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
//   networks/extra-01.h5      marginals trained later, and those of derived quantities
//   posterior/posterior.h5    1-d and 2-d marginal posteriors on grids
//   posterior/summary.json    table of parameters, warnings; written last: the run is finished
//   corrected/                the posterior, widened (hone/posterior/correction.h)
//   extensions.json           larger budgets that the run was given later
//   derived.json              derived quantities that the run was given later
//   extended-01/              networks/, posterior/, corrected/, checks.json, checks/ of the state
//                             after the first of them; the state before stays as it was
//   checks.json               what the checks found (hone/check/)
//   checks/simulations/       simulations that were made for the checks alone
//   networks/joint.h5         the joint posterior of all parameters, once it was needed
//   networks/joint_check.json what its check found
//   predictive/               simulations from the posterior, and what they say (predict_run.h)
//   chunks/                   simulations divided for a job array (chunk_files.h)
//   simulator.log             what external simulators wrote to standard error
//   progress.json, lock       while a process works on it
//   report.html, figures/     the report (hone/report/)
// Every file is written whole or not at all and holds no time, and only run.json a path (that of an
// external simulator): the same run gives the same bytes, interrupted or not. All but the last
// three lines carry a seal with a checksum, the identity of the run and their name in it; a file
// that was changed, or belongs elsewhere, is refused. Runs of the formats before that have no
// identity: what can be read of them is believed.

namespace hone {

// What to say of a run that is not verified().
inline constexpr const char* kNotVerified =
    "an older version of hone made this run, whose files carry no checksums: it cannot be verified "
    "that they are what hone wrote";

// A larger budget that a finished run was given later (extend_run.h), and what it had before.
struct Extension {
  Index budget = 0;       // simulations in all, those before included
  int rounds = 0;         // before
  Index simulations = 0;  // before
  bool operator==(const Extension&) const = default;
};

nlohmann::ordered_json to_json(const std::vector<Extension>& extensions);
// Error{io} unless budgets grow from the first one on.
std::vector<Extension> extensions_from_json(const nlohmann::json& json, Index first_budget);

class RunDirectory {
 public:
  // A new directory with run.json; refuses a directory that holds anything. Of several processes
  // that try at the same time one succeeds.
  static RunDirectory create(const std::filesystem::path& path, RunSpec spec);
  static RunDirectory open(const std::filesystem::path& path);
  static bool is_run(const std::filesystem::path& path);  // is there a run.json?

  const std::filesystem::path& path() const { return path_; }
  bool verified() const { return identity_ != 0; }  // false: of an old format
  std::string label() const;                        // the last part of the path, for people
  const RunSpec& spec() const { return spec_; }     // with the budget of the last extension

  // A run that is extended has several states: number 0 as it was first finished, then one per
  // extension. All of what follows is about the last one.
  const std::vector<Extension>& extensions() const { return extensions_; }
  void add_extension(const Extension& extension);
  Index first_budget() const { return first_budget_; }
  // Derived quantities that spec() has from now on, with their marginals.
  void add_derived(const std::vector<DerivedQuantity>& derived,
                   const std::vector<Marginal>& marginals);
  RunDirectory state(std::size_t number) const;  // the run as it was with fewer extensions
  // False: another process has extended it or added to it since it was opened. RunLock asks.
  bool is_current() const;
  void replace_spec(RunSpec spec);  // and write it; before there is any file but run.json

  std::filesystem::path spec_file() const { return path_ / "run.json"; }
  RunFile computed_with_file() const { return file("computed_with.json"); }
  RunFile checks_file() const { return state_file("checks.json"); }
  RunFile joint_check_file() const { return state_file("networks/joint_check.json"); }
  RunFile simulations() const { return file("simulations"); }
  RunFile check_simulations() const { return state_file("checks/simulations"); }
  RunFile predictive_simulations(const std::string& from) const {
    return state_file("predictive/" + from + "/simulations");
  }
  RunFile predictive_file() const { return state_file("predictive/predictive.json"); }
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
  void require_complete() const;  // and Error{io} if files have gone

  std::optional<SimulationStore> store() const;  // to read; nothing before the first simulation

  std::vector<Round> rounds() const;  // Error{io} if one of a finished run is gone
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
  std::optional<TrainedPosterior> joint_posterior() const;  // trained for joint_draws()
  void write_joint_posterior(const TrainedPosterior& trained) const;
  void add_posterior(const TrainedPosterior& trained) const;  // after all that are there
  // Marginals of spec() with derived quantities for which there are no networks yet.
  std::vector<Marginal> untrained_derived() const;
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

  // Simulations that a caller handed over as arrays.
  static std::filesystem::path dataset_file(const std::filesystem::path& run) {
    return run / "dataset.npz";
  }

  // Names inside a run, for what must know them without a RunDirectory.
  static constexpr const char* kSpecName = "run.json";
  static constexpr const char* kNoiseName = "noise.h5";
  static constexpr const char* kLockName = "lock";
  static constexpr const char* kComputedWithName = "computed_with.json";
  static constexpr const char* kChecksName = "checks.json";
  static constexpr const char* kExtensionsName = "extensions.json";
  static constexpr const char* kDerivedName = "derived.json";
  static constexpr const char* kCorrectedFolder = "corrected/";
  static constexpr const char* kLaterNetworks = "networks/extra-";  // begins so

 private:
  RunDirectory(std::filesystem::path path, RunSpec spec, std::uint64_t identity);
  RunFile file(const std::string& name) const { return {path_, {identity_, name}}; }
  std::string state_prefix() const;  // "extended-01/"; empty for the first state
  RunFile state_file(const std::string& name) const { return file(state_prefix() + name); }
  std::vector<Extension> read_extensions() const;
  void set_extensions(std::vector<Extension> extensions);
  void set_derived(const nlohmann::json& json);
  RunFile round_file(int number) const;  // without its ending
  RunFile final_networks() const { return state_file("networks/main"); }
  RunFile later_networks(std::size_t number) const;
  RunFile posterior(const std::string& name) const { return state_file("posterior/" + name); }
  RunFile corrected(const std::string& name) const { return state_file("corrected/" + name); }
  int rounds_made() const;

  std::filesystem::path path_;
  RunSpec spec_;
  std::uint64_t identity_;
  Index first_budget_ = 0;  // that of run.json
  std::vector<Extension> extensions_ = {};
};

}  // namespace hone
