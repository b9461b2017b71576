#include "hone/engine/trainer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include <tbb/enumerable_thread_specific.h>

#include "hone/core/parallel.h"
#include "hone/engine/batches.h"
#include "hone/engine/embedding_start.h"
#include "hone/engine/embedding_trainer.h"
#include "hone/engine/flush_denormals.h"
#include "hone/engine/member_trainer.h"
#include "hone/engine/training_input.h"

namespace hone {
namespace {

// The realisation that validates and that standard scores come from; epochs have theirs from 1.
constexpr std::uint64_t kFrozen = 0;

// Realisations for the start of an embedding: far from those of any epoch.
constexpr std::uint64_t kFirstOfStart = std::uint64_t{1} << 40;

// Members that stop together: each on its own, or all that share an embedding.
struct Group {
  Convergence convergence;
  std::vector<Index> members;  // still being trained
};

struct RunningMember {
  Index member;
  std::size_t group;
};

// Means over the rows; NaN for validation if the training loss was not finite.
struct EpochLoss {
  double training = 0, validation = 0;
};

class Training {
 public:
  // start: weights of the embedding to begin with (linear_start), or null.
  Training(const TrainingData& data, RatioStack stack, const Matrix<float>* start,
           const TrainingOptions& options, const Rng& rng, Observer& observer, ProcessGroup& group);
  TrainingResult run();

 private:
  void train_epoch(int epoch);
  void train_apart(const Segment& segment);
  void train_together(const Segment& segment);
  void exchange_gradients();
  std::vector<EpochLoss> epoch_losses();
  void exchange_losses(std::span<EpochLoss> losses);
  void finish_epoch(std::span<const EpochLoss> losses);
  void finish_group(std::size_t group, std::span<const EpochLoss> losses);
  void restate_best(Group& group);
  void finish_member(Index k, const Convergence& convergence, StopReason reason);
  void list_running();

  MemberTrainer& trainer(Index k) { return *members_[static_cast<std::size_t>(k)]; }
  MemberHistory& history(Index k) { return histories_[static_cast<std::size_t>(k)]; }
  template <typename F>
  void for_mine(F&& f);  // f(one of mine_, workspace), in parallel

  const TrainingData& data_;
  RatioStack stack_;
  const TrainingOptions& options_;
  Rng rng_;
  Observer& observer_;
  ProcessGroup& team_;

  Matrix<float> theta_scores_;
  ThetaTable theta_;
  SegmentReader training_reader_, validation_reader_;
  tbb::enumerable_thread_specific<Workspace<float>> workspaces_;
  std::vector<std::unique_ptr<MemberTrainer>> members_;  // null: trained by another process
  std::optional<EmbeddingTrainer> embedding_;
  std::vector<MemberHistory> histories_;
  std::vector<double> best_losses_;  // per member, of its group's best epoch
  std::vector<Group> groups_;
  std::vector<RunningMember> running_;  // all whose losses are known here
  std::vector<RunningMember> mine_;     // of those, the ones that are trained here
};

Matrix<float> standard_scores(const Standardizer& scores, MatrixView<const float> table) {
  Matrix<float> result(table.rows(), table.cols());
  scores.apply(result, table);
  return result;
}

Training::Training(const TrainingData& data, RatioStack stack, const Matrix<float>* start,
                   const TrainingOptions& options, const Rng& rng, Observer& observer,
                   ProcessGroup& group)
    : data_(data),
      stack_(std::move(stack)),
      options_(options),
      rng_(rng),
      observer_(observer),
      team_(group),
      theta_scores_(standard_scores(stack_.theta_scores(), data.theta)),
      theta_{theta_scores_, data.training_negatives, data.validation_negatives},
      training_reader_(data.x, stack_.x_scores(), options.batch_size, data.segment_bytes),
      validation_reader_(data.x, stack_.x_scores(), options.batch_size, data.segment_bytes),
      workspaces_([this] {
        const Index negatives = std::max(options_.loss.negatives, options_.validation_negatives);
        return Workspace<float>(stack_.layout(), stack_.network(0).shape().theta_size,
                                options_.batch_size * (1 + negatives), options_.batch_size, true);
      }),
      histories_(static_cast<std::size_t>(stack_.size())),
      best_losses_(static_cast<std::size_t>(stack_.size())) {
  const Convergence fresh(options.schedule, options.optimizer.learning_rate, options.patience,
                          options.max_epochs);
  const bool together = stack_.embedding() != nullptr;
  if (together) {
    embedding_.emplace(stack_, options, rng.child("embedding"));
    if (start) embedding_->start_with(*start);
    groups_.push_back({fresh, {}});
  }
  for (Index k = 0; k < stack_.size(); ++k) {
    const bool mine = team_.mine(k);
    members_.push_back(mine ? std::make_unique<MemberTrainer>(stack_, k, options_, rng_) : nullptr);
    if (!together && !mine) continue;
    if (!together) groups_.push_back({fresh, {}});
    groups_.back().members.push_back(k);
  }
  list_running();
}

void Training::list_running() {
  running_.clear();
  mine_.clear();
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    for (const Index k : groups_[g].members) {
      running_.push_back({k, g});
      if (team_.mine(k)) mine_.push_back({k, g});
    }
  }
}

template <typename F>
void Training::for_mine(F&& f) {
  parallel_for(static_cast<Index>(mine_.size()), [&](Index i) {
    const FlushDenormals flush;
    f(mine_[static_cast<std::size_t>(i)], workspaces_.local());
  });
}

TrainingResult Training::run() {
  // Progress counts epochs of members; a member that stops early has none left.
  const Index epochs = static_cast<Index>(running_.size()) * options_.max_epochs;
  observer_.stage_started("train", epochs);
  for (int epoch = 1; epoch <= options_.max_epochs && !running_.empty(); ++epoch) {
    // Members that go together also stop together.
    if (const bool stop = observer_.stop_requested(); embedding_ ? team_.agree(stop) : stop) {
      fail_stopped();
    }
    train_epoch(epoch);
    finish_epoch(epoch_losses());
    const Index left = static_cast<Index>(running_.size()) * (options_.max_epochs - epoch);
    observer_.stage_advanced("train", epochs - left, epochs);
  }
  for (const RunningMember& m : running_) {
    finish_member(m.member, groups_[m.group].convergence, StopReason::max_epochs);
  }
  for (auto& member : members_) {
    if (member) member->restore_best();
  }
  if (embedding_) embedding_->restore_best();
  observer_.stage_finished("train");
  return {std::move(stack_), std::move(histories_)};
}

// All members see the rows in the same order, so that each row is read once. Rows that do not fill
// the last batch sit out this epoch; the order changes with every epoch.
void Training::train_epoch(int epoch) {
  std::vector<Index> order(data_.training.begin(), data_.training.end());
  rng_.child("order", static_cast<std::uint64_t>(epoch)).shuffle(order);
  const std::size_t batch = static_cast<std::size_t>(options_.batch_size);
  order.resize(order.size() / batch * batch);
  for (const RunningMember& m : mine_) trainer(m.member).start_epoch(epoch);
  training_reader_.for_segments(order, static_cast<std::uint64_t>(epoch),
                                [&](const Segment& segment) {
                                  if (embedding_) {
                                    train_together(segment);
                                  } else {
                                    train_apart(segment);
                                  }
                                });
}

// One task is one member on a whole segment: its weights and activations stay in L2.
void Training::train_apart(const Segment& segment) {
  for_mine([&](const RunningMember& m, Workspace<float>& workspace) {
    const double rate = groups_[m.group].convergence.learning_rate();
    bool finite = true;
    segment.for_batches(options_.batch_size, [&](const Segment& batch) {
      if (!finite) return;
      const double loss =
          trainer(m.member).step(workspace, batch.x, batch.rows, theta_, rate, nullptr);
      finite = std::isfinite(loss);
    });
  });
}

// With a shared embedding all members take each step together. One whose loss is not finite adds
// nothing to the embedding's gradient.
void Training::train_together(const Segment& segment) {
  const double rate = groups_[0].convergence.learning_rate();
  segment.for_batches(options_.batch_size, [&](const Segment& batch) {
    const MatrixView<const float> features = embedding_->forward(batch.x);
    for_mine([&](const RunningMember& m, Workspace<float>& workspace) {
      float* gradient = embedding_->feature_gradient(m.member).data();
      const double loss =
          trainer(m.member).step(workspace, features, batch.rows, theta_, rate, gradient);
      if (!std::isfinite(loss)) *gradient = std::numeric_limits<float>::quiet_NaN();
    });
    exchange_gradients();
    embedding_->step(batch.x, groups_[0].members, rate);
  });
}

void Training::exchange_gradients() {
  std::vector<SharedPart> parts;
  for (const RunningMember& m : running_) {
    parts.push_back(shared_part(m.member, embedding_->feature_gradient(m.member)));
  }
  team_.exchange(parts);
}

std::vector<EpochLoss> Training::epoch_losses() {
  std::vector<EpochLoss> losses(static_cast<std::size_t>(stack_.size()));
  for (const RunningMember& m : mine_) trainer(m.member).start_validation();
  validation_reader_.for_segments(data_.validation, kFrozen, [&](const Segment& segment) {
    const Matrix<float> features = embedding_ ? embedding_->features(segment.x) : Matrix<float>{};
    const MatrixView<const float> x = embedding_ ? features.view() : segment.x;
    for_mine([&](const RunningMember& m, Workspace<float>& workspace) {
      trainer(m.member).add_validation_loss(losses[static_cast<std::size_t>(m.member)].validation,
                                            workspace, x, segment.rows, theta_);
    });
  });
  for (const RunningMember& m : mine_) {
    EpochLoss& loss = losses[static_cast<std::size_t>(m.member)];
    loss.training = trainer(m.member).mean_training_loss();
    loss.validation /= static_cast<double>(data_.validation.size());
    if (!std::isfinite(loss.training)) loss.validation = std::numeric_limits<double>::quiet_NaN();
  }
  if (embedding_) exchange_losses(losses);
  return losses;
}

void Training::exchange_losses(std::span<EpochLoss> losses) {
  std::vector<SharedPart> parts;
  for (const RunningMember& m : running_) {
    parts.push_back(shared_part(m.member, losses.subspan(static_cast<std::size_t>(m.member), 1)));
  }
  team_.exchange(parts);
}

void Training::finish_epoch(std::span<const EpochLoss> losses) {
  for (const auto& [k, group] : running_) {
    MemberHistory& h = history(k);
    const EpochLoss& loss = losses[static_cast<std::size_t>(k)];
    h.training_loss.push_back(static_cast<float>(loss.training));
    h.validation_loss.push_back(static_cast<float>(loss.validation));
    h.learning_rate.push_back(static_cast<float>(groups_[group].convergence.learning_rate()));
  }
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (!groups_[g].members.empty()) finish_group(g, losses);
  }
  list_running();
}

// The mean loss of a group decides; a member that diverged leaves it with its best weights.
void Training::finish_group(std::size_t index, std::span<const EpochLoss> losses) {
  auto& [convergence, members] = groups_[index];
  double sum = 0;
  std::erase_if(members, [&](Index k) {
    const double loss = losses[static_cast<std::size_t>(k)].validation;
    if (std::isfinite(loss)) {
      sum += loss;
      return false;
    }
    finish_member(k, convergence, StopReason::diverged);
    return true;
  });
  if (members.empty()) return;
  if (convergence.best_epoch() > 0) restate_best(groups_[index]);
  switch (convergence.epoch_finished(sum / static_cast<double>(members.size()))) {
    case Convergence::Verdict::best_so_far:
      for (const Index k : members) {
        if (team_.mine(k)) trainer(k).keep_as_best();
        best_losses_[static_cast<std::size_t>(k)] = losses[static_cast<std::size_t>(k)].validation;
      }
      if (embedding_) embedding_->keep_as_best();
      break;
    case Convergence::Verdict::stop:
      for (const Index k : members) finish_member(k, convergence, StopReason::converged);
      members.clear();
      break;
    case Convergence::Verdict::no_progress: break;
  }
}

// Once a member has left, losses of later epochs compare with those of the ones that remain.
void Training::restate_best(Group& group) {
  double sum = 0;
  for (const Index k : group.members) sum += best_losses_[static_cast<std::size_t>(k)];
  group.convergence.restate_best(sum / static_cast<double>(group.members.size()));
}

void Training::finish_member(Index k, const Convergence& convergence, StopReason reason) {
  MemberHistory& h = history(k);
  h.best_epoch = convergence.best_epoch();
  h.best_loss = h.best_epoch > 0 ? h.validation_loss[static_cast<std::size_t>(h.best_epoch - 1)]
                                 : std::numeric_limits<float>::infinity();
  h.stop = reason;
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
  Standardizer x = fit_standardizer(data.x, data.training, "x", options.tails);
  check_finite(data.x, data.validation, "x");
  const MatrixRows theta_rows(data.theta);
  Standardizer theta = fit_standardizer(theta_rows, data.training_negatives, "theta");
  check_finite(theta_rows, data.validation_negatives, "theta");
  std::optional<Matrix<float>> start;
  if (embedding.kind == EmbeddingKind::linear &&
      options.embedding_start == EmbeddingStart::regression) {
    SegmentReader reader(data.x, x, options.batch_size, data.segment_bytes);
    start = linear_start(reader, data.x.cols(), standard_scores(theta, data.theta), data.training,
                         data.x.random(), kFirstOfStart);
    scale_columns(x, *start);
  }
  RatioStack stack(std::move(members), network, embedding, std::move(x), std::move(theta));
  const Matrix<float>* begin = start ? &*start : nullptr;
  return Training(data, std::move(stack), begin, options, rng, observer, group).run();
}

std::size_t training_bytes_per_member(const RatioStack& stack, const TrainingOptions& options) {
  const NetworkLayout& layout = stack.layout();
  const Index copies = options.weight_average > 0 ? 3 : 2;  // current, best, average
  return static_cast<std::size_t>(copies * layout.total + 2 * layout.trained) * sizeof(float);
}

}  // namespace hone
