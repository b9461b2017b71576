#include "hone/check/model_run.h"

#include <cmath>
#include <set>

#include "hone/core/error.h"

namespace hone {
namespace {

constexpr Index kFewestSimulations = 400;  // 40 held out: the slope of the odds to about a quarter
constexpr double kMostLostMass = 0.1;      // of a posterior: an error of 0.1 in the log evidence

void check_run_alone(const RunDirectory& run) {
  run.require_complete();
  const Method& method = find_method(run.spec().options.method);
  if (method.amortized) return;
  fail(ErrorKind::input,
       "{}: {} does not simulate from the prior or a part of it, so that its simulations say "
       "nothing about the evidence of the model; run the model with tmnre, tnpe or mnre",
       run.path().string(), method.title);
}

// 1 - product of what the cuts kept, axis by axis.
double lost_mass(const RunDirectory& run) {
  double log_kept = 0;
  for (const Round& round : run.rounds()) {
    for (const double lost : round.cut.lost_mass) log_kept += std::log1p(-std::min(lost, 0.999));
  }
  return -std::expm1(log_kept);
}

Index failed_inside(const RunDirectory& run, const Region& region) {
  const auto store = run.store();
  const Prior& prior = run.spec().prior;
  return std::ssize(store->select([&](const SimulationInfo& info) {
    return info.failed && region.contains(prior, info.theta);
  }));
}

RegionFacts facts_of(const RunDirectory& run, const Dataset& data) {
  const Region& region = data.prior.region();
  const double succeeded = static_cast<double>(data.rows());
  const double all = succeeded + static_cast<double>(failed_inside(run, region));
  RegionFacts facts{.simulations = data.rows(),
                    .valid = succeeded / all,
                    .log_mass = data.prior.log_mass(),
                    .lost_mass = lost_mass(run)};
  const double log_kept = std::log1p(-facts.lost_mass);
  facts.log_factor = facts.log_mass + std::log(facts.valid) - log_kept;
  facts.variance = (1 - facts.valid) / (facts.valid * all) + log_kept * log_kept;
  if (region.has_constraint()) {
    const double part = region.acceptance();
    facts.variance += (1 - part) / (part * Region::kAcceptancePoints);
  }
  return facts;
}

void check_facts(const RunDirectory& run, const RegionFacts& facts) {
  const std::string path = run.path().string();
  if (facts.simulations < kFewestSimulations) {
    fail_with_advice(
        ErrorKind::input,
        fmt::format("{}: {} simulations in its final region; at least {} are needed for the "
                    "evidence of a model",
                    path, facts.simulations, kFewestSimulations),
        {.before = "; to give the run more of them ",
         .action = Action::larger_budget,
         .run = path});
  }
  if (facts.lost_mass > kMostLostMass) {
    fail(ErrorKind::input,
         "{}: its cuts have lost an estimated {:.0f} % of the posterior, and with it of the "
         "evidence; run it again with a smaller epsilon or a larger budget",
         path, 100 * facts.lost_mass);
  }
}

void check_same_data(const RunDirectory& first, const RunDirectory& other) {
  const auto fail_pair = [&](const std::string& what) {
    fail(ErrorKind::input, "{} and {} {}: models can be compared on the same data only",
         first.path().string(), other.path().string(), what);
  };
  const auto& a = first.spec().observation;
  const auto& b = other.spec().observation;
  if (a.size() != b.size()) {
    fail_pair(fmt::format("have observations of {} and {} values", a.size(), b.size()));
  }
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    const DataDescription& data = first.spec().data;
    fail_pair(fmt::format("have other observations: {} is {} and {}",
                          data.name_of(static_cast<Index>(i)), a[i], b[i]));
  }
  if (!(first.spec().data == other.spec().data)) fail_pair("describe their data differently");
}

}  // namespace

void check_comparable(std::span<const ModelRun> runs) {
  if (runs.size() < 2) {
    fail(ErrorKind::input, "{} run{}: at least two models are needed to compare", runs.size(),
         runs.size() == 1 ? "" : "s");
  }
  std::set<std::filesystem::path> paths;
  for (const ModelRun& one : runs) {
    if (!paths.insert(std::filesystem::weakly_canonical(one.run.path())).second) {
      fail(ErrorKind::input, "{}: is given twice; every model is a run of its own",
           one.run.path().string());
    }
  }
  for (const ModelRun& one : runs) check_same_data(runs[0].run, one.run);
}

ModelData read_model(const ModelRun& model) {
  check_run_alone(model.run);
  const Region region = *model.run.final_region();
  ModelData data{training_data(model.run, region, model.noise), {}, nullptr};
  data.facts = facts_of(model.run, data.rows());
  check_facts(model.run, data.facts);
  data.posterior = model.run.posteriors().at(0).posterior;
  return data;
}

}  // namespace hone
