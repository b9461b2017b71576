#include "hone/engine/member_trainer.h"

#include <algorithm>
#include <cmath>

namespace hone {

MemberTrainer::MemberTrainer(NetworkStack& stack, Index member, const TrainingOptions& options,
                             const Rng& rng)
    : network_(stack.network(member)),
      spec_(stack.member(member)),
      options_(options),
      parameters_(stack.parameters(member)),
      rng_(spec_.stream(rng)),
      optimizer_(network_.layout().trained, options.optimizer),
      best_(parameters_.size()) {
  const Index inputs = std::ssize(spec_.columns) - (stack.components() > 0 ? 1 : 0);
  network_.initialize(parameters_.data(), inputs, rng_.child("initial weights"));
  if (options.weight_average > 0) average_ = AlignedBuffer<float>(parameters_.size());
  forget_past();
}

void MemberTrainer::forget_past() {
  if (average_.size() > 0) std::ranges::copy(parameters_, average_.data());
  keep_as_best();
}

void MemberTrainer::start_epoch(int epoch) {
  dropout_key_ = rng_.child("dropout", static_cast<std::uint64_t>(epoch)).bits64();
  loss_sum_ = 0;
  steps_ = 0;
}

// A unit takes key + its number: steps are set apart by more units than there can be.
std::uint64_t MemberTrainer::next_dropout_key() {
  return dropout_key_ += 0x100000001b3ULL;
}

bool MemberTrainer::count_loss(double loss) {
  loss_sum_ += loss;
  ++steps_;
  return std::isfinite(loss);
}

void MemberTrainer::move(Workspace<float>& w, double learning_rate, Index data_columns) {
  optimizer_.step(parameters_.data(), w.gradient.data(), learning_rate);
  if (options_.column_shrinkage > 0) {
    const NetworkLayout& layout = network_.layout();
    const double length = learning_rate * options_.column_shrinkage;
    best_kernels<float>().shorten_rows(parameters_.data() + layout.weight_x, length, data_columns,
                                       layout.width);
    if (layout.has_skip()) {
      best_kernels<float>().shorten_rows(parameters_.data() + layout.skip_x, length, data_columns,
                                         layout.output_width);
    }
  }
  if (average_.size() > 0) {
    best_kernels<float>().average(average_.data(), parameters_.data(),
                                  static_cast<float>(options_.weight_average),
                                  static_cast<Index>(average_.size()));
  }
}

void MemberTrainer::keep_as_best() {
  std::ranges::copy(current(), best_.data());
}
void MemberTrainer::restore_best() {
  std::ranges::copy(best_.span(), parameters_.begin());
}

RatioMemberTrainer::RatioMemberTrainer(RatioStack& stack, Index member, const ThetaTable& theta,
                                       const TrainingOptions& options, const Rng& rng)
    : MemberTrainer(stack, member, options, rng),
      theta_(theta),
      validation_rng_(MemberSpec{spec_.columns}.stream(rng).child("validation")) {}

void RatioMemberTrainer::start_epoch(int epoch) {
  MemberTrainer::start_epoch(epoch);
  negatives_ = rng_.child("negatives", static_cast<std::uint64_t>(epoch));
}

void RatioMemberTrainer::gather_theta(Workspace<float>& w, std::span<const Index> rows,
                                      std::span<const Index> pool, Index negatives,
                                      Rng& rng) const {
  float* out = w.theta.data();
  const auto copy_columns = [&](Index row) {
    for (const int column : spec_.columns) *out++ = theta_.scores(row, column);
  };
  for (const Index row : rows) copy_columns(row);
  for (Index c = 0; c < negatives; ++c) {
    for (const Index row : rows) {
      // A row is never its own negative.
      Index drawn = pool[rng.below(pool.size() - 1)];
      if (drawn == row) drawn = pool.back();
      copy_columns(drawn);
    }
  }
}

double RatioMemberTrainer::step(Workspace<float>& w, MatrixView<const float> x,
                                std::span<const Index> rows, double learning_rate, float* dx) {
  const Index candidates = 1 + options_.loss.negatives;
  gather_theta(w, rows, theta_.training_negatives, candidates - 1, *negatives_);
  const NetworkBatch<float> batch{.x = x.data(),
                                  .x_stride = x.stride(),
                                  .theta = w.theta.data(),
                                  .theta_size = static_cast<Index>(spec_.columns.size()),
                                  .rows = x.rows(),
                                  .candidates = candidates};
  network_.forward(w, parameters_.data(), batch, next_dropout_key());
  const double loss =
      ratio_loss(w.dlogits.data(), w.logits.data(), x.rows(), candidates, options_.loss);
  if (!count_loss(loss)) return loss;
  std::ranges::fill(w.gradient.span(), 0.0F);
  network_.backward(w, parameters_.data(), batch, dx);
  move(w, learning_rate, x.cols());
  return loss;
}

void RatioMemberTrainer::start_validation() {
  validation_negatives_ = validation_rng_;
}

void RatioMemberTrainer::add_validation_loss(double& sum, Workspace<float>& w,
                                             MatrixView<const float> x,
                                             std::span<const Index> rows) {
  const Index candidates = 1 + options_.validation_negatives, width = network_.layout().width;
  const Index theta_size = static_cast<Index>(spec_.columns.size());
  const Index chunk = options_.batch_size;
  for (Index begin = 0; begin < x.rows(); begin += chunk) {
    const Index count = std::min(chunk, x.rows() - begin);
    gather_theta(w, rows.subspan(std::size_t(begin), std::size_t(count)),
                 theta_.validation_negatives, candidates - 1, *validation_negatives_);
    network_.project_data(w.projected.data(), x.row(begin).data(), x.stride(), count,
                          current().data());
    for (Index c = 0; c < candidates; ++c) {
      network_.evaluate(w, w.logits.data() + c * count, w.theta.data() + c * count * theta_size,
                        theta_size, w.projected.data(), width, count, current().data());
    }
    sum += static_cast<double>(count) *
           ratio_loss<float>(nullptr, w.logits.data(), count, candidates, options_.loss);
  }
}

}  // namespace hone
