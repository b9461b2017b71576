#include "hone/run/run_directory.h"

#include <algorithm>
#include <array>

#include "hone/core/error.h"
#include "hone/files/array_file.h"
#include "hone/files/files.h"
#include "hone/run/run_files.h"
#include "hone/run/run_lock.h"

namespace hone {

namespace fs = std::filesystem;

namespace {

constexpr const char* kFinal = "main";

std::string later_name(std::size_t number) {
  return fmt::format("extra-{:02}", number);
}

}  // namespace

RunDirectory::RunDirectory(fs::path path, RunSpec spec)
    : path_(std::move(path)), spec_(std::move(spec)) {}

bool RunDirectory::is_run(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path / "run.json", ignored);
}

RunDirectory RunDirectory::create(const fs::path& path, RunSpec spec) {
  spec.validate();
  // Killed while it wrote its first files, a run leaves these and nothing else.
  if (!is_run(path)) {
    std::error_code ignored;
    for (const char* file : {"run.json.tmp", "noise.h5", "noise.h5.tmp"}) {
      fs::remove(path / file, ignored);
    }
  }
  create_run_directory(path);
  RunDirectory run(path, std::move(spec));
  if (!run.spec_.noise.covariance.empty()) {
    const Index size = std::ssize(run.spec_.observation);
    write_arrays(run.noise_file(),
                 std::vector<NamedArray>{{"covariance", {size, size}, run.spec_.noise.covariance}});
  }
  write_json(run.spec_file(), to_json(run.spec_));
  return run;
}

RunDirectory RunDirectory::open(const fs::path& path) {
  if (!is_run(path)) {
    fail(ErrorKind::input, "{}: not a run of hone (there is no run.json in it)", path.string());
  }
  RunDirectory run(path, read_json_as(path / "run.json", run_spec_from_json));
  NoiseSpec& noise = run.spec_.noise;
  if (noise.kind == NoiseKind::gaussian && noise.sigma.empty()) {
    const auto arrays = read_arrays(run.noise_file());
    noise.covariance = make_sense_of(run.noise_file(), [&] {
      const Index size = std::ssize(run.spec_.observation);
      const auto values = array_values<double>(arrays, "covariance", std::array{size, size});
      return std::vector<double>(values.begin(), values.end());
    });
  }
  return run;
}

std::string RunDirectory::label() const {
  const fs::path path = fs::absolute(path_).lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).filename().string();
}

void RunDirectory::replace_spec(RunSpec spec) {
  spec_ = std::move(spec);
  write_json(spec_file(), to_json(spec_));
}

bool RunDirectory::finished() const {
  return fs::exists(posterior() / "summary.json");
}

void RunDirectory::require_finished() const {
  if (finished()) return;
  fail_with_advice(
      ErrorKind::input, path_.string() + " is not finished",
      {.before = ": ", .action = Action::resume, .run = path_.string(), .after = " first"});
}

bool RunDirectory::complete() const {
  if (!finished() || !has_final_posterior() || !fs::exists(posterior() / "posterior.h5")) {
    return false;
  }
  const std::optional<SimulationStore> made = store();
  if (!made || (spec_.options.spend_all && made->rows() < spec_.options.budget)) return false;
  const Summary done = *uncorrected_summary();
  // Simulations of round m + 1 come from what round m found: so older versions, whose summary does
  // not count rounds, tell how many there were.
  int rounds = done.rounds;
  made->select([&](const SimulationInfo& info) {
    rounds = std::max(rounds, info.round - 1);
    return false;
  });
  for (int m = 1; m <= rounds; ++m) {
    if (!has_round(m)) return false;
  }
  return made->rows() >= done.simulations;
}

std::optional<SimulationStore> RunDirectory::store() const {
  if (!SimulationStore::exists(simulations())) return std::nullopt;
  return SimulationStore::open(simulations(), SimulationStore::Access::read);
}

fs::path RunDirectory::round_file(int number) const {
  return path_ / "rounds" / fmt::format("round-{:02}.json", number);
}

fs::path RunDirectory::round_networks_file(int number) const {
  return round_file(number).replace_extension(".h5");
}

bool RunDirectory::has_round(int number) const {
  return fs::exists(round_file(number));
}

Round RunDirectory::round(int number) const {
  return read_json_as(round_file(number), [&](const nlohmann::json& json) {
    return round_from_json(json, number, spec_.prior.dimensions());
  });
}

std::vector<Round> RunDirectory::rounds() const {
  std::vector<Round> rounds;
  for (int m = 1; has_round(m); ++m) rounds.push_back(round(m));
  return rounds;
}

void RunDirectory::write_round(const Round& round) const {
  const fs::path file = round_file(round.number);
  create_directories_durably(file.parent_path());
  write_arrays(round_networks_file(round.number), round.networks->to_arrays());
  write_json(file, to_json(round));
}

SharedPosterior RunDirectory::round_networks(const Round& round) const {
  const fs::path file = round_networks_file(round.number);
  if (!fs::exists(file)) return nullptr;
  const auto arrays = read_arrays(file);
  return make_sense_of(file, [&] {
    return find_estimator(round.estimator).load(spec_.prior, round.region, arrays);
  });
}

bool RunDirectory::has_final_posterior() const {
  return has_posterior(networks(), kFinal);
}

TrainedPosterior RunDirectory::final_posterior() const {
  return read_posterior(networks(), kFinal, spec_.prior);
}

void RunDirectory::write_final_posterior(const TrainedPosterior& trained) const {
  hone::write_posterior(networks(), kFinal, trained);
}

std::vector<TrainedPosterior> RunDirectory::posteriors() const {
  std::vector<TrainedPosterior> trained;
  if (!has_final_posterior()) return trained;
  trained.push_back(final_posterior());
  while (has_posterior(networks(), later_name(trained.size()))) {
    trained.push_back(read_posterior(networks(), later_name(trained.size()), spec_.prior));
  }
  return trained;
}

void RunDirectory::add_posterior(const TrainedPosterior& trained) const {
  std::size_t number = 1;
  while (has_posterior(networks(), later_name(number))) ++number;
  hone::write_posterior(networks(), later_name(number), trained);
}

std::optional<Region> RunDirectory::final_region() const {
  if (!has_description(networks(), kFinal)) return std::nullopt;
  return read_description(networks(), kFinal, spec_.prior.dimensions()).region;
}

std::vector<MemberHistory> RunDirectory::final_training() const {
  if (!has_description(networks(), kFinal)) return {};
  return read_description(networks(), kFinal, spec_.prior.dimensions()).histories;
}

std::optional<Summary> RunDirectory::uncorrected_summary() const {
  if (!finished()) return std::nullopt;
  return read_json_as(posterior() / "summary.json", summary_from_json);
}

std::optional<Summary> RunDirectory::summary() const {
  if (!correction()) return uncorrected_summary();
  return read_json_as(corrected() / "summary.json", summary_from_json);
}

std::vector<MarginalGrid> RunDirectory::grids() const {
  require_finished();
  const fs::path file = (correction() ? corrected() : posterior()) / "posterior.h5";
  const std::vector<NamedArray> arrays = read_arrays(file);
  return make_sense_of(file, [&] {
    std::vector<MarginalGrid> grids;
    for (const Marginal& marginal : spec_.marginals) {
      if (marginal.size() > 2) continue;
      grids.push_back(
          grid_from_arrays(arrays, marginal_name(marginal, spec_.prior.names()), marginal));
    }
    return grids;
  });
}

std::optional<Correction> RunDirectory::correction() const {
  const fs::path file = corrected() / "correction.json";
  if (!fs::exists(file)) return std::nullopt;
  return read_json_as(file, correction_from_json);
}

void RunDirectory::write_posterior(const Summary& summary,
                                   const std::vector<NamedArray>& grids) const {
  create_directories_durably(posterior());
  write_arrays(posterior() / "posterior.h5", grids);
  write_json(posterior() / "summary.json", to_json(summary));
}

void RunDirectory::write_corrected(const Summary& summary, const std::vector<NamedArray>& grids,
                                   const Correction& correction) const {
  fs::remove(corrected() / "correction.json");  // written last: then all of it is there
  create_directories_durably(corrected());
  write_arrays(corrected() / "posterior.h5", grids);
  write_json(corrected() / "summary.json", to_json(summary));
  write_json(corrected() / "correction.json", to_json(correction));
}

void RunDirectory::remove_correction() const {
  for (const char* file : {"correction.json", "summary.json", "posterior.h5"}) {
    fs::remove(corrected() / file);
  }
  std::error_code ignored;
  fs::remove(corrected(), ignored);
}

}  // namespace hone
