#pragma once

#include <optional>

#include "hone/engine/density_start.h"
#include "hone/engine/density_trainer.h"
#include "hone/engine/member_trainer.h"

namespace hone {

// Of a density network. x are data as standard scores or features, `theta` (rows, parameters) the
// parameters as standard scores: one of them is the context, the other the table.
class DensityMemberTrainer final : public MemberTrainer {
 public:
  DensityMemberTrainer(DensityStack& stack, Index member, DensityOf what,
                       MatrixView<const float> theta, const LinearStart* start,
                       const TrainingOptions& options, const Rng& rng);

  double step(Workspace<float>& workspace, MatrixView<const float> x, std::span<const Index> rows,
              double learning_rate, float* dx) override;
  void add_validation_loss(double& sum, Workspace<float>& workspace, MatrixView<const float> x,
                           std::span<const Index> rows) override;

 private:
  // Columns of the table to workspace.theta and target_; returns the context.
  MatrixView<const float> gather(Workspace<float>& workspace, MatrixView<const float> x,
                                 std::span<const Index> rows);
  NetworkInTraining& network() { return networks_.front(); }
  Index inputs() const { return std::ssize(networks_.front().spec().columns) - 1; }

  DensityOf what_;
  MatrixView<const float> theta_;
  DensityShape shape_;
  Matrix<float> context_;      // (batch, padded parameters), where they are the context
  std::vector<float> target_;  // (batch)
};

}  // namespace hone
