#pragma once

#include <span>
#include <vector>

#include "hone/core/matrix.h"
#include "hone/core/rng.h"
#include "hone/engine/batches.h"
#include "hone/engine/optimizer.h"
#include "hone/engine/stack.h"
#include "hone/engine/trainer.h"

namespace hone {

// Trains the embedding that the members of a stack share, by the sum of their losses.
class EmbeddingTrainer {
 public:
  EmbeddingTrainer(NetworkStack& stack, const TrainingOptions& options, Rng rng);

  // For a linear embedding, before the first step: the first features, as many as there are places;
  // the others begin with 0. weights: (columns of x, features)
  void start_with(const Matrix<float>& weights);

  // Before the first step: finds the standard scores of traits (traits.h) and the weights of linear
  // estimates, if there are any, from the rows of training: by ridge regression (ridge.h), or by
  // linear_start() where the data are random or have too many columns. theta: standard scores.
  void start_estimates(const TrainingData& data, MatrixView<const float> theta);

  // Nothing is left to be trained together with the networks: they may as well see features().
  bool finished() const { return optimizers_.empty(); }
  Index features_per_row() const { return embedding_.options().output_size(); }
  // Features of the rows of training, with the estimates that each has without itself, and of
  // validation; 0 in other rows. (rows of the table, features)
  Matrix<float> feature_table(const TrainingData& data);

  // Features of a batch of training, valid until the next call. Estimates are those that each row
  // has without itself.
  MatrixView<const float> forward(const Segment& batch);
  // Features of any number of rows by the weights that would be kept: the averaged ones, if any.
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
  MatrixView<const float> forward(MatrixView<const float> x, std::span<const float> parameters);
  std::span<const float> current() const;
  void forget_past();  // what is averaged and kept begins with the weights as they are

  const Embedding<float>& embedding_;
  const Standardizer& x_scores_;
  std::span<float> parameters_;
  Index batch_rows_;
  EmbeddingWorkspace<float> workspace_;
  void fit_trait_scores(const TrainingData& data);
  void fit_estimates(const TrainingData& data, MatrixView<const float> theta);
  void take_left_out(float* features, Index row) const;

  Matrix<float> left_out_;                    // (rows, estimates); empty: as they are
  std::vector<Optimizer<float>> optimizers_;  // one for each layer
  std::vector<double> rate_shares_;           // of the learning rate, for each layer
  double weight_average_;
  AlignedBuffer<float> best_, average_;  // average_ is empty when weights are not averaged
  std::vector<AlignedBuffer<float>> member_gradients_;
  AlignedBuffer<float> gradient_sum_;  // of all members
};

}  // namespace hone
