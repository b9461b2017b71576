#pragma once

#include <optional>
#include <span>

#include "hone/core/matrix.h"
#include "hone/core/rng.h"
#include "hone/engine/network.h"
#include "hone/engine/stack.h"
#include "hone/engine/trainer.h"

namespace hone {

// Parameters as standard scores, and the rows of them that may be negatives.
struct ThetaTable {
  MatrixView<const float> scores;  // (rows, parameters)
  std::span<const Index> training_negatives;
  std::span<const Index> validation_negatives;
};

// Trains one member of a stack: its steps, its validation loss, its best weights.
class MemberTrainer {
 public:
  MemberTrainer(RatioStack& stack, Index member, const TrainingOptions& options, const Rng& rng);

  void start_epoch(int epoch);
  // One optimiser step on a batch of `rows` with standard scores or features x; returns the loss.
  // If the loss is not finite nothing moves. dx, if not null, is overwritten with its gradient.
  double step(Workspace<float>& workspace, MatrixView<const float> x, std::span<const Index> rows,
              const ThetaTable& theta, double learning_rate, float* dx);

  // Adds the validation losses of `rows` to `sum`, batch by batch, so that the bits do not depend
  // on how many rows a call has; the caller divides by their number. Called for the same rows in
  // the same order every epoch, after start_validation. Members that differ in their replica alone
  // have the same negatives, so that their losses compare.
  void start_validation();
  void add_validation_loss(double& sum, Workspace<float>& workspace, MatrixView<const float> x,
                           std::span<const Index> rows, const ThetaTable& theta);

  void keep_as_best();
  void restore_best();
  double mean_training_loss() const { return steps_ == 0 ? 0 : loss_sum_ / steps_; }

 private:
  // workspace.theta (1 + negatives, rows, columns): the rows' own theta, then negatives from
  // `pool`.
  void gather_theta(Workspace<float>& workspace, std::span<const Index> rows,
                    MatrixView<const float> scores, std::span<const Index> pool, Index negatives,
                    Rng& rng) const;
  std::span<float> current() { return average_.size() > 0 ? average_.span() : parameters_; }

  const Network<float>& network_;
  const MemberSpec& spec_;
  const TrainingOptions& options_;
  std::span<float> parameters_;
  Rng rng_, validation_rng_;
  Optimizer<float> optimizer_;
  AlignedBuffer<float> best_, average_;  // average_ is empty when weights are not averaged
  std::optional<Rng> negatives_, validation_negatives_;
  std::uint64_t dropout_key_ = 0;
  double loss_sum_ = 0;
  int steps_ = 0;
};

}  // namespace hone
