#pragma once

#include <optional>
#include <span>
#include <vector>

#include "hone/engine/network_in_training.h"

namespace hone {

// Trains one member of a stack, or several whose loss is one: steps, validation loss, best weights.
// What the loss is, the derived class knows.
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
  // `count` members of the stack from `first`.
  MemberTrainer(NetworkStack& stack, Index first, Index count, const TrainingOptions& options,
                const Rng& rng);

  // Remembers the loss; false if it is not finite.
  bool count_loss(double loss);

  const TrainingOptions& options_;
  std::vector<NetworkInTraining> networks_;

 private:
  double loss_sum_ = 0;
  int steps_ = 0;
};

// Parameters as standard scores, and the rows of them that may be negatives.
struct ThetaTable {
  MatrixView<const float> scores;  // (rows, parameters)
  std::span<const Index> training_negatives;
  std::span<const Index> validation_negatives;
};

// candidates (1 + negatives, rows): the rows themselves, then negatives from `pool`. A row is never
// its own negative.
void draw_candidates(std::vector<Index>& candidates, std::span<const Index> rows,
                     std::span<const Index> pool, Index negatives, Rng& rng);

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
  // workspace.theta (1 + negatives, rows, columns).
  void gather_theta(Workspace<float>& workspace, std::span<const Index> rows,
                    std::span<const Index> pool, Index negatives, Rng& rng);
  NetworkInTraining& network() { return networks_.front(); }

  ThetaTable theta_;
  Rng validation_rng_;
  std::optional<Rng> negatives_, validation_negatives_;
  std::vector<Index> candidates_;
};

}  // namespace hone
