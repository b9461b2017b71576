#include "hone/engine/network_in_training.h"

#include <algorithm>

namespace hone {

NetworkInTraining::NetworkInTraining(NetworkStack& stack, Index member,
                                     const TrainingOptions& options, const Rng& rng)
    : network_(stack.network(member)),
      spec_(stack.member(member)),
      options_(options),
      parameters_(stack.parameters(member)),
      rng_(spec_.stream(rng)),
      optimizer_(network_.layout().trained, options.optimizer),
      best_(parameters_.size()) {
  network_.initialize(parameters_.data(), stack.given(member), rng_.child("initial weights"));
  if (options.weight_average > 0) average_ = AlignedBuffer<float>(parameters_.size());
  forget_past();
}

void NetworkInTraining::forget_past() {
  if (average_.size() > 0) std::ranges::copy(parameters_, average_.data());
  keep_as_best();
}

void NetworkInTraining::start_epoch(int epoch) {
  dropout_key_ = rng_.child("dropout", static_cast<std::uint64_t>(epoch)).bits64();
}

// A unit takes key + its number: steps are set apart by more units than there can be.
std::uint64_t NetworkInTraining::next_dropout_key() {
  return dropout_key_ += 0x100000001b3ULL;
}

void NetworkInTraining::move(Workspace<float>& w, double learning_rate, Index data_columns) {
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

void NetworkInTraining::keep_as_best() {
  std::ranges::copy(current(), best_.data());
}
void NetworkInTraining::restore_best() {
  std::ranges::copy(best_.span(), parameters_.begin());
}

}  // namespace hone
