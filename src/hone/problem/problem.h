#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hone/core/data_description.h"
#include "hone/estimate/options.h"
#include "hone/prior/marginals.h"
#include "hone/prior/prior.h"
#include "hone/problem/noise_spec.h"
#include "hone/problem/simulator_spec.h"

namespace hone {

// Everything a user says about an inference, checked and with every default filled in.
struct Problem {
  std::string name;  // of run directories
  Prior prior;
  std::vector<double> observation;
  DataDescription data = {};  // what its values are, if that is declared
  SimulatorSpec simulator;
  NoiseSpec noise = {};  // what training adds to x
  InferenceOptions options;
  std::vector<Marginal> marginals;  // to be trained in the end
  std::optional<std::uint64_t> seed;
};

// What a built-in task brings along. The caller knows the tasks.
struct KnownTask {
  Prior prior;
  std::vector<double> observation;
  Index budget = 0;
  Index simulated_size = std::ssize(observation);  // values its simulator makes, without noise
  std::string preset = "default";                  // to start from where none is chosen
  DataDescription data = {};                       // of the observation
};
using TaskLookup = std::function<KnownTask(const std::string& name)>;  // Error{input} if unknown

// "1d", "2d", "joint" or parameters as parse_marginal() reads them, each marginal once, in this
// order. Without words: 1d and 2d. Both are of parameters and derived quantities, but for pairs on
// a curve; joint is of all parameters.
std::vector<Marginal> marginals_from_words(const std::vector<std::string>& words,
                                           const Prior& prior);

// What a prior with more derived quantities than `before` quantities in all adds to these: each new
// one by itself, and in pairs.
std::vector<Marginal> marginals_of_new(const Prior& prior, int before);

}  // namespace hone
