#pragma once

#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "hone/check/model_calibration.h"
#include "hone/check/model_run.h"

namespace hone {

// Which of several models describes the observation best? Each is a finished run with the same
// observation and parameters of its own. Its evidence is that under the truncated prior of its
// final region, which is learned from the simulations there in several ways
// (hone/estimate/model_odds.h, noise_evidence.h), times what model_run.h knows of the region.

struct ModelComparisonOptions {
  std::vector<double> prior = {};  // probabilities of the models, up to a factor; empty: equal
  void validate(std::size_t models) const;  // Error{input}
};

struct ComparedModel {
  std::string name;             // of the run's directory
  double prior = 0;             // probability before the observation
  double probability = 0;       // and after
  double log_bayes_factor = 0;  // log of its evidence over that of the best model
  double error = 0;             // of that, as a standard deviation
  RegionFacts region = {};
  Index beyond = 0;  // held-out simulations of it that are at least as unlike it, in the
                     // odds of the best model against it, as the observation
  Index held_out = 0;
};

// A way to learn p(x | model): classification, likelihood.
struct ModelWay {
  std::string name;
  double share = 0;                      // in the answer
  double score = 0;                      // mean log probability of the true model, held out
  std::vector<double> log_bayes_factor;  // of the models, as above, by this way alone
};

struct ModelComparison {
  std::vector<ComparedModel> models;
  Matrix<double> log_bayes_factors;  // (models, models): of row over column
  Matrix<double> errors;             // their standard deviations
  std::size_t best = 0;              // the model of the largest evidence
  std::vector<ModelWay> ways;
  bool known = false;  // by declared noise alone: no odds were learned, and none are extrapolated
  ModelCalibration calibration;
  CheckResult typicality;  // of the observation among simulations of the best model
  Status status = Status::pass;
  std::string reason = {};
};

// Reads the runs and changes nothing. Error{input} as check_comparable() and read_model() say,
// before anything is trained.
ModelComparison compare_models(std::span<const ModelRun> runs,
                               const ModelComparisonOptions& options, Observer& observer);

nlohmann::ordered_json to_json(const ModelComparison& comparison);

}  // namespace hone
