#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "hone/core/data_description.h"
#include "hone/estimate/options.h"
#include "hone/prior/marginals.h"
#include "hone/prior/prior.h"
#include "hone/problem/noise_spec.h"
#include "hone/problem/simulator_spec.h"

namespace hone {

// Everything that decides the result of a run.
struct RunSpec {
  std::string name;
  SimulatorSpec simulator;  // where simulations come from, for those who open the run later
  NoiseSpec noise = {};     // what training adds to them
  std::uint64_t seed = 1;
  Prior prior;
  std::vector<double> observation;
  DataDescription data = {};        // what its values are, if that is declared
  std::vector<Marginal> marginals;  // to be trained in the end
  InferenceOptions options;
  std::string reuses = {};  // directory of an earlier run, whose simulations save making the same
  void validate() const;    // Error{input}
};

// A number for all of it: equal for equal runs, on every machine; never 0.
std::uint64_t identity(const RunSpec& spec);

// From this format on all files of a run carry seals, which say what they belong to.
constexpr int kFirstSealedFormat = 3;

nlohmann::ordered_json to_json(const RunSpec& spec);
RunSpec run_spec_from_json(const nlohmann::json& json);

}  // namespace hone
