#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "hone/check/checks.h"
#include "hone/core/data_description.h"
#include "hone/core/matrix.h"

namespace hone {

// One number of a data vector, at the observation and at simulations.
struct PredictiveStatistic {
  std::string name;        // "mean", "largest deviation"
  std::string block = {};  // of which part of the data; empty: all
  double observed = 0;
  double low = 0, median = 0, high = 0;  // 2.5 %, 50 % and 97.5 % of simulations
  double p = 1;  // how often a simulation is as extreme, (1 + k) / (1 + n); two-sided but for
                 // the two distances, of which only large ones speak against a model
};

// Do simulations with parameters from the posterior look like the observation?
struct Predictive {
  std::string from = "posterior";               // posterior, region or prior
  std::string source = {};                      // of the parameters, in words
  std::optional<CheckResult> joint_check = {};  // of the joint posterior, where they come from it
  Index simulations = 0;                        // that succeeded
  std::vector<double> observed, low95, low68, median, high68, high95, p;  // per column of the data
  std::vector<PredictiveStatistic> statistics = {};
  Status status = Status::pass;
  std::string reason = {};
};

// A number of a data vector that a user wants to see beside the observation's.
struct UserStatistic {
  std::string name;  // not that of a statistic that is always there
  std::function<double(std::span<const double> x)> value;
};

// x (n, data size): simulations. Statistics: of all columns together `distance`, the mean square of
// (x - mean) / sigma, and `largest deviation`, the largest of their absolute values, where mean and
// sigma are those of the simulations and the observation together, so that under a right model
// all n + 1 are exchangeable and p is uniform; of each block its mean, standard deviation, smallest
// and largest value; and those of the user, two-sided, of all columns together. Error{input} for a
// name that is taken or for a value that is not finite. They have no part in the status.
Predictive compare_predictive(MatrixView<const float> x, std::span<const double> observation,
                              const DataDescription& data, const std::string& from = "posterior",
                              const std::vector<UserStatistic>& users = {});
// Error{input} unless names can be told apart and shown.
void require_distinct_names(const std::vector<UserStatistic>& users);

nlohmann::ordered_json to_json(const Predictive& predictive);
// Error{io}, or an exception of nlohmann's, unless it is that of data of so many values.
Predictive predictive_from_json(const nlohmann::json& json, std::size_t data_size);

}  // namespace hone
