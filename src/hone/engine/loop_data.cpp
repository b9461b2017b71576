#include "hone/engine/loop_data.h"

namespace hone {
namespace {

// More features than these are computed again in every step, batch by batch.
constexpr Index kMostBytes = Index{1} << 30;

}  // namespace

LoopData::LoopData(const TrainingData& data, const Standardizer& scores,
                   EmbeddingTrainer* embedding)
    : x_(data.x), scores_(scores), embedding_(embedding) {
  if (embedding == nullptr || !embedding->finished() || data.x.random()) return;
  const Index columns = embedding->features_per_row();
  if (data.x.rows() * columns * Index{sizeof(float)} > kMostBytes) return;
  table_ = embedding->feature_table(data);
  features_.emplace(table_.view());
  feature_scores_.mean.assign(std::size_t(table_.cols()), 0.0F);
  feature_scores_.inverse.assign(std::size_t(table_.cols()), 1.0F);
}

}  // namespace hone
