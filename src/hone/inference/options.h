#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "hone/engine/trainer.h"

namespace hone {

enum class Method {
  tmnre,  // truncate in rounds, then train all marginals in the final region
  mnre,   // one round in the whole prior
};

// How many simulations a round works with, kept ones included.
enum class RoundSchedule {
  fraction,   // round_fraction x budget
  growth,     // the first like fraction, then round_growth x those of the round before
  increment,  // the kept ones + round_increment
};

struct TruncationOptions {
  double epsilon = 2.2603294069810542e-6;  // exp(-13): drop u where r / max r is below
  double padding = 0.01;    // widen what is kept by this fraction of the axis on each side ...
  double padding_rows = 5;  // ... at least by one that holds so many simulations
  double gap_width = 0.05;  // cut a gap between two modes if wider than this fraction ...
  double gap_margin = 3;    // ... and this many nats below epsilon
  Index grid = 4096;        // points per axis; nothing narrower than a few of them is resolved

  void validate() const;
  bool operator==(const TruncationOptions&) const = default;
};

struct InferenceOptions {
  Method method = Method::tmnre;
  Index budget = 10000;
  int max_rounds = 10;
  RoundSchedule round_schedule = RoundSchedule::fraction;
  double round_fraction = 0.3;
  Index round_minimum = 1;  // simulations a round works with at the least
  double round_growth = 1.5;
  Index round_increment = 10000;
  bool poisson_counts = false;
  double stop_ratio = 0.8;
  double stop_axis_ratio = 0.85;
  int stop_rounds = 1;    // stop after so many rounds in a row that hardly shrink
  bool spend_all = true;  // simulate what is left of the budget in the final region
  TruncationOptions truncation;

  int ensemble = 2;         // networks per requested marginal
  int round_ensemble = 2;   // networks per axis while truncating
  Index ensemble_rows = 0;  // more of both where networks x simulations is less
  double validation_fraction = 0.1;
  int minimum_steps = 1;  // per epoch: batches get smaller for small data sets
  NetworkOptions network;
  EmbeddingOptions embedding;
  TrainingOptions training;
  double max_failed_fraction = 0.5;

  // Networks per marginal when that many simulations are at hand, a multiple of `least`, so that of
  // two kinds there are as many each: from few simulations networks learn by chance, and are
  // trained fast.
  int networks(int least, Index rows) const;

  // Throws Error{input} naming the option, the value and the limit. A convolution must not use up
  // the data.
  void validate(Index data_size = std::numeric_limits<Index>::max()) const;
};

// One of preset_names(); Error{input} otherwise.
InferenceOptions preset(const std::string& name);
std::vector<std::string> preset_names();

// One row per option: the problem file, the command line, the run directory and the reference page
// are all made from this table.
struct OptionEntry {
  std::string name;    // as in a problem file; the flag is --name with '-' for '_'
  std::string group;   // heading in the help and on the reference page
  std::string help;    // one sentence
  std::string values;  // what is allowed: "> 0", "adam, adamw"
  std::function<nlohmann::json(const InferenceOptions&)> get;
  std::function<void(InferenceOptions&, const nlohmann::json&)> set;  // Error{input} on wrong types
};
const std::vector<OptionEntry>& option_table();
const OptionEntry& find_option(const std::string& name);  // Error{input} with the nearest name

// The page docs/reference/options.md.
std::string option_reference();

// From text as on the command line.
void set_option(InferenceOptions& options, const std::string& name, const std::string& text);

nlohmann::ordered_json to_json(const InferenceOptions& options);
InferenceOptions inference_options_from_json(const nlohmann::json& json);

}  // namespace hone
