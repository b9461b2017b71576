#include <array>
#include <utility>

#include <fmt/ranges.h>

#include "hone/core/error.h"
#include "hone/inference/option_table.h"

namespace hone {
namespace {

InferenceOptions default_preset() {
  return {};
}

// Everything the paper says, and nothing that hone adds to it.
InferenceOptions paper_preset() {
  InferenceOptions o;
  o.max_rounds = 10;
  o.round_fraction = 0.3;
  o.round_minimum = 1;
  o.poisson_counts = true;
  o.stop_axis_ratio = 1;
  o.stop_rounds = 1;
  o.final_fraction = 0;
  o.estimators = Estimators::ratio;
  o.ensemble = o.round_ensemble = 1;
  o.ensemble_rows = 0;
  o.minimum_steps = 1;
  o.truncation.padding = o.truncation.padding_rows = 0;
  o.truncation.gap_width = 1;  // the paper's region is a box
  o.network = {.kind = NetworkKind::resnet,
               .hidden = 64,
               .depth = 2,
               .activation = Activation::relu,
               .norm = Norm::batch,
               .dropout = 0};
  o.embedding.kind = EmbeddingKind::none;
  o.training = {
      .loss = {},
      .optimizer = {.kind = OptimizerKind::adam, .learning_rate = 0.01},
      .schedule = {.kind = ScheduleKind::plateau, .plateau_factor = 0.1, .plateau_patience = 5},
      .batch_size = 128,
      .max_epochs = 300,
      .patience = 20,
      .validation_negatives = 1,
      .weight_average = 0,
      .tails = Tails::keep,
      .column_shrinkage = 0,
      .embedding_full_rate_inputs = 0,
      .embedding_start = EmbeddingStart::random};
  return o;
}

// What the sbibm benchmark used for the methods that the paper compares TMNRE with (Lueckmann et
// al. 2021), and nothing that hone adds: ratios, densities of posteriors, ABC.
InferenceOptions benchmark_preset() {
  InferenceOptions o = paper_preset();
  o.method = "nre";
  o.max_rounds = 10;
  o.round_fraction = 0.1;
  o.poisson_counts = false;
  o.network = {.kind = NetworkKind::resnet,
               .hidden = 50,
               .depth = 2,
               .activation = Activation::relu,
               .norm = Norm::none,
               .dropout = 0};
  o.training.loss = {.kind = LossKind::nre_b, .negatives = 9};
  o.training.optimizer.learning_rate = 5e-4;
  o.training.schedule = {.kind = ScheduleKind::constant};
  o.training.batch_size = 10000;
  o.training.max_epochs = 5000;
  o.training.patience = 20;
  o.training.validation_negatives = 9;
  o.density.form = DensityForm::spline;
  o.density.components = 11;  // 10 bins
  o.density.transforms = 5;
  o.abc = {.scale = AbcScale::none,
           .adjust = false,
           .accept_fraction = 1e-9,
           .accept_minimum = 100,
           .population_fraction = 0.1,
           .quantile = 0.2,
           .kernel_scale = 0.5};
  return o;
}

// Each method as in its published row.
InferenceOptions published_preset(const std::string& method) {
  // Rows of the paper itself.
  if (method == "tmnre" || method == "mnre") return paper_preset();
  InferenceOptions o = benchmark_preset();
  // Posteriors are spline flows there, likelihoods masked autoregressive ones, whose steps are
  // affine.
  if (method == "nle" || method == "snle" || method == "tnle") {
    o.density.form = DensityForm::mixture;
    o.density.components = 1;
  }
  return o;
}

// The table of the paper's appendix on cosmology.
InferenceOptions paper_spectra_preset() {
  InferenceOptions o = paper_preset();
  o.method = "mnre";
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
InferenceOptions spectra_preset() {
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
constexpr std::array<std::pair<const char*, MakePreset>, 5> kPresets = {{
    {"default", default_preset},
    {"paper", paper_preset},
    {"published", benchmark_preset},
    {"spectra", spectra_preset},
    {"paper_spectra", paper_spectra_preset},
}};

// Presets are named by what the data are. These were named by where such data come from.
constexpr std::array<std::pair<const char*, const char*>, 2> kOlderNames = {
    {{"cosmology", "spectra"}, {"paper_cosmology", "paper_spectra"}}};

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
  for (const auto& [older, known] : kOlderNames) {
    if (name == older) return preset(known);
  }
  fail_value("preset", fmt::format("'{}'", name),
             fmt::format("must be one of {}", fmt::join(preset_names(), ", ")));
}

InferenceOptions preset(const std::string& name, const std::string& method) {
  if (method.empty()) return preset(name);
  InferenceOptions options = name == "published" ? published_preset(method) : preset(name);
  set_option(options, "method", method);
  return options;
}

}  // namespace hone
