#pragma once

#include <optional>
#include <span>

#include "hone/core/matrix.h"
#include "hone/core/rng.h"
#include "hone/engine/network.h"
#include "hone/engine/stack.h"
#include "hone/engine/trainer.h"

namespace hone {

// Trains one member of a stack: its steps, its validation loss, its best weights. What its loss is,
// the derived class knows.
class MemberTrainer {
 public:
  virtual ~MemberTrainer() = default;

  virtual void start_epoch(int epoch);
  // One optimiser step on a batch of `rows` with standard scores or features x; returns the loss.
  // If the loss is not finite nothing moves. dx, if not null, is overwritten with its gradient.
  virtual double step(Workspace<float>& workspace, MatrixView<const float> x,
                      std::span<const Index> rows, double learning_rate, float* dx) = 0;

  // Adds the validation losses of `rows` to `sum`, batch by batch, so that the bits do not depend
  // on how many rows a call has; the caller divides by their number. Called for the same rows in
  // the same order every epoch, after start_validation.
  virtual void start_validation() {}
  virtual void add_validation_loss(double& sum, Workspace<float>& workspace,
                                   MatrixView<const float> x, std::span<const Index> rows) = 0;

  void keep_as_best();
  void restore_best();
  double mean_training_loss() const { return steps_ == 0 ? 0 : loss_sum_ / steps_; }

 protected:
  MemberTrainer(NetworkStack& stack, Index member, const TrainingOptions& options, const Rng& rng);

  void forget_past();  // what is averaged and kept begins with the weights as they are
  std::uint64_t next_dropout_key();
  // Remembers the loss; false if it is not finite.
  bool count_loss(double loss);
  // One step of the optimiser, down workspace.gradient.
  void move(Workspace<float>& workspace, double learning_rate, Index data_columns);
  std::span<float> current() { return average_.size() > 0 ? average_.span() : parameters_; }

  const Network<float>& network_;
  const MemberSpec& spec_;
  const TrainingOptions& options_;
  std::span<float> parameters_;
  Rng rng_;

 private:
  Optimizer<float> optimizer_;
  AlignedBuffer<float> best_, average_;  // average_ is empty when weights are not averaged
  std::uint64_t dropout_key_ = 0;
  double loss_sum_ = 0;
  int steps_ = 0;
};

// Parameters as standard scores, and the rows of them that may be negatives.
struct ThetaTable {
  MatrixView<const float> scores;  // (rows, parameters)
  std::span<const Index> training_negatives;
  std::span<const Index> validation_negatives;
};

// Of a ratio network. Members that differ in their replica alone have the same validation
// negatives, so that their losses compare.
class RatioMemberTrainer final : public MemberTrainer {
 public:
  RatioMemberTrainer(RatioStack& stack, Index member, const ThetaTable& theta,
                     const TrainingOptions& options, const Rng& rng);

  void start_epoch(int epoch) override;
  double step(Workspace<float>& workspace, MatrixView<const float> x, std::span<const Index> rows,
              double learning_rate, float* dx) override;
  void start_validation() override;
  void add_validation_loss(double& sum, Workspace<float>& workspace, MatrixView<const float> x,
                           std::span<const Index> rows) override;

 private:
  // workspace.theta (1 + negatives, rows, columns): the rows' own theta, then negatives from
  // `pool`.
  void gather_theta(Workspace<float>& workspace, std::span<const Index> rows,
                    std::span<const Index> pool, Index negatives, Rng& rng) const;

  ThetaTable theta_;
  Rng validation_rng_;
  std::optional<Rng> negatives_, validation_negatives_;
};

}  // namespace hone
