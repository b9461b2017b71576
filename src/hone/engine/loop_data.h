#pragma once

#include <optional>

#include "hone/core/process_group.h"
#include "hone/engine/embedding_trainer.h"

namespace hone {

// What the networks of a stack are trained on: the data, seen through an embedding that is trained
// with them; or, where nothing of the embedding is left to be trained, its features, as if these
// were the data, unless these would fill the memory. Then every network has its own schedule and
// best epoch, and no step computes the embedding again.
class LoopData {
 public:
  // embedding: null if there is none. All must outlive this.
  LoopData(const TrainingData& data, const Standardizer& scores, EmbeddingTrainer* embedding);

  const RowSource& x() const { return features_ ? static_cast<const RowSource&>(*features_) : x_; }
  const Standardizer& scores() const { return features_ ? feature_scores_ : scores_; }
  EmbeddingTrainer* embedding() const { return features_ ? nullptr : embedding_; }
  // Which process trains what. Behind an embedding the losses of all networks decide between
  // embeddings (estimate/encoder_choice.h), so that every process must know them all: it trains
  // them all, which features make quick, instead of waiting for the others.
  ProcessGroup& group(ProcessGroup& all) const { return features_ ? single_process() : all; }

 private:
  const RowSource& x_;
  const Standardizer& scores_;
  EmbeddingTrainer* embedding_;
  Matrix<float> table_;
  std::optional<MatrixRows> features_;  // of the table
  Standardizer feature_scores_;         // as they are
};

}  // namespace hone
