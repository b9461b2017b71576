#include "hone/engine/trainer.h"

#include <algorithm>
#include <optional>

#include "hone/engine/batches.h"
#include "hone/engine/data_scores.h"
#include "hone/engine/embedding_start.h"
#include "hone/engine/loop_data.h"
#include "hone/engine/training_input.h"
#include "hone/engine/training_loop.h"

namespace hone {
namespace {

Matrix<float> standard_scores(const Standardizer& scores, MatrixView<const float> table) {
  Matrix<float> result(table.rows(), table.cols());
  scores.apply(result, table);
  return result;
}

// start: weights of the embedding to begin with (linear_start), or null.
std::vector<MemberHistory> train_members(const TrainingData& data, RatioStack& stack,
                                         const Matrix<float>* start, const TrainingOptions& options,
                                         const Rng& rng, Observer& observer, ProcessGroup& group) {
  const Matrix<float> scores = standard_scores(stack.theta_scores(), data.theta);
  const ThetaTable theta{scores, data.training_negatives, data.validation_negatives};
  std::optional<EmbeddingTrainer> embedding;
  if (stack.embedding() != nullptr) {
    embedding.emplace(stack, options, rng.child("embedding"));
    if (start) embedding->start_with(*start);
    embedding->start_estimates(data, scores);
  }
  const LoopData loop(data, stack.x_scores(), embedding ? &*embedding : nullptr);
  ProcessGroup& team = loop.group(group);
  std::vector<std::unique_ptr<MemberTrainer>> members;
  for (Index k = 0; k < stack.size(); ++k) {
    members.push_back(team.mine(k)
                          ? std::make_unique<RatioMemberTrainer>(stack, k, theta, options, rng)
                          : nullptr);
  }
  const auto make_workspace = [&] {
    const Index negatives = std::max(options.loss.negatives, options.validation_negatives);
    return Workspace<float>(stack.layout(), stack.network(0).shape().theta_size,
                            options.batch_size * (1 + negatives), options.batch_size, true);
  };
  return run_training({.x = loop.x(),
                       .x_scores = loop.scores(),
                       .training = data.training,
                       .validation = data.validation,
                       .segment_bytes = data.segment_bytes,
                       .members = members,
                       .embedding = loop.embedding(),
                       .make_workspace = make_workspace},
                      options, rng, observer, team);
}

}  // namespace

TrainingResult train(const TrainingData& given, std::vector<MemberSpec> members,
                     const NetworkOptions& network, const EmbeddingOptions& embedding,
                     const TrainingOptions& options, const Rng& rng, Observer& observer,
                     ProcessGroup& group) {
  check_training_input(given, members, network, embedding, options);
  TrainingData data = given;
  if (data.training_negatives.empty()) data.training_negatives = data.training;
  if (data.validation_negatives.empty()) data.validation_negatives = data.validation;
  Standardizer x = fit_data_standardizer(data.x, data.training, options.tails, embedding);
  check_finite(data.x, data.validation, "x", embedding.may_be_missing());
  const MatrixRows theta_rows(data.theta);
  Standardizer theta = fit_standardizer(theta_rows, data.training_negatives, "theta");
  check_finite(theta_rows, data.validation_negatives, "theta");
  std::optional<Matrix<float>> start;
  if (embedding.kind == EmbeddingKind::linear &&
      options.embedding_start == EmbeddingStart::regression) {
    SegmentReader reader(data.x, x, options.batch_size, data.segment_bytes);
    start = linear_start(reader, data.x.cols(), standard_scores(theta, data.theta), data.training,
                         data.x.random(), kFirstRealisationOfStart);
    scale_columns(x, *start);
  }
  RatioStack stack(std::move(members), network, embedding, std::move(x), std::move(theta));
  std::vector<MemberHistory> histories =
      train_members(data, stack, start ? &*start : nullptr, options, rng, observer, group);
  return {std::move(stack), std::move(histories)};
}

std::size_t training_bytes_per_member(const RatioStack& stack, const TrainingOptions& options) {
  const NetworkLayout& layout = stack.layout();
  const Index copies = options.weight_average > 0 ? 3 : 2;  // current, best, average
  return static_cast<std::size_t>(copies * layout.total + 2 * layout.trained) * sizeof(float);
}

}  // namespace hone
