#include "hone/inference/options.h"

#include <array>
#include <utility>

#include <fmt/ranges.h>

#include "hone/core/error.h"

namespace hone {
namespace {

void check(bool good, const char* name, double value, const char* limit) {
  if (!good) fail(ErrorKind::input, "{} = {}: {}", name, value, limit);
}

// The engine names its own fields, "optimizer.learning_rate = 0: ...", where users know the option
// "learning_rate". Only those of the embedding keep their group, for "hidden" is an option already.
std::string with_option_name(std::string message) {
  constexpr std::string_view group = "embedding.";
  for (std::size_t i = 0; (i = message.find(group, i)) != message.npos;) {
    message.replace(i, group.size(), "embedding_");
  }
  const std::size_t dot = message.find('.');
  return dot < message.find_first_of(" :") ? message.substr(dot + 1) : message;
}

template <typename Options, typename... Args>
void validate_as_options(const Options& options, const Args&... args) {
  try {
    options.validate(args...);
  } catch (const Error& error) {
    throw Error(error.kind(), with_option_name(error.what()));
  }
}

InferenceOptions paper_preset() {
  InferenceOptions o;
  o.poisson_counts = true;
  o.stop_axis_ratio = 1;
  o.ensemble = o.round_ensemble = 1;
  o.truncation.padding = o.truncation.padding_rows = 0;
  o.truncation.gap_width = 1;  // the paper's region is a box
  o.network = {.kind = NetworkKind::resnet, .hidden = 64, .depth = 2};
  o.training.loss = {};
  o.training.optimizer = {.kind = OptimizerKind::adam, .learning_rate = 0.01};
  o.training.schedule = {
      .kind = ScheduleKind::plateau, .plateau_factor = 0.1, .plateau_patience = 5};
  o.training.batch_size = 128;
  o.training.max_epochs = 300;
  o.training.patience = 20;
  o.training.validation_negatives = 1;
  return o;
}

// docs/decisions/ has the measurements: 0003, 0004, 0006, 0008, 0009 and 0010.
InferenceOptions default_preset() {
  InferenceOptions o;
  o.round_fraction = 0.1;
  o.max_rounds = 15;
  o.round_minimum = 200;
  o.stop_rounds = 2;
  o.ensemble_rows = 2000;
  o.minimum_steps = 8;
  o.network.activation = Activation::silu;
  o.network.norm = Norm::alternate;
  o.network.dropout = 0.05;
  o.training.optimizer = {
      .kind = OptimizerKind::adamw, .learning_rate = 5e-3, .weight_decay = 1e-2};
  o.training.schedule = {.kind = ScheduleKind::cosine};
  o.training.max_epochs = 60;
  o.training.patience = 7;
  o.training.weight_average = 0.995;
  o.training.tails = Tails::soften;
  o.training.column_shrinkage = 1;
  o.training.embedding_start = EmbeddingStart::regression;
  o.training.embedding_full_rate_inputs = 48;
  return o;
}

// The table of the paper's appendix on cosmology.
InferenceOptions paper_cosmology_preset() {
  InferenceOptions o = paper_preset();
  o.method = Method::mnre;
  o.network = {.kind = NetworkKind::mlp, .hidden = 256, .depth = 3, .norm = Norm::none};
  o.embedding.kind = EmbeddingKind::linear;
  o.embedding.features = 10;
  o.training.optimizer.learning_rate = 1e-3;
  o.training.schedule.plateau_factor = 0.25;
  o.training.schedule.plateau_patience = 2;
  o.training.batch_size = 64;
  o.training.patience = 5;
  return o;
}

// For thousands of data that a linear compression can do justice to, such as spectra: log
// likelihoods of power spectra are linear in them, so that columns stay as they are.
InferenceOptions cosmology_preset() {
  InferenceOptions o = default_preset();
  o.network.norm = Norm::none;
  o.network.dropout = 0;
  o.embedding.kind = EmbeddingKind::linear;
  o.embedding.features = 16;
  o.training.optimizer.learning_rate = 3e-3;
  o.training.patience = 10;
  o.training.tails = Tails::keep;
  return o;
}

using MakePreset = InferenceOptions (*)();
constexpr std::array<std::pair<const char*, MakePreset>, 4> kPresets = {{
    {"default", default_preset},
    {"paper", paper_preset},
    {"cosmology", cosmology_preset},
    {"paper_cosmology", paper_cosmology_preset},
}};

}  // namespace

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  names.reserve(kPresets.size());
  for (const auto& [name, make] : kPresets) names.emplace_back(name);
  return names;
}

InferenceOptions preset(const std::string& name) {
  for (const auto& [known, make] : kPresets) {
    if (name == known) return make();
  }
  fail(ErrorKind::input, "preset = '{}': must be one of {}", name, fmt::join(preset_names(), ", "));
}

void TruncationOptions::validate() const {
  check(epsilon > 0 && epsilon < 1, "epsilon", epsilon, "must lie in (0, 1)");
  check(padding >= 0 && padding <= 1, "padding", padding, "must lie in [0, 1]");
  check(padding_rows >= 0, "padding_rows", padding_rows, "must be 0 or greater");
  check(gap_width >= 0 && gap_width <= 1, "gap_width", gap_width, "must lie in [0, 1]");
  check(gap_margin >= 0, "gap_margin", gap_margin, "must be 0 or greater");
  check(grid >= 64 && grid <= (1 << 20), "truncation_grid", static_cast<double>(grid),
        "must lie in 64 .. 1048576");
}

int InferenceOptions::networks(int least, Index rows) const {
  HONE_ASSERT(rows > 0);
  const Index together = least * rows;
  const Index times = std::max<Index>(1, (ensemble_rows + together - 1) / together);
  return static_cast<int>(least * times);
}

void InferenceOptions::validate(Index data_size) const {
  check(budget >= 50 && budget <= 1'000'000'000, "budget", static_cast<double>(budget),
        "must lie in 50 .. 1000000000");
  check(max_rounds >= 1, "max_rounds", max_rounds, "must be 1 or greater");
  check(round_fraction > 0 && round_fraction <= 1, "round_fraction", round_fraction,
        "must lie in (0, 1]");
  check(round_minimum >= 1, "round_minimum", static_cast<double>(round_minimum),
        "must be 1 or greater");
  check(round_growth > 1, "round_growth", round_growth, "must be greater than 1");
  check(round_increment >= 1, "round_increment", static_cast<double>(round_increment),
        "must be 1 or greater");
  check(stop_ratio > 0 && stop_ratio <= 1, "stop_ratio", stop_ratio, "must lie in (0, 1]");
  check(stop_axis_ratio > 0 && stop_axis_ratio <= 1, "stop_axis_ratio", stop_axis_ratio,
        "must lie in (0, 1]");
  check(stop_rounds >= 1, "stop_rounds", stop_rounds, "must be 1 or greater");
  check(ensemble >= 1 && ensemble <= 1000, "ensemble", ensemble, "must lie in 1 .. 1000");
  check(round_ensemble >= 1 && round_ensemble <= 1000, "round_ensemble", round_ensemble,
        "must lie in 1 .. 1000");
  check(ensemble_rows >= 0 && ensemble_rows <= 50'000, "ensemble_rows",
        static_cast<double>(ensemble_rows), "must lie in 0 .. 50000");
  check(validation_fraction > 0 && validation_fraction < 1, "validation_fraction",
        validation_fraction, "must lie in (0, 1)");
  check(minimum_steps >= 1 && minimum_steps <= 1000, "minimum_steps", minimum_steps,
        "must lie in 1 .. 1000");
  check(max_failed_fraction >= 0 && max_failed_fraction <= 1, "max_failed_fraction",
        max_failed_fraction, "must lie in [0, 1]");
  truncation.validate();
  validate_as_options(network);
  validate_as_options(embedding, data_size);
  check(embedding.kernel >= 1, "embedding_kernel", embedding.kernel, "must be 1 or greater");
  check(embedding.stride >= 1, "embedding_stride", embedding.stride, "must be 1 or greater");
  validate_as_options(training);
}

}  // namespace hone
