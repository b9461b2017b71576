#pragma once

#include "hone/engine/atomic_batch.h"
#include "hone/engine/density_start.h"
#include "hone/engine/density_trainer.h"
#include "hone/engine/member_trainer.h"

namespace hone {

// Trains one chain of density networks, q(theta | x) = product of p(theta_j | those before it, x),
// with the atomic loss (density_trainer.h), which ties them together. Chains that differ in their
// replica alone have the same validation atoms.
class AtomicTrainer final : public MemberTrainer {
 public:
  // Members first .. first + length - 1 of the stack. `theta`: parameters as standard scores.
  AtomicTrainer(DensityStack& stack, Index first, Index length, const AtomicLoss& loss,
                const ThetaTable& theta, const LinearStart* start, const TrainingOptions& options,
                const Rng& rng);

  void start_epoch(int epoch) override;
  double step(Workspace<float>& workspace, MatrixView<const float> x, std::span<const Index> rows,
              double learning_rate, float* dx) override;
  void start_validation() override;
  void add_validation_loss(double& sum, Workspace<float>& workspace, MatrixView<const float> x,
                           std::span<const Index> rows) override;

 private:
  // Atoms of the rows, and x once for each of them.
  void gather(MatrixView<const float> x, std::span<const Index> rows, std::span<const Index> pool,
              Rng& rng);
  // What network j sees of the atoms to workspace.theta, and what it is asked about to target_.
  NetworkBatch<float> batch_of(std::size_t j, Workspace<float>& workspace);
  void add_log_density(std::size_t j, const float* outputs);
  Index atoms() const { return static_cast<Index>(candidates_.size()); }

  const AtomicLoss& loss_;
  ThetaTable theta_;
  std::vector<DensityShape> shapes_;  // of the networks
  Rng training_rng_, validation_rng_;
  std::optional<Rng> atoms_, validation_atoms_;
  std::vector<Index> candidates_;  // (atoms, rows): rows of theta
  Matrix<float> x_;                // (atoms rows, columns)
  Matrix<float> dx_;               // of one network
  std::vector<std::uint64_t> dropout_keys_;
  std::vector<float> target_, log_;
  AtomicBatch batch_;
};

}  // namespace hone
