#include "hone/check/check_run.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "hone/check/advice.h"
#include "hone/check/coverage.h"
#include "hone/check/cuts.h"
#include "hone/check/draws.h"
#include "hone/check/ecdf.h"
#include "hone/check/health.h"
#include "hone/check/information.h"
#include "hone/check/local_c2st.h"
#include "hone/check/misspecification.h"
#include "hone/check/other_estimates.h"
#include "hone/check/run_draws.h"
#include "hone/check/widening.h"
#include "hone/core/error.h"
#include "hone/prior/derived_axes.h"
#include "hone/run/finished_run.h"
#include "hone/run/run_lock.h"

namespace hone {

void CheckOptions::validate() const {
  constexpr Index kMost = 10000000;
  if (simulations < 0 || simulations > kMost) {
    fail(ErrorKind::input, "simulations = {}: must lie in 0 .. {}", simulations, kMost);
  }
  if (most_draws < 1) fail(ErrorKind::input, "most_draws = {}: must be at least 1", most_draws);
}

namespace {

void check_calibration(Checks& checks, const std::vector<MarginalRanks>& ranks,
                       const std::vector<ComparedPosterior>& singles,
                       const std::vector<std::string>& names) {
  std::vector<MarginalCredibility> credibility;
  std::vector<UniformValues> sbc, tarp;
  for (const MarginalRanks& one : ranks) {
    const std::string name = marginal_name(one.marginal, names);
    const auto values = one.credibility.row(0);
    credibility.push_back({name, std::ssize(one.marginal), {values.begin(), values.end()}});
    if (one.marginal.size() == 1) {
      sbc.push_back({name, one.cdf});
    } else {
      tarp.push_back({name, one.nearer});
    }
  }
  CoverageCheck coverage = check_coverage(credibility);
  coverage.result.numbers.emplace_back("noticeable_width_error",
                                       noticeable_width_error(checks.draws, std::ssize(ranks)));
  checks.checks.push_back(std::move(coverage.result));
  checks.coverage = std::move(coverage.marginals);
  checks.mean_coverage = std::move(coverage.means);
  checks.sbc = ecdf_curves(sbc);
  if (!checks.sbc.empty()) checks.checks.push_back(sbc_result(checks.sbc));
  checks.tarp = ecdf_curves(tarp);
  if (!checks.tarp.empty()) checks.checks.push_back(tarp_result(checks.tarp));
  std::vector<LocalDraws> local;
  for (const ComparedPosterior& one : singles) local.push_back(one.posterior);
  checks.local_c2st = local_c2st(local);
  if (!checks.local_c2st.empty()) {
    checks.checks.push_back(local_c2st_result(checks.local_c2st));
  }
}

// What stands in the place of calibration where a posterior holds for the observation alone. Never
// a pass: the run has no evidence for its answer.
CheckResult calibration_impossible(const Method& method) {
  return {.name = "calibration",
          .status = Status::caution,
          .reason = fmt::format("{} cannot be checked by calibration: its posterior holds for the "
                                "observation alone, so that there are no simulations on which it "
                                "could be wrong",
                                method.title),
          .advice =
              "compare it with a run by a method whose posteriors can be tested, such as tmnre: " +
              AdviceText(Action::compare)};
}

// A posterior that takes long for each test draw is tested on fewer: 400 find three in four that
// are 10 % too narrow, and nearly all with larger faults (docs/benchmarks/coverage.md).
Index most_draws(const AmortizedPosterior& estimator, Index wanted) {
  constexpr Index kSampled = 256, kWeighted = 400;
  if (estimator.trained() != estimator.marginals()) return std::min(wanted, kSampled);
  return estimator.weighted_draws() ? std::min(wanted, kWeighted) : wanted;
}

// The main posterior, and those of derived quantities.
std::vector<const AmortizedPosterior*> reported(const std::vector<TrainedPosterior>& trained,
                                                const RunSpec& spec) {
  std::vector<const AmortizedPosterior*> result;
  for (const TrainedPosterior& one : trained) {
    const bool derived = one.posterior->prior().dimensions() > spec.prior.dimensions();
    if (result.empty() || derived) result.push_back(one.posterior.get());
  }
  return result;
}

void check_truncation(Checks& checks, const RunDirectory& run, const AmortizedPosterior& estimator,
                      const NoiseModel* noise, const Rng& rng, Observer& observer) {
  checks.edges = check_edges(run.uncorrected_summary()->parameters, run.spec().prior,
                             estimator.prior().region());
  if (!checks.edges.empty()) checks.checks.push_back(edges_result(checks.edges));
  checks.cuts = check_cuts(run, estimator, noise, rng, observer);
  if (checks.cuts.empty()) return;
  checks.checks.push_back(lost_mass_result(checks.cuts));
  checks.checks.push_back(cut_truths_result(checks.cuts));
  checks.checks.push_back(probe_result(checks.cuts));
}

void check_data(Checks& checks, const RunDraws& draws, const AmortizedPosterior& estimator,
                const RunSpec& spec) {
  const Matrix<float> reference = estimator.quick().features(draws.reference_x);
  const Matrix<float> features = estimator.quick().features(draws.x);
  const Matrix<float> observed = estimator.quick().features(spec.observation);
  checks.misspecification =
      measure_typicality({reference, features, observed.row(0), draws.reference_x, draws.x,
                          spec.observation, spec.data});
  checks.checks.push_back(typicality_result(checks.misspecification));
}

// After networks and posteriors have been looked at.
void check_information(Checks& checks, const RunDraws& draws, const AmortizedPosterior& estimator,
                       const RunSpec& spec) {
  std::vector<ParameterInformation> parameters;
  for (const SamplingCheck& sampling : checks.sampling) {
    const auto health =
        std::ranges::find(checks.training, sampling.marginal, &TrainingHealth::marginal);
    const auto names = spec.prior.names();
    const auto name = std::ranges::find(names, sampling.marginal);
    if (name == names.end()) continue;  // of several parameters
    const int d = static_cast<int>(name - names.begin());
    parameters.push_back({*name,
                          health == checks.training.end() || health->unlearned < health->networks,
                          estimator.prior().region().axis_mass(d), sampling.efficiency});
  }
  checks.checks.push_back(information_result(constant_columns(draws.reference_x, draws.x),
                                             std::ssize(spec.observation), parameters,
                                             unresolved_columns(draws.reference_x)));
}

void check_health(Checks& checks, const std::vector<TrainedPosterior>& trained,
                  const RunSpec& spec) {
  const double chance = chance_loss(spec.options.training);
  for (const TrainedPosterior& one : trained) {
    std::vector<std::string> names;
    for (const Marginal& marginal : one.posterior->trained()) {
      names.push_back(marginal_name(marginal, spec.prior.quantity_names()));
    }
    if (one.histories.empty()) continue;  // no networks, or those of an earlier posterior
    for (TrainingHealth& health : training_health(names, one.histories, chance)) {
      checks.training.push_back(std::move(health));
    }
  }
  if (!checks.training.empty()) checks.checks.push_back(training_result(checks.training));
  for (const AmortizedPosterior* one : reported(trained, spec)) {
    Agreement agreement = compare_posteriors(*one, spec.observation);
    std::ranges::move(agreement.ensembles, std::back_inserter(checks.ensembles));
    std::ranges::move(agreement.projections, std::back_inserter(checks.projections));
    std::ranges::move(agreement.sampling, std::back_inserter(checks.sampling));
  }
  if (!checks.ensembles.empty() && checks.ensembles[0].networks > 1) {
    checks.checks.push_back(ensemble_result(checks.ensembles));
  }
  if (!checks.projections.empty()) checks.checks.push_back(projection_result(checks.projections));
  if (!checks.sampling.empty()) checks.checks.push_back(sampling_result(checks.sampling));
}

void conclude(Checks& checks) {
  std::vector<std::string> named;
  for (const CheckResult& check : checks.checks) {
    checks.verdict = worse(checks.verdict, check.status);
    for (const auto& [name, value] : check.numbers) {
      if (name == "false_alarms") checks.false_alarms += value;
    }
  }
  std::string flagged;
  for (const CheckResult& check : checks.checks) {
    if (check.status == Status::pass) continue;
    flagged += (flagged.empty() ? "" : ", ") + check.name;
  }
  switch (checks.verdict) {
    case Status::pass:
      checks.summary = fmt::format("no check found a problem; {} test draws", checks.draws);
      break;
    case Status::caution: checks.summary = "usable with care; see " + flagged; break;
    case Status::unclear:
      checks.summary = fmt::format(
          "{} test draws are too few to tell whether the result is right; do not rely on it before "
          "more are made; see {}",
          checks.draws, flagged);
      break;
    case Status::fail: checks.summary = "do not use the result as it is; see " + flagged; break;
  }
}

// The larger set: test draws that an earlier check made are kept, and a correction chosen with the
// few that validated would be a worse one.
CheckOptions with_known_draws(CheckOptions options, const RunDirectory& run, const Region& region,
                              Executor* executor) {
  if (options.simulations > 0) return options;
  const Index known = known_test_draws(run);
  if (known == 0) return options;
  const RunData own = training_data(run, region, executor == nullptr ? nullptr : executor->noise());
  if (known > std::ssize(own.rows.validation)) options.simulations = known;
  return options;
}

std::vector<TrainedPosterior> trained_of(const RunDirectory& run) {
  run.require_complete();
  return run.posteriors();
}

// What is known of a correction, from the time it was chosen.
std::vector<CorrectionEntry> known_entries(const RunDirectory& run, const Correction& correction,
                                           const std::vector<std::string>& names) {
  std::vector<CorrectionEntry> entries;
  const auto before = read_checks(run);
  for (const auto& [marginal, power] : correction.powers) {
    constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
    CorrectionEntry entry{
        marginal_name(marginal, names), power, kNoNumber, kNoNumber, kNoNumber, kNoNumber};
    if (before) {
      for (const CorrectionEntry& old : before->correction) {
        if (old.marginal == entry.marginal && old.power == power) entry = old;
      }
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

Checks check(const RunDirectory& run, const std::vector<TrainedPosterior>& trained,
             const RunDraws& draws, const Correction& correction, Executor* executor,
             Observer& observer, Calibrator& calibrator) {
  const RunSpec& spec = run.spec();
  const auto names = spec.prior.quantity_names();
  const AmortizedPosterior& estimator = *trained[0].posterior;
  const Rng rng = Rng(spec.seed).child("checks");
  Checks checks;
  checks.draws_from = draws.from;
  checks.draws = draws.local.rows();
  RankOptions options;
  options.correction = correction;
  observer.stage_started("check", checks.draws);
  if (const Method& method = find_method(spec.options.method); !method.amortized) {
    checks.checks.push_back(calibration_impossible(method));
  } else {
    const auto ranks = calibrator.rank(trained, {draws.x, draws.local}, options, rng, observer);
    std::vector<ComparedPosterior> singles;
    for (const AmortizedPosterior* one : reported(trained, spec)) {
      std::ranges::move(compared_posteriors(ranks, *one, correction, spec.observation, names),
                        std::back_inserter(singles));
    }
    check_calibration(checks, ranks, singles, names);
    check_against_others(checks, std::move(singles), draws, spec, rng.child("sharpness"));
  }
  check_truncation(checks, run, estimator, executor == nullptr ? nullptr : executor->noise(),
                   rng.child("cuts"), observer);
  // A method that needs no simulations has none to compare the observation with.
  const bool simulated = draws.x.rows() > 0 && draws.reference_x.rows() > 0;
  if (simulated) check_data(checks, draws, estimator, spec);
  check_health(checks, trained, spec);
  if (simulated) check_information(checks, draws, estimator, spec);
  add_fitting_advice(checks.checks, spec);
  conclude(checks);
  observer.stage_finished("check");
  return checks;
}

RunDraws draws_for(const RunDirectory& run, const std::vector<TrainedPosterior>& trained,
                   CheckOptions options, Executor* executor, Observer& observer) {
  const AmortizedPosterior& estimator = *trained[0].posterior;
  options.most_draws = most_draws(estimator, options.most_draws);
  RunDraws draws = find_draws(run, estimator.prior().region(), options, executor, observer);
  // Columns for the derived quantities, on the axes of those who know most of them.
  const auto widest = std::ranges::max_element(
      trained, {}, [](const TrainedPosterior& one) { return one.posterior->prior().dimensions(); });
  const TruncatedPrior& axes = widest->posterior->prior();
  const TruncatedPrior parameters(run.spec().prior, estimator.prior().region());
  draws.local = with_derived_columns(parameters, axes, draws.local);
  draws.reference_local = with_derived_columns(parameters, axes, draws.reference_local);
  return draws;
}

void save(const RunDirectory& run, const Checks& checks) {
  const RunLock lock(run);
  write_checks(run, checks);
}

}  // namespace

Checks check_run(const RunDirectory& run, const CheckOptions& options, Executor* executor,
                 Observer& observer, Calibrator& calibrator) {
  options.validate();
  return check_posteriors(run, trained_of(run), options, executor, observer, calibrator);
}

Checks check_posteriors(const RunDirectory& run, const std::vector<TrainedPosterior>& trained,
                        const CheckOptions& options, Executor* executor, Observer& observer,
                        Calibrator& calibrator) {
  options.validate();
  const RunDraws draws = draws_for(run, trained, options, executor, observer);
  const Correction correction = run.correction().value_or(Correction{});
  Checks checks = check(run, trained, draws, correction, executor, observer, calibrator);
  checks.correction = known_entries(run, correction, run.spec().prior.quantity_names());
  save(run, checks);
  return checks;
}

Checks correct_run(const RunDirectory& run, const CheckOptions& options, Executor* executor,
                   Observer& observer, Calibrator& calibrator) {
  options.validate();
  const auto trained = trained_of(run);
  if (const Method& method = find_method(run.spec().options.method); !method.amortized) {
    fail(ErrorKind::input, "a run by {} cannot be corrected: {}", method.title,
         calibration_impossible(method).reason);
  }
  const Region& region = trained[0].posterior->prior().region();
  const RunDraws draws =
      draws_for(run, trained, with_known_draws(options, run, region, executor), executor, observer);
  RankOptions rank_options;
  rank_options.powers = widening_powers();
  observer.stage_started("check", draws.local.rows());
  const auto ranks = calibrator.rank(trained, {draws.x, draws.local}, rank_options,
                                     Rng(run.spec().seed).child("widening"), observer);
  observer.stage_finished("check");
  Widening widening = choose_widening(ranks, run.spec().prior.quantity_names());
  if (widening.correction.powers.empty()) {
    remove_correction(run);
  } else {
    correct_posterior(run, widening.correction);
  }
  Checks checks = check(run, trained, draws, widening.correction, executor, observer, calibrator);
  checks.correction = std::move(widening.entries);
  save(run, checks);
  return checks;
}

}  // namespace hone
