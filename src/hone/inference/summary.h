#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "hone/inference/marginal_grid.h"
#include "hone/inference/tmnre.h"

namespace hone {

struct ParameterSummary {
  std::string name;
  double mean = 0, deviation = 0, median = 0;
  double ensemble_error = 0;  // standard deviation of the single networks' means
  std::vector<ThetaInterval> interval68, interval95;  // highest density, one per mode
  double edge_low = 0, edge_high = 0;  // density at the ends of the region over the peak
};

// Something the user should know before trusting the answer.
struct Warning {
  std::string kind;     // stable word for scripts
  std::string message;  // what was seen, with numbers
  std::string advice;   // what to do
};

struct Summary {
  std::vector<ParameterSummary> parameters;
  std::vector<Warning> warnings;
};

ParameterSummary summarize_parameter(const MarginalGrid& grid, const std::string& name);

// `parameters` of all 1-d marginals that were trained, and `failed` simulations.
std::vector<Warning> find_warnings(const InferenceResult& result,
                                   const std::vector<ParameterSummary>& parameters, Index failed,
                                   const InferenceOptions& options);

nlohmann::ordered_json to_json(const Summary& summary);
Summary summary_from_json(const nlohmann::json& json);

}  // namespace hone
