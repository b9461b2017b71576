#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "hone/core/advice_text.h"
#include "hone/core/matrix.h"
#include "hone/run/run_directory.h"

// What the checks of a run found: plain values, saved as checks.json in the run directory
// (docs/run-directory.md), printed by `hone check` and drawn by the report.
//
// Numbers that are not known are NaN (null in JSON). Marginals are named "a" or "a,b".

namespace hone {

// In this order. unclear: too few test draws to tell, so nothing supports the result.
enum class Status { pass, caution, unclear, fail };
std::string to_string(Status status);
Status worse(Status a, Status b);

// One check in words.
struct CheckResult {
  std::string name = {};  // stable word for scripts: see docs/howto/check.md
  Status status = Status::pass;
  std::string reason = {};  // what was seen, with numbers
  AdviceText advice = {};   // what to do; empty if it passed
  std::vector<std::pair<std::string, double>> numbers = {};
  bool more_simulations = false;  // is the advice, of the whole run; how is added to it. Not saved
};

// Empirical coverage of the credible region of one level, with its Jeffreys interval at 95 %. As
// z-scores: the region of +-z standard deviations of a normal distribution.
struct CoverageLevel {
  double nominal = 0, empirical = 0, low = 0, high = 0;
  double z_nominal = 0, z_empirical = 0, z_low = 0, z_high = 0;
};

// Expected coverage of a marginal's highest-density regions.
struct CoverageCurve {
  std::string marginal = {};
  Index dimensions = 1;
  Index draws = 0;
  std::vector<double> nominal = {}, empirical = {}, low = {},
                      high = {};           // the curve; low, high: Jeffreys, 95 %
  std::vector<CoverageLevel> levels = {};  // 1, 2 and 3 sigma
  double width_error = 0;       // how much wider the posterior should be: 0.1 is 10 % too narrow
  double probability = 1;       // of coverage this low by chance, for this marginal alone
  double probability_wide = 1;  // ... this high
  Status status = Status::pass;
};

// The empirical distribution function of values that should be uniform, with bands that hold all
// of it at once, for all curves of the check together, with probability 1 - `false_alarms`.
struct EcdfCurve {
  std::string marginal = {};
  Index draws = 0;
  std::vector<double> at = {}, ecdf = {}, low = {}, high = {};
  double deviation = 0;  // the largest |ecdf - at|
  double bias = 0;       // mean of the values - 1/2: not 0 if posteriors are shifted
  Status status = Status::pass;
};

// Local C2ST at the observation: can draws of the posterior be told from true parameters, for data
// like the real ones?
struct LocalC2st {
  std::string marginal = {};
  double accuracy = 0.5;       // estimated, of the best classifier; 0.5: cannot be told apart
  double probability = 1;      // of a statistic this large by chance, for this marginal alone
  double effective_draws = 0;  // draws with data near the observation
  std::vector<double> at = {},
                      density = {};  // local density of the true value's posterior CDF; should be 1
  Status status = Status::pass;
};

// One axis of one cut that was made.
struct CutCheck {
  int round = 1;
  std::string parameter = {};
  double lost_mass = 0;  // estimated by the networks that decided
  Index draws = 0;       // unseen simulations of the region before the cut ...
  Index cut_truths = 0;  // ... whose true value the same rule would have cut, given their data
  double coverage68 = 0, coverage95 = 0;  // of these networks at 1 and 2 sigma
  Index near = 0;                         // simulations that look like the observation ...
  Index near_outside = 0;                 // ... and come from what was cut away
};

// Posterior density at the ends of the final region over its peak; NaN where the region ends with
// the prior.
struct EdgeCheck {
  std::string parameter = {};
  double low = 0, high = 0;
};

// How far the observation lies from simulated data, in one measure.
struct TypicalityMeasure {
  std::string name = {};  // "features", "largest column", "all columns"
  double observed = 0;
  double median = 0, quantile95 = 0, quantile99 = 0;  // of simulated data
  double probability = 1;                             // of a distance as large among simulated data
};

struct ColumnScore {
  Index column = 0;  // of the data vector, from 0
  double observed = 0;
  double median = 0, low = 0, high = 0;  // of simulated data: median, 2.5 % and 97.5 %
  double score = 0;                      // robust z-score
  std::string name = {};                 // "spectrum[17]"; empty where the data are not described
};

struct Misspecification {
  Index draws = 0;
  std::vector<TypicalityMeasure> measures = {};
  std::vector<ColumnScore> worst_columns = {};  // by |score|, the largest first; at most 10
};

// The networks of one marginal in training.
struct TrainingHealth {
  std::string marginal = {};
  double gain = 0;           // chance loss - validation loss, the mean over the ensemble, in nats
  double training_gain = 0;  // the same with the training loss of the epoch that was kept
  Index networks = 0, diverged = 0, unlearned = 0, overfitted = 0, unfinished = 0;
};

// Spread of an ensemble at the observation.
struct EnsembleSpread {
  std::string marginal = {};
  Index networks = 0;
  double distance = 0;  // mean total variation distance of a network from the ensemble's mean
  // 1-d only: the standard deviation over the networks of the mean, and of the ends of the central
  // 68 and 95 % intervals, in units of the posterior's standard deviation.
  double mean_error = 0, interval68_error = 0, interval95_error = 0;
  std::vector<double> theta = {}, density = {}, low = {},
                      high = {};  // 1-d only: the posterior, and +-1 st. dev.
};

// Does a 2-d posterior, projected on one of its parameters, give the 1-d posterior?
struct ProjectionCheck {
  std::string marginal = {}, parameter = {};
  double distance = 0;     // total variation distance
  double mean_shift = 0;   // in standard deviations of the 1-d posterior
  double width_ratio = 1;  // of the standard deviations, projection over 1-d
};

struct SamplingCheck {
  std::string marginal = {};
  double efficiency = 1;  // effective fraction of weighted draws from the region
};

// A marginal that was widened (`hone check --correct`).
struct CorrectionEntry {
  std::string marginal = {};
  double power = 1;                       // density^power, normalised again
  double coverage68 = 0, coverage95 = 0;  // before; and after, on draws that did not choose it:
  double corrected68 = 0, corrected95 = 0;
};

struct Checks {
  Status verdict = Status::pass;  // the worst of all checks
  std::string summary = {};       // the verdict in one sentence
  std::string draws_from = {};    // "validation" or "fresh"
  Index draws = 0;                // test draws
  double false_alarms = 0;        // stated probability that a right run is not passed by chance
  std::vector<CheckResult> checks = {};

  std::vector<CoverageCurve> coverage = {};       // 1-d marginals, then others
  std::vector<CoverageCurve> mean_coverage = {};  // means over all 1-d and over all 2-d ones
  std::vector<EcdfCurve> sbc = {};                // 1-d marginals
  std::vector<EcdfCurve> tarp = {};               // marginals of two and more parameters
  std::vector<LocalC2st> local_c2st = {};         // 1-d marginals
  std::vector<CutCheck> cuts = {};
  std::vector<EdgeCheck> edges = {};
  Misspecification misspecification = {};
  std::vector<TrainingHealth> training = {};
  std::vector<EnsembleSpread> ensembles = {};
  std::vector<ProjectionCheck> projections = {};
  std::vector<SamplingCheck> sampling = {};
  std::vector<CorrectionEntry> correction = {};  // empty: none
};

nlohmann::ordered_json to_json(const CheckResult& check, ActionWords words = command_words);
CheckResult check_result_from_json(const nlohmann::ordered_json& json);
// Advice in the words of an interface can be read by people, not by checks_from_json.
nlohmann::ordered_json to_json(const Checks& checks, ActionWords words = command_words);
Checks checks_from_json(const nlohmann::ordered_json& json);  // nlohmann's exceptions, Error{input}

// <run>/checks.json; nothing if the run has not been checked. Error{io} if it is damaged.
std::optional<Checks> read_checks(const RunDirectory& run);
void write_checks(const RunDirectory& run, const Checks& checks);

}  // namespace hone
