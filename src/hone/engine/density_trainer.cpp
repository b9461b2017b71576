#include "hone/engine/density_trainer.h"

#include <algorithm>
#include <optional>

#include "hone/core/error.h"
#include "hone/engine/atomic_trainer.h"
#include "hone/engine/batches.h"
#include "hone/engine/data_scores.h"
#include "hone/engine/density_member_trainer.h"
#include "hone/engine/density_start.h"
#include "hone/engine/flow_trainer.h"
#include "hone/engine/loop_data.h"
#include "hone/engine/spline.h"
#include "hone/engine/training_input.h"
#include "hone/engine/training_loop.h"

namespace hone {
namespace {

// The covariance of more columns costs more than a better start is worth.
constexpr Index kMostRegressed = 512;

void check_densities(const DensityTraining& densities, const EmbeddingOptions& embedding,
                     std::span<const MemberSpec> members, Index columns) {
  const Index least = densities.form == DensityForm::spline ? kFewestKnots : 1;
  if (densities.components < least || densities.components > kMostComponents) {
    fail_value("density.components", densities.components,
               fmt::format("must lie in {} .. {}", least, kMostComponents));
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
  if (densities.transforms < 1 || densities.transforms > kMostTransforms) {
    fail_value("density.transforms", densities.transforms,
               fmt::format("must lie in 1 .. {}", kMostTransforms));
  }
  HONE_ASSERT(!densities.atomic ||
              (densities.what == DensityOf::parameters && densities.atomic->atoms >= 1));
}

// The transforms of the flows that are asked for: every second one goes through the columns
// backwards, so that each of them is first and last in turn.
std::vector<MemberSpec> transforms_of(std::span<const MemberSpec> flows, Index transforms,
                                      const Standardizer& table) {
  std::vector<MemberSpec> members;
  for (const MemberSpec& flow : flows) {
    MemberSpec member = flow;
    std::erase_if(member.columns, [&](int column) {
      return table.inverse[static_cast<std::size_t>(column)] == 0;  // the same in all rows
    });
    if (member.columns.empty()) {
      fail(ErrorKind::input, "all columns are the same in all simulations: they tell nothing");
    }
    for (Index t = 0; t < transforms; ++t) {
      member.replica =
          flow.replica * static_cast<std::uint64_t>(transforms) + static_cast<std::uint64_t>(t);
      members.push_back(member);
      std::ranges::reverse(member.columns);
    }
  }
  return members;
}

// Members from 0 on that belong to one chain: each has the columns of the one before and another.
Index chain_length(const DensityStack& stack) {
  Index length = 1;
  while (length < stack.size() && std::ssize(stack.member(length).columns) == length + 1) {
    ++length;
  }
  HONE_ASSERT(stack.size() % length == 0);
  return length;
}

// One per density, or per chain; null: trained by another process.
std::vector<std::unique_ptr<MemberTrainer>> make_trainers(
    DensityStack& stack, const DensityTraining& densities, const ThetaTable& theta,
    const LinearStart* start, const TrainingOptions& options, const Rng& rng,
    const ProcessGroup& group) {
  const bool flows = densities.transforms > 1;
  const Index length = flows ? densities.transforms : densities.atomic ? chain_length(stack) : 1;
  std::vector<std::unique_ptr<MemberTrainer>> trainers;
  for (Index k = 0; k < stack.size() / length; ++k) {
    if (!group.mine(k)) {
      trainers.push_back(nullptr);
    } else if (flows) {
      trainers.push_back(
          std::make_unique<FlowTrainer>(stack, k, densities, theta, start, options, rng));
    } else if (densities.atomic) {
      trainers.push_back(std::make_unique<AtomicTrainer>(
          stack, k * length, length, *densities.atomic, theta, start, options, rng));
    } else {
      trainers.push_back(std::make_unique<DensityMemberTrainer>(stack, k, densities.what,
                                                                theta.scores, start, options, rng));
    }
  }
  return trainers;
}

Workspace<float> make_workspace(const DensityStack& stack, const DensityTraining& densities,
                                int batch_size) {
  if (densities.transforms > 1) return flow_workspace(stack, batch_size);
  const Index rows = batch_size * (densities.atomic ? densities.atomic->atoms : 1);
  return {stack.layout(), std::max<Index>(1, stack.network(0).shape().theta_size), rows, rows,
          true};
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
  Standardizer x = fit_data_standardizer(data.x, data.training, options.tails, embedding);
  check_finite(data.x, data.validation, "x", embedding.may_be_missing());
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
  if (densities.transforms > 1) {
    members = transforms_of(members, densities.transforms, of_data ? x : theta);
  }
  DensityStack stack(std::move(members), network, densities.form,
                     {densities.components, densities.transforms}, embedding, of_data ? theta : x,
                     of_data ? x : theta, densities.bounds);
  std::optional<EmbeddingTrainer> embedding_trainer;
  if (stack.embedding() != nullptr) {
    embedding_trainer.emplace(stack, options, rng.child("embedding"));
    embedding_trainer->start_estimates(data, theta_scores);
  }
  const LoopData loop(data, x, embedding_trainer ? &*embedding_trainer : nullptr);
  ProcessGroup& team = loop.group(group);
  const ThetaTable table{
      theta_scores, data.training_negatives.empty() ? data.training : data.training_negatives,
      data.validation_negatives.empty() ? data.validation : data.validation_negatives};
  const auto trainers =
      make_trainers(stack, densities, table, start ? &*start : nullptr, options, rng, team);
  std::vector<MemberHistory> histories = run_training(
      {.x = loop.x(),
       .x_scores = loop.scores(),
       .training = data.training,
       .validation = data.validation,
       .segment_bytes = data.segment_bytes,
       .members = trainers,
       .embedding = loop.embedding(),
       .make_workspace = [&] { return make_workspace(stack, densities, options.batch_size); }},
      options, rng, observer, team);
  return {std::move(stack), std::move(histories)};
}

}  // namespace hone
