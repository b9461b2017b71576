#pragma once

#include <string>

#include "hone/core/data_description.h"
#include "hone/engine/column_density.h"
#include "hone/engine/trainer.h"

namespace hone {

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

  bool operator==(const TruncationOptions&) const = default;
};

// Networks that learn densities (density_estimator.h, likelihood_estimator.h).
struct DensityOptions {
  DensityForm form = DensityForm::mixture;
  int components = 8;  // Gaussians of a mixture, or knots of a spline
  Index steps = 1500;  // of the optimiser at the least: few simulations get more epochs
  double dropout = 0;
  int atoms = 10;      // parameter vectors that the atomic loss of SNPE chooses from
  int transforms = 1;  // of a flow; 1: each number has a network of its own, given those before it

  bool operator==(const DensityOptions&) const = default;
};

// What answers in the final region of TMNRE.
enum class Estimators {
  ratio,     // ratio networks, as in the paper
  evidence,  // these and a likelihood, each as much as it predicts held-out simulations
};

// What the columns of the data are divided by before distances are measured.
enum class AbcScale { none, deviation };

// Approximate Bayesian computation (abc.h).
struct AbcOptions {
  AbcScale scale = AbcScale::deviation;
  bool adjust = true;                // linear regression adjustment
  double accept_fraction = 0.02;     // rejection: the nearest so many ...
  Index accept_minimum = 200;        // ... at least
  double population_fraction = 0.1;  // populations of SMC, over the budget; 100 at least
  double quantile = 0.2;             // of the distances of a population: the limit of the next
  double kernel_scale = 0.5;         // of the population's covariance

  bool operator==(const AbcOptions&) const = default;
};

// As they are: the default preset. docs/decisions/ has the measurements: 0003, 0004, 0006, 0008,
// 0009 and 0010.
struct InferenceOptions {
  std::string method = "tmnre";  // a row of method_table() (inference/method.h)
  Index budget = 10000;
  int max_rounds = 15;
  RoundSchedule round_schedule = RoundSchedule::fraction;
  double round_fraction = 0.1;
  Index round_minimum = 200;  // simulations a round works with at the least
  double round_growth = 1.5;
  Index round_increment = 10000;
  bool poisson_counts = false;
  double stop_ratio = 0.8;
  double stop_axis_ratio = 0.85;
  int stop_rounds = 2;          // stop after so many rounds in a row that hardly shrink
  double final_fraction = 0.3;  // of the budget: rounds leave it to the final region
  bool spend_all = true;        // simulate what is left of the budget in the final region
  TruncationOptions truncation;

  Estimators estimators = Estimators::evidence;
  int ensemble = 2;            // networks per requested marginal
  int round_ensemble = 2;      // networks per axis while truncating
  Index ensemble_rows = 2000;  // more of both where networks x simulations is less
  double validation_fraction = 0.1;
  int minimum_steps = 8;  // per epoch: batches get smaller for small data sets
  NetworkOptions network{.activation = Activation::silu, .norm = Norm::alternate, .dropout = 0.05};
  EmbeddingOptions embedding{.kind = EmbeddingKind::automatic, .hidden = {}};
  TrainingOptions training{
      .loss = {},
      .optimizer = {.kind = OptimizerKind::adamw, .learning_rate = 5e-3, .weight_decay = 1e-2},
      .schedule = {.kind = ScheduleKind::cosine},
      .max_epochs = 60,
      .patience = 7,
      .weight_average = 0.995,
      .tails = Tails::soften,
      .column_shrinkage = 1,
      .embedding_full_rate_inputs = 48,
      .embedding_start = EmbeddingStart::regression};
  DensityOptions density;
  double max_failed_fraction = 0.5;
  AbcOptions abc;

  bool operator==(const InferenceOptions&) const = default;
};

// What there is to learn from.
struct DataSize {
  Index rows = 0;           // simulations that succeeded
  Index training_rows = 0;  // of which so many do not validate
  Index columns = 0;        // numbers of each
  Index parameters = 0;
  DataDescription data = {};  // what the numbers are, if that is declared
};

// The options as they are used on so many simulations: few of them get more networks, smaller
// batches, a shorter average of the weights and wider padding; few columns are not shrunk. What a
// round used is this and nothing else, and is written into its file.
InferenceOptions fitted(InferenceOptions options, const DataSize& data);

// The same for networks that learn densities: no norm, a clipped gradient, as many epochs as it
// takes for the steps asked for, and four networks instead of two where simulations are few.
InferenceOptions fitted_densities(InferenceOptions options, const DataSize& data);

// What of them differs from round to round.
struct FittedOptions {
  int networks = 0;  // per marginal
  int batch_size = 0;
  double weight_average = 0, column_shrinkage = 0;
  double padding = 0;
  std::string embedding = {};  // what stands before the networks (encoder_choice.h); empty: nothing
};
FittedOptions fitted_options(const InferenceOptions& used, int networks,
                             const DataDescription& data);

}  // namespace hone
