#include "hone/files/json_text.h"
#include "hone/inference/option_table.h"

namespace hone {
namespace {

// Frozen: a run that somebody made years ago goes on as it began. The presets may change, this must
// not. An option that is new gets a line here, with the value that does what hone did before it.
constexpr const char* kDefaults = R"({
  "method": "tmnre", "budget": 10000, "max_rounds": 10, "round_schedule": "fraction",
  "round_fraction": 0.3, "round_minimum": 1, "round_growth": 1.5, "round_increment": 10000,
  "poisson_counts": false, "stop_ratio": 0.8, "stop_axis_ratio": 0.85, "stop_rounds": 1,
  "final_fraction": 0.0, "spend_all": true, "max_failed_fraction": 0.5,
  "epsilon": 2.2603294069810542e-06,
  "padding": 0.01, "padding_rows": 5.0, "gap_width": 0.05, "gap_margin": 3.0,
  "truncation_grid": 4096, "round_ensemble": 2, "estimators": "ratio", "ensemble": 2, "ensemble_rows": 0,
  "network": "resnet", "hidden": 64, "depth": 2, "activation": "relu", "norm": "batch",
  "dropout": 0.0, "embedding": "none", "embedding_features": 10, "embedding_hidden": [],
  "embedding_kernel": 5, "embedding_stride": 2, "embedding_activation": "relu",
  "embedding_full_rate_inputs": 0.0, "embedding_start": "random", "loss": "nre_a",
  "negatives": 1, "gamma": 1.0, "balance": 0.0, "optimizer": "adam", "learning_rate": 0.001,
  "weight_decay": 0.0, "clip_norm": 0.0, "rate_schedule": "plateau", "plateau_factor": 0.1,
  "plateau_patience": 5, "cosine_floor": 0.0, "batch_size": 128, "minimum_steps": 1,
  "max_epochs": 300, "patience": 20, "validation_negatives": 4, "validation_fraction": 0.1,
  "tails": "keep", "column_shrinkage": 0.0, "weight_average": 0.0,
  "density": "mixture", "components": 8, "transforms": 1, "density_steps": 1500, "density_dropout": 0.0, "atoms": 10,
  "abc_scale": "deviation", "abc_adjust": true, "abc_accept_fraction": 0.02,
  "abc_accept_minimum": 200, "abc_population_fraction": 0.1, "abc_quantile": 0.2,
  "abc_kernel_scale": 0.5
})";

}  // namespace

InferenceOptions old_run_defaults() {
  return inference_options_from_json(parse_json(kDefaults));
}

}  // namespace hone
