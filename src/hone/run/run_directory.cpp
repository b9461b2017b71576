#include "hone/run/run_directory.h"

#include <algorithm>
#include <array>

#include "hone/core/error.h"
#include "hone/files/array_file.h"
#include "hone/files/files.h"
#include "hone/files/sealed_json.h"
#include "hone/prior/derived_axes.h"
#include "hone/run/run_files.h"
#include "hone/run/run_lock.h"

namespace hone {

namespace fs = std::filesystem;

namespace {

constexpr const char* kSpec = "run.json";
constexpr const char* kNoise = "noise.h5";

// The identity of a run: what its run.json says, or 0 for a run that is older than identities.
std::uint64_t identity_in(const RunFile& file, const std::string& text) {
  return make_sense_of(file, [&]() -> std::uint64_t {
    if (!has_seal(text) && parse_json(text).at("format") < kFirstSealedFormat) return 0;
    const FileMark mark = verify_sealed_json(text);
    if (mark.name != kSpec) fail(ErrorKind::io, "it is a copy of {}", mark.name);
    return mark.run;
  });
}

}  // namespace

RunDirectory::RunDirectory(fs::path path, RunSpec spec, std::uint64_t identity)
    : path_(std::move(path)),
      spec_(std::move(spec)),
      identity_(identity),
      first_budget_(spec_.options.budget) {}

bool RunDirectory::is_run(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path / kSpec, ignored);
}

RunDirectory RunDirectory::create(const fs::path& path, RunSpec spec) {
  spec.validate();
  // The test that derived quantities must pass in the end, while nothing is simulated yet.
  if (!spec.prior.derived().empty()) {
    with_derived_axes(TruncatedPrior(spec.prior, Region::whole(spec.prior.dimensions())));
  }
  const std::uint64_t number = identity(spec);
  RunDirectory run(path, std::move(spec), number);
  const RunLock lock = claim_run_directory(path);
  if (!run.spec_.noise.covariance.empty()) {
    const Index size = std::ssize(run.spec_.observation);
    write_run_arrays(run.file(kNoise), {{"covariance", {size, size}, run.spec_.noise.covariance}});
  }
  write_json(run.file(kSpec), to_json(run.spec_));
  return run;
}

RunDirectory RunDirectory::open(const fs::path& path) {
  if (!is_run(path)) {
    fail(ErrorKind::input, "{}: not a run of hone (there is no run.json in it)", path.string());
  }
  const RunFile file{path, {0, kSpec}};
  const std::string text = read_file(file.path());
  const std::uint64_t number = identity_in(file, text);
  RunSpec spec = make_sense_of(file, [&] { return run_spec_from_json(parse_json(text)); });
  RunDirectory run(path, std::move(spec), number);
  run.set_extensions(run.read_extensions());
  if (run.file(kDerivedName).exists()) {
    read_json_as(run.file(kDerivedName),
                 [&](const nlohmann::json& json) { run.set_derived(json); });
  }
  NoiseSpec& noise = run.spec_.noise;
  if (noise.kind == NoiseKind::gaussian && noise.sigma.empty()) {
    const auto arrays = read_run_arrays(run.file(kNoise));
    noise.covariance = make_sense_of(run.file(kNoise), [&] {
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
  HONE_ASSERT(extensions_.empty());
  spec_ = std::move(spec);
  first_budget_ = spec_.options.budget;
  identity_ = identity(spec_);
  write_json(file(kSpec), to_json(spec_));
}

std::string RunDirectory::state_prefix() const {
  return extensions_.empty() ? "" : fmt::format("extended-{:02}/", extensions_.size());
}

bool RunDirectory::finished() const {
  return posterior("summary.json").exists();
}

void RunDirectory::require_finished() const {
  if (finished()) return;
  fail_with_advice(
      ErrorKind::input, path_.string() + " is not finished",
      {.before = ": ", .action = Action::resume, .run = path_.string(), .after = " first"});
}

// Simulations of round m + 1 come from what round m found: so older versions, whose summary does
// not count rounds, tell how many there were.
int RunDirectory::rounds_made() const {
  int rounds = uncorrected_summary()->rounds;
  if (rounds > 0) return rounds;
  if (const auto made = store()) {
    made->select([&](const SimulationInfo& info) {
      rounds = std::max(rounds, info.round - 1);
      return false;
    });
  }
  return rounds;
}

bool RunDirectory::complete() const {
  if (!finished() || !has_final_posterior() || !posterior("posterior.h5").exists()) return false;
  if (!untrained_derived().empty()) return false;
  const Summary summary = *uncorrected_summary();
  // Fewer when derived quantities were trained and their table was not written.
  const auto rows =
      std::ranges::count_if(spec_.marginals, [](const Marginal& one) { return one.size() == 1; });
  if (std::ssize(summary.parameters) < rows) return false;
  if (find_method(spec_.options.method).needs_likelihood) return true;  // and simulates nothing
  const std::optional<SimulationStore> made = store();
  if (!made || (spec_.options.spend_all && made->rows() < spec_.options.budget)) return false;
  for (int m = 1; m <= rounds_made(); ++m) {
    if (!has_round(m)) return false;
  }
  return made->rows() >= summary.simulations;
}

void RunDirectory::require_complete() const {
  require_finished();
  if (complete()) return;
  throw Error(ErrorKind::io, {.place = path_.string(),
                              .reason = "some of its files have gone since it was finished",
                              .advice = {.before = "; to have them made again ",
                                         .action = Action::resume,
                                         .run = path_.string()}});
}

std::optional<SimulationStore> RunDirectory::store() const {
  const RunFile directory = simulations();
  if (!SimulationStore::exists(directory.path())) return std::nullopt;
  return SimulationStore::open(directory.path(), SimulationStore::Access::read, directory.mark);
}

RunFile RunDirectory::round_file(int number) const {
  return file(fmt::format("rounds/round-{:02}", number));
}

bool RunDirectory::has_round(int number) const {
  const RunFile file = round_file(number);
  // Without its networks a check would leave out the tests of its cut.
  return file.with(".json").exists() && (file.with(".h5").exists() || !verified());
}

Round RunDirectory::round(int number) const {
  return read_json_as(round_file(number).with(".json"), [&](const nlohmann::json& json) {
    return round_from_json(json, number, spec_.prior.dimensions());
  });
}

std::vector<Round> RunDirectory::rounds() const {
  std::vector<Round> rounds;
  const int expected = finished() ? rounds_made() : 0;
  for (int m = 1; m <= expected || has_round(m); ++m) rounds.push_back(round(m));
  return rounds;
}

void RunDirectory::write_round(const Round& round) const {
  const RunFile file = round_file(round.number);
  write_run_arrays(file.with(".h5"), round.networks->to_arrays());
  write_json(file.with(".json"), to_json(round));
}

SharedPosterior RunDirectory::round_networks(const Round& round) const {
  const RunFile file = round_file(round.number).with(".h5");
  if (!file.exists()) return nullptr;
  const auto arrays = read_run_arrays(file);
  return make_sense_of(file, [&] {
    return find_estimator(round.estimator).load(spec_.prior, round.region, arrays);
  });
}

bool RunDirectory::has_final_posterior() const {
  return has_posterior(final_networks());
}

TrainedPosterior RunDirectory::final_posterior() const {
  return read_posterior(final_networks(), spec_.prior);
}

void RunDirectory::write_final_posterior(const TrainedPosterior& trained) const {
  hone::write_posterior(final_networks(), trained, spec_.prior.dimensions());
}

std::optional<TrainedPosterior> RunDirectory::joint_posterior() const {
  const RunFile file = state_file("networks/joint");
  if (!has_posterior(file)) return std::nullopt;
  return read_posterior(file, spec_.prior);
}

void RunDirectory::write_joint_posterior(const TrainedPosterior& trained) const {
  hone::write_posterior(state_file("networks/joint"), trained, spec_.prior.dimensions());
}

RunFile RunDirectory::later_networks(std::size_t number) const {
  return state_file(fmt::format("networks/extra-{:02}", number));
}

std::vector<TrainedPosterior> RunDirectory::posteriors() const {
  std::vector<TrainedPosterior> trained;
  if (!has_final_posterior() && !finished()) return trained;
  trained.push_back(final_posterior());
  while (has_posterior(later_networks(trained.size()))) {
    trained.push_back(read_posterior(later_networks(trained.size()), spec_.prior));
  }
  return trained;
}

void RunDirectory::add_posterior(const TrainedPosterior& trained) const {
  std::size_t number = 1;
  while (has_posterior(later_networks(number))) ++number;
  hone::write_posterior(later_networks(number), trained, spec_.prior.dimensions());
}

std::vector<Marginal> RunDirectory::untrained_derived() const {
  std::vector<Marginal> missing;
  std::ranges::copy_if(spec_.marginals, std::back_inserter(missing),
                       [&](const Marginal& one) { return spec_.prior.is_derived(one); });
  for (std::size_t i = 1; !missing.empty() && has_posterior(later_networks(i)); ++i) {
    const auto known = read_description(later_networks(i), spec_.prior.dimensions());
    for (const Marginal& one : known.derived_marginals) std::erase(missing, one);
  }
  return missing;
}

std::optional<Region> RunDirectory::final_region() const {
  if (!has_description(final_networks())) return std::nullopt;
  return read_description(final_networks(), spec_.prior.dimensions()).region;
}

std::vector<MemberHistory> RunDirectory::final_training() const {
  if (!has_description(final_networks())) return {};
  return read_description(final_networks(), spec_.prior.dimensions()).histories;
}

std::optional<Summary> RunDirectory::uncorrected_summary() const {
  if (!finished()) return std::nullopt;
  return read_json_as(posterior("summary.json"), summary_from_json);
}

std::optional<Summary> RunDirectory::summary() const {
  if (!correction()) return uncorrected_summary();
  return read_json_as(corrected("summary.json"), summary_from_json);
}

std::vector<MarginalGrid> RunDirectory::grids() const {
  require_finished();
  const RunFile file = correction() ? corrected("posterior.h5") : posterior("posterior.h5");
  const std::vector<NamedArray> arrays = read_run_arrays(file);
  return make_sense_of(file, [&] {
    std::vector<MarginalGrid> grids;
    for (const Marginal& marginal : spec_.marginals) {
      if (marginal.size() > 2) continue;
      grids.push_back(grid_from_arrays(
          arrays, marginal_name(marginal, spec_.prior.quantity_names()), marginal));
    }
    return grids;
  });
}

std::optional<Correction> RunDirectory::correction() const {
  if (!corrected("correction.json").exists()) return std::nullopt;
  return read_json_as(corrected("correction.json"), correction_from_json);
}

void RunDirectory::write_posterior(const Summary& summary,
                                   const std::vector<NamedArray>& grids) const {
  write_run_arrays(posterior("posterior.h5"), grids);
  write_json(posterior("summary.json"), to_json(summary));
}

void RunDirectory::write_corrected(const Summary& summary, const std::vector<NamedArray>& grids,
                                   const Correction& correction) const {
  fs::remove(corrected("correction.json").path());  // written last: then all of it is there
  write_run_arrays(corrected("posterior.h5"), grids);
  write_json(corrected("summary.json"), to_json(summary));
  write_json(corrected("correction.json"), to_json(correction));
}

void RunDirectory::remove_correction() const {
  for (const char* name : {"correction.json", "summary.json", "posterior.h5"}) {
    fs::remove(corrected(name).path());
  }
  std::error_code ignored;
  fs::remove(corrected("").path().parent_path(), ignored);
}

}  // namespace hone
