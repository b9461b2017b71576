#include "hone/engine/training_loop.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <tbb/enumerable_thread_specific.h>

#include "hone/core/parallel.h"
#include "hone/engine/batches.h"
#include "hone/engine/flush_denormals.h"

namespace hone {
namespace {

// The realisation that validates and that standard scores come from; epochs have theirs from 1.
constexpr std::uint64_t kFrozen = 0;

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
  Training(const LoopInput& input, const TrainingOptions& options, const Rng& rng,
           Observer& observer, ProcessGroup& group);
  std::vector<MemberHistory> run();

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

  MemberTrainer& trainer(Index k) { return *input_.members[static_cast<std::size_t>(k)]; }
  MemberHistory& history(Index k) { return histories_[static_cast<std::size_t>(k)]; }
  template <typename F>
  void for_mine(F&& f);  // f(one of mine_, workspace), in parallel

  const LoopInput& input_;
  EmbeddingTrainer* embedding_;
  const TrainingOptions& options_;
  Rng rng_;
  Observer& observer_;
  ProcessGroup& team_;

  SegmentReader training_reader_, validation_reader_;
  tbb::enumerable_thread_specific<Workspace<float>> workspaces_;
  std::vector<MemberHistory> histories_;
  std::vector<double> best_losses_;  // per member, of its group's best epoch
  std::vector<Group> groups_;
  std::vector<RunningMember> running_;  // all whose losses are known here
  std::vector<RunningMember> mine_;     // of those, the ones that are trained here
};

Training::Training(const LoopInput& input, const TrainingOptions& options, const Rng& rng,
                   Observer& observer, ProcessGroup& group)
    : input_(input),
      embedding_(input.embedding),
      options_(options),
      rng_(rng),
      observer_(observer),
      team_(group),
      training_reader_(input.x, input.x_scores, options.batch_size, input.segment_bytes),
      validation_reader_(input.x, input.x_scores, options.batch_size, input.segment_bytes),
      workspaces_(input.make_workspace),
      histories_(input.members.size()),
      best_losses_(input.members.size()) {
  const Convergence fresh(options.schedule, options.optimizer.learning_rate, options.patience,
                          options.max_epochs);
  const bool together = embedding_ != nullptr;
  if (together) groups_.push_back({fresh, {}});
  for (Index k = 0; k < std::ssize(input.members); ++k) {
    if (!together && !team_.mine(k)) continue;
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

std::vector<MemberHistory> Training::run() {
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
  for (const auto& member : input_.members) {
    if (member) member->restore_best();
  }
  if (embedding_) embedding_->restore_best();
  observer_.stage_finished("train");
  return std::move(histories_);
}

// All members see the rows in the same order, so that each row is read once. Rows that do not fill
// the last batch sit out this epoch; the order changes with every epoch.
void Training::train_epoch(int epoch) {
  std::vector<Index> order(input_.training.begin(), input_.training.end());
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
      const double loss = trainer(m.member).step(workspace, batch.x, batch.rows, rate, nullptr);
      finite = std::isfinite(loss);
    });
  });
}

// With a shared embedding all members take each step together. One whose loss is not finite adds
// nothing to the embedding's gradient.
void Training::train_together(const Segment& segment) {
  const double rate = groups_[0].convergence.learning_rate();
  segment.for_batches(options_.batch_size, [&](const Segment& batch) {
    const MatrixView<const float> features = embedding_->forward(batch);
    for_mine([&](const RunningMember& m, Workspace<float>& workspace) {
      float* gradient = embedding_->feature_gradient(m.member).data();
      const double loss = trainer(m.member).step(workspace, features, batch.rows, rate, gradient);
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
  std::vector<EpochLoss> losses(input_.members.size());
  for (const RunningMember& m : mine_) trainer(m.member).start_validation();
  validation_reader_.for_segments(input_.validation, kFrozen, [&](const Segment& segment) {
    const Matrix<float> features = embedding_ ? embedding_->features(segment.x) : Matrix<float>{};
    const MatrixView<const float> x = embedding_ ? features.view() : segment.x;
    for_mine([&](const RunningMember& m, Workspace<float>& workspace) {
      trainer(m.member).add_validation_loss(losses[static_cast<std::size_t>(m.member)].validation,
                                            workspace, x, segment.rows);
    });
  });
  for (const RunningMember& m : mine_) {
    EpochLoss& loss = losses[static_cast<std::size_t>(m.member)];
    loss.training = trainer(m.member).mean_training_loss();
    loss.validation /= static_cast<double>(input_.validation.size());
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
  // Not by structured bindings, which clang 14 lets no lambda capture.
  Convergence& convergence = groups_[index].convergence;
  std::vector<Index>& members = groups_[index].members;
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

std::vector<MemberHistory> run_training(const LoopInput& input, const TrainingOptions& options,
                                        const Rng& rng, Observer& observer, ProcessGroup& group) {
  return Training(input, options, rng, observer, group).run();
}

}  // namespace hone
