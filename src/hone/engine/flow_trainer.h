#pragma once

#include "hone/engine/atomic_batch.h"
#include "hone/engine/density_start.h"
#include "hone/engine/density_trainer.h"
#include "hone/engine/flow_pass.h"
#include "hone/engine/member_trainer.h"

namespace hone {

// Trains one flow of a stack, all its transforms together, by maximum likelihood or by the atomic
// loss. A batch goes through it in blocks of rows that stay in L2 with all they leave for the way
// back; their gradients add up. Flows that differ in their replica alone have the same validation
// atoms.
class FlowTrainer final : public MemberTrainer {
 public:
  // `theta`: parameters as standard scores.
  FlowTrainer(DensityStack& stack, Index flow, const DensityTraining& densities,
              const ThetaTable& theta, const LinearStart* start, const TrainingOptions& options,
              const Rng& rng);

  void start_epoch(int epoch) override;
  double step(Workspace<float>& workspace, MatrixView<const float> x, std::span<const Index> rows,
              double learning_rate, float* dx) override;
  void start_validation() override;
  void add_validation_loss(double& sum, Workspace<float>& workspace, MatrixView<const float> x,
                           std::span<const Index> rows) override;

 private:
  struct Block {
    Index begin, count;  // of candidates_
  };
  template <typename F>
  void for_blocks(F&& f) const;
  // Atoms of the rows, or the rows alone.
  void choose(std::span<const Index> rows, std::span<const Index> pool, std::optional<Rng>& rng);
  // What the flow sees of a block.
  FlowContext<const float> gather(MatrixView<const float> x, Block block);
  void draw_dropout_keys();
  std::span<const std::uint64_t> keys(Block block) const;
  // log densities of all candidates to batch_.
  void look_ahead(Workspace<float>& workspace, MatrixView<const float> x);
  void add_context_gradient(float* dx, Index rows, Block block) const;

  DensityOf what_;
  ThetaTable theta_;
  std::vector<int> columns_;  // as the first transform has them
  AlignedBuffer<float> mask_;
  FlowPass<float> pass_;
  std::vector<float*> parameters_, validated_;  // of each transform
  std::optional<AtomicBatch> batch_;
  Index atoms_;
  Rng training_rng_, validation_rng_;
  std::optional<Rng> training_atoms_, validation_atoms_;
  std::vector<Index> candidates_;            // (atoms, rows): rows of theta
  Matrix<float> context_, dcontext_;         // (block, padded numbers)
  std::vector<std::uint64_t> dropout_keys_;  // (blocks, transforms)
  std::vector<float> dlog_;
};

// For training flows of the stack: one part for each transform.
Workspace<float> flow_workspace(const DensityStack& stack, int batch_size);

}  // namespace hone
