#pragma once

#include <span>
#include <vector>

#include "hone/core/matrix.h"
#include "hone/core/rng.h"
#include "hone/engine/optimizer.h"
#include "hone/engine/stack.h"

namespace hone {

// Trains the embedding that the members of a stack share, by the sum of their losses.
class EmbeddingTrainer {
 public:
  EmbeddingTrainer(RatioStack& stack, Index batch_rows, const OptimizerOptions& options, Rng rng);

  // Features of up to `batch_rows` rows, valid until the next call.
  MatrixView<const float> forward(MatrixView<const float> x);
  // Features of any number of rows.
  Matrix<float> features(MatrixView<const float> x);

  // Where member k writes the gradient of its loss by the features of the batch.
  std::span<float> feature_gradient(Index k) { return member_gradients_[std::size_t(k)].span(); }
  // One step for the batch last given to forward. Gradients are summed in the order of `members`;
  // one that overflowed is left out, so that a member about to diverge does not take the others
  // along.
  void step(MatrixView<const float> x, std::span<const Index> members, double learning_rate);

  void keep_as_best();
  void restore_best();

 private:
  const Embedding<float>& embedding_;
  std::span<float> parameters_;
  Index batch_rows_;
  EmbeddingWorkspace<float> workspace_;
  Optimizer<float> optimizer_;
  AlignedBuffer<float> best_;
  std::vector<AlignedBuffer<float>> member_gradients_;
};

}  // namespace hone
