#pragma once

#include <span>
#include <string>
#include <vector>

#include "hone/core/observer.h"
#include "hone/core/process_group.h"
#include "hone/core/rng.h"
#include "hone/engine/loss.h"
#include "hone/engine/optimizer.h"
#include "hone/engine/row_source.h"
#include "hone/engine/stack.h"

namespace hone {

// The weights an embedding begins with.
enum class EmbeddingStart {
  random,
  regression,  // linear: estimates of the parameters (embedding_start.h); others: random
};

struct TrainingOptions {
  LossOptions loss;
  OptimizerOptions optimizer;
  ScheduleOptions schedule;
  int batch_size = 128;          // rows of x per step; in 2 .. 65536
  int max_epochs = 300;          // >= 1
  int patience = 20;             // epochs without a better validation loss before a member stops
  int validation_negatives = 4;  // frozen negatives per validation row; >= 1
  double weight_average = 0;     // decay per step of an average of the weights, which is then what
                                 // is validated and kept; 0: off; in [0, 1)
  Tails tails = Tails::keep;     // of the columns of x
  // Every step makes the weights of each input column of a network shorter by this times the
  // learning rate (the proximal step of a group lasso): a column whose gradients do not pull it
  // back again and again is switched off. 0: none are; >= 0
  double column_shrinkage = 0;
  // A layer of the embedding with more inputs learns at this / inputs of the learning rate; 0: all
  // at the full rate.
  double embedding_full_rate_inputs = 0;
  EmbeddingStart embedding_start = EmbeddingStart::random;
  void validate() const;
  bool operator==(const TrainingOptions&) const = default;
};

// A simulation is a row of x and the same row of theta. A row belongs to training or to validation;
// rows in neither are ignored. theta may have more rows than x: parameters without data, which can
// only be negatives.
//
// Negatives stand for the prior. Where data exist for some parameters more often than for others,
// they must come from all parameters that were tried: the networks then learn
// p(theta | x, data exist) / p(theta) instead of the ratio to p(theta | data exist).
struct TrainingData {
  const RowSource& x;             // (rows, data size)
  MatrixView<const float> theta;  // (at least rows, parameters)
  std::span<const Index> training;
  std::span<const Index> validation;
  std::span<const Index> training_negatives = {};    // rows of theta; empty: those of training
  std::span<const Index> validation_negatives = {};  // rows of theta; empty: those of validation
  // Memory for the rows of x in use. 64 MiB: many batches of the widest data, little next to the
  // simulations themselves. Results do not depend on it.
  Index segment_bytes = Index{64} << 20;
};

enum class StopReason {
  converged,   // no progress for `patience` epochs
  max_epochs,  // still learning when the epochs ran out
  diverged,    // the loss became NaN or infinite; the best weights until then are kept
};
std::string to_string(StopReason reason);

struct MemberHistory {
  std::vector<float> training_loss, validation_loss, learning_rate;  // per epoch
  int best_epoch = 0;  // whose weights were kept, 1-based; 0: the initial ones
  double best_loss = 0;
  StopReason stop = StopReason::converged;
};

struct TrainingResult {
  RatioStack stack;
  std::vector<MemberHistory> histories;  // per member
};

// Trains one network per member. Everything wrong with the input is an Error{input} before any
// training: no members, shapes that do not fit, fewer training rows than one batch, no validation
// rows, values that are not finite.
//
// Without an embedding every member has its own schedule, early stopping and best weights; with
// one, all members share them, since they share the features, and the sum of their losses decides.
//
// In a group, members that other processes train are returned with meaningless weights; without an
// embedding also with empty histories.
TrainingResult train(const TrainingData& data, std::vector<MemberSpec> members,
                     const NetworkOptions& network, const EmbeddingOptions& embedding,
                     const TrainingOptions& options, const Rng& rng,
                     Observer& observer = silent_observer(),
                     ProcessGroup& group = single_process());

// Memory a training run holds per member: parameters, best and averaged weights, Adam's moments.
std::size_t training_bytes_per_member(const RatioStack& stack, const TrainingOptions& options);

}  // namespace hone
