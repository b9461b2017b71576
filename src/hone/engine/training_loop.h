#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "hone/engine/embedding_trainer.h"
#include "hone/engine/member_trainer.h"

namespace hone {

// What the epochs of a training run need; the same for ratios and densities.
struct LoopInput {
  const RowSource& x;
  const Standardizer& x_scores;
  std::span<const Index> training, validation;                 // rows of x
  Index segment_bytes = 0;                                     // TrainingData
  const std::vector<std::unique_ptr<MemberTrainer>>& members;  // null: trained by another process
  EmbeddingTrainer* embedding = nullptr;                       // null: none
  std::function<Workspace<float>()> make_workspace;            // one per thread
};

// Trains until every member has stopped (train() in trainer.h says when) and gives each its best
// weights back.
std::vector<MemberHistory> run_training(const LoopInput& input, const TrainingOptions& options,
                                        const Rng& rng, Observer& observer, ProcessGroup& group);

}  // namespace hone
