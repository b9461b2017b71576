#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "hone/core/advice_text.h"
#include "hone/posterior/marginal_grid.h"

namespace hone {

struct ValueProbability {
  double value = 0;
  std::string name = {};  // of a category; else the number
  double probability = 0;
};

struct ParameterSummary {
  std::string name;
  double mean = 0, deviation = 0, median = 0;
  double ensemble_error = 0;  // standard deviation of the single networks' means
  std::vector<ThetaInterval> interval68, interval95;  // highest density, one per mode
  double edge_low = 0, edge_high = 0;  // density at the ends of the region over the peak
  std::vector<ValueProbability> probabilities = {};  // of a discrete parameter
};

// Something the user should know before trusting the answer.
struct Warning {
  std::string kind;     // stable word for scripts
  std::string message;  // what was seen, with numbers
  std::string advice;   // what to do, as the command line says it
};

// The advice that names something to do with hone is known by the kind of its warning.
AdviceText advice_for(const Warning& warning);

struct Summary {
  std::vector<ParameterSummary> parameters;
  std::vector<Warning> warnings;
  int rounds = 0;         // that led to it; 0 also in files of older versions
  Index simulations = 0;  // that were asked for; the same
};

ParameterSummary summarize_parameter(const MarginalGrid& grid, const std::string& name);

nlohmann::ordered_json to_json(const Summary& summary);
// With advice in the words of another interface: for people, not for summary_from_json.
nlohmann::ordered_json to_json(const Summary& summary, ActionWords words);
Summary summary_from_json(const nlohmann::json& json);

}  // namespace hone
