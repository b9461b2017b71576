#pragma once

#include <span>

#include "hone/core/matrix.h"
#include "hone/core/rng.h"
#include "hone/engine/network.h"
#include "hone/engine/stack.h"
#include "hone/engine/trainer.h"

namespace hone {

// One network of a stack while it is trained: its optimiser, the average of its weights, its best
// ones, its masks of dropout.
class NetworkInTraining {
 public:
  // With fresh weights.
  NetworkInTraining(NetworkStack& stack, Index member, const TrainingOptions& options,
                    const Rng& rng);

  const Network<float>& network() const { return network_; }
  const MemberSpec& spec() const { return spec_; }
  const Rng& rng() const { return rng_; }  // its own
  std::span<float> parameters() { return parameters_; }
  // What is validated and kept: the average, if there is one.
  std::span<float> current() { return average_.size() > 0 ? average_.span() : parameters_; }

  void forget_past();  // what is averaged and kept begins with the weights as they are
  void start_epoch(int epoch);
  std::uint64_t next_dropout_key();
  // One step of the optimiser, down workspace.gradient.
  void move(Workspace<float>& workspace, double learning_rate, Index data_columns);
  void keep_as_best();
  void restore_best();

 private:
  const Network<float>& network_;
  const MemberSpec& spec_;
  const TrainingOptions& options_;
  std::span<float> parameters_;
  Rng rng_;
  Optimizer<float> optimizer_;
  AlignedBuffer<float> best_, average_;  // average_ is empty when weights are not averaged
  std::uint64_t dropout_key_ = 0;
};

}  // namespace hone
