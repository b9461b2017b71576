#include "hone/engine/density_trainer.h"

#include <algorithm>
#include <optional>

#include "hone/core/error.h"
#include "hone/engine/batches.h"
#include "hone/engine/density_member_trainer.h"
#include "hone/engine/density_start.h"
#include "hone/engine/training_input.h"
#include "hone/engine/training_loop.h"

namespace hone {
namespace {

// The covariance of more columns costs more than a better start is worth.
constexpr Index kMostRegressed = 512;

void check_densities(const DensityTraining& densities, const EmbeddingOptions& embedding,
                     std::span<const MemberSpec> members, Index columns) {
  if (densities.components < 1 || densities.components > kMostComponents) {
    fail_value("density.components", densities.components,
               fmt::format("must lie in 1 .. {}", kMostComponents));
  }
  if (densities.what == DensityOf::data && embedding.kind != EmbeddingKind::none) {
    fail(ErrorKind::input, "a likelihood is a density of the data themselves: it has no embedding");
  }
  for (const MemberSpec& member : members) {
    for (const int column : member.columns) {
      if (column < 0 || column >= columns) {
        fail(ErrorKind::input, "member {}: column {} does not exist: there are {}", member.name(),
             column, columns);
      }
    }
  }
  HONE_ASSERT(std::ssize(densities.bounds.lower) == columns &&
              std::ssize(densities.bounds.upper) == columns);
}

}  // namespace

DensityResult train_densities(const TrainingData& data, std::vector<MemberSpec> members,
                              const DensityTraining& densities, const NetworkOptions& network,
                              const EmbeddingOptions& embedding, const TrainingOptions& options,
                              const Rng& rng, Observer& observer, ProcessGroup& group) {
  const bool of_data = densities.what == DensityOf::data;
  check_training_input(data, of_data ? std::vector<MemberSpec>{{{0}}} : members, network, embedding,
                       options);
  const Index columns = of_data ? data.x.cols() : data.theta.cols();
  check_densities(densities, embedding, members, columns);
  Standardizer x = fit_standardizer(data.x, data.training, "x", options.tails);
  check_finite(data.x, data.validation, "x");
  const MatrixRows theta_rows(data.theta);
  Standardizer theta = fit_standardizer(theta_rows, data.training, "theta");
  Matrix<float> theta_scores(data.theta.rows(), data.theta.cols());
  theta.apply(theta_scores, data.theta);

  std::optional<LinearStart> start;
  if (embedding.kind == EmbeddingKind::none &&
      data.x.cols() + data.theta.cols() <= kMostRegressed) {
    SegmentReader reader(data.x, x, options.batch_size, data.segment_bytes);
    start = measure_covariance(reader, data.x.cols(), theta_scores, data.training, 0, !of_data);
  }
  DensityStack stack(std::move(members), network, densities.components, embedding,
                     of_data ? theta : x, of_data ? x : theta, densities.bounds);
  std::optional<EmbeddingTrainer> embedding_trainer;
  if (stack.embedding() != nullptr) {
    embedding_trainer.emplace(stack, options, rng.child("embedding"));
  }
  std::vector<std::unique_ptr<MemberTrainer>> trainers;
  for (Index k = 0; k < stack.size(); ++k) {
    trainers.push_back(group.mine(k) ? std::make_unique<DensityMemberTrainer>(
                                           stack, k, densities.what, theta_scores,
                                           start ? &*start : nullptr, options, rng)
                                     : nullptr);
  }
  const auto make_workspace = [&] {
    return Workspace<float>(stack.layout(), std::max<Index>(1, stack.network(0).shape().theta_size),
                            options.batch_size, options.batch_size, true);
  };
  std::vector<MemberHistory> histories =
      run_training({.x = data.x,
                    .x_scores = x,
                    .training = data.training,
                    .validation = data.validation,
                    .segment_bytes = data.segment_bytes,
                    .members = trainers,
                    .embedding = embedding_trainer ? &*embedding_trainer : nullptr,
                    .make_workspace = make_workspace},
                   options, rng, observer, group);
  return {std::move(stack), std::move(histories)};
}

}  // namespace hone
