#include "hone/estimate/options.h"

#include <algorithm>

#include "hone/core/error.h"
#include "hone/estimate/encoder_choice.h"

namespace hone {
namespace {

// With fewer columns than this there is little noise to overfit, and shrinkage does more harm than
// good (docs/decisions/0009).
constexpr Index kManyColumns = 50;

// A multiple of `least`, so that of two kinds there are as many each: from few simulations networks
// learn by chance, and are trained fast.
int networks(int least, Index ensemble_rows, Index rows) {
  HONE_ASSERT(rows > 0);
  const Index together = least * rows;
  const Index times = std::max<Index>(1, (ensemble_rows + together - 1) / together);
  return static_cast<int>(least * times);
}

// Where a schedule leads the rate to its end, it can do so sooner if an epoch has many steps: so
// many steps are enough, and a third of the epochs at the least (docs/decisions/0008).
void shorten_schedule(TrainingOptions& training, Index steps_per_epoch) {
  constexpr Index kEnoughSteps = 4000;
  if (training.schedule.kind != ScheduleKind::cosine) return;
  const Index asked = training.max_epochs, enough = kEnoughSteps / steps_per_epoch;
  training.max_epochs = static_cast<int>(std::clamp(enough, (asked + 2) / 3, asked));
}

}  // namespace

InferenceOptions fitted(InferenceOptions options, const DataSize& data) {
  options.embedding = chosen_embedding(options, data);
  options.ensemble = networks(options.ensemble, options.ensemble_rows, data.rows);
  options.round_ensemble = networks(options.round_ensemble, options.ensemble_rows, data.rows);
  // Where a ratio falls below epsilon is an extrapolation, and the fewer simulations there are, the
  // further it is off.
  TruncationOptions& truncation = options.truncation;
  truncation.padding =
      std::clamp(truncation.padding_rows / static_cast<double>(data.rows), truncation.padding, 1.0);
  // Batches small enough for the steps asked for.
  TrainingOptions& training = options.training;
  const Index fitting = data.training_rows / options.minimum_steps;
  training.batch_size =
      std::min(training.batch_size, static_cast<int>(std::max<Index>(8, fitting)));
  if (options.embedding.kind == EmbeddingKind::blocks) fit_training_to_encoders(training, data);
  // An average that remembers no more than the last tenth of the steps.
  const Index steps_per_epoch = std::max<Index>(1, data.training_rows / training.batch_size);
  shorten_schedule(training, steps_per_epoch);
  const double steps =
      static_cast<double>(training.max_epochs) * static_cast<double>(steps_per_epoch);
  training.weight_average = std::clamp(1 - 10 / steps, 0.0, training.weight_average);
  const bool compressed = options.embedding.kind != EmbeddingKind::none;
  const Index columns = compressed ? options.embedding.output_size() : data.columns;
  if (columns < kManyColumns) training.column_shrinkage = 0;
  return options;
}

InferenceOptions fitted_densities(InferenceOptions options, const DataSize& data) {
  InferenceOptions used = fitted(options, data);
  constexpr int kMostNetworks = 4;
  const auto few = [&](int least) {
    const int wanted = networks(least, 4 * options.ensemble_rows, data.rows);
    return std::min(wanted, std::max(least, kMostNetworks));
  };
  used.ensemble = few(options.ensemble);
  used.round_ensemble = few(options.round_ensemble);
  used.network.norm = Norm::none;
  used.network.dropout = options.density.dropout;
  TrainingOptions& training = used.training;
  if (training.optimizer.clip_norm == 0) training.optimizer.clip_norm = 5;
  const Index per_epoch = std::max<Index>(1, data.training_rows / training.batch_size);
  const Index epochs = (options.density.steps + per_epoch - 1) / per_epoch;
  training.max_epochs = std::max(training.max_epochs, static_cast<int>(epochs));
  // Down a cosine the best epochs come last. Otherwise a tenth of the steps asked for may pass
  // without progress: networks begin with the linear regression, and where that is good it takes
  // them some steps to become better (docs/decisions/0017).
  const bool cosine = training.schedule.kind == ScheduleKind::cosine;
  const int patient = cosine ? training.max_epochs / 3 : static_cast<int>((epochs + 9) / 10);
  training.patience = std::max(training.patience, patient);
  const double steps = static_cast<double>(training.max_epochs) * static_cast<double>(per_epoch);
  training.weight_average =
      std::clamp(1 - 10 / steps, 0.0, std::min(options.training.weight_average, 0.99));
  return used;
}

FittedOptions fitted_options(const InferenceOptions& used, int networks,
                             const DataDescription& data) {
  return {.networks = networks,
          .batch_size = used.training.batch_size,
          .weight_average = used.training.weight_average,
          .column_shrinkage = used.training.column_shrinkage,
          .padding = used.truncation.padding,
          .embedding =
              used.embedding.kind == EmbeddingKind::none ? "" : describe(used.embedding, data)};
}

}  // namespace hone
