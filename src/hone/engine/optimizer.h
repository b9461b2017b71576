#pragma once

#include "hone/core/matrix.h"
#include "hone/engine/kernels.h"

namespace hone {

enum class OptimizerKind { adam, adamw };
enum class ScheduleKind { constant, plateau, cosine };

struct OptimizerOptions {
  OptimizerKind kind = OptimizerKind::adam;
  double learning_rate = 1e-3;  // of the first epoch; > 0
  double beta1 = 0.9;           // in [0, 1)
  double beta2 = 0.999;         // in [0, 1)
  double epsilon = 1e-8;        // > 0
  double weight_decay = 0;      // decoupled, for adamw only; >= 0
  double clip_norm = 0;         // largest norm of a step's gradient; 0: no limit

  void validate() const;
  bool operator==(const OptimizerOptions&) const = default;
};

struct ScheduleOptions {
  ScheduleKind kind = ScheduleKind::plateau;
  double plateau_factor = 0.1;  // the rate is multiplied by this ...
  int plateau_patience = 5;     // ... after so many epochs without progress; >= 1
  double cosine_floor = 0;      // fraction of the first rate that is left in the last epoch

  void validate() const;
  bool operator==(const ScheduleOptions&) const = default;
};

// Adam's moments of one parameter vector, and its steps.
template <typename T>
class Optimizer {
 public:
  Optimizer(Index parameters, const OptimizerOptions& options,
            const Kernels<T>& kernels = best_kernels<T>());

  // One step of `parameters` down `gradient`. Lengths: multiples of kLane.
  void step(T* parameters, const T* gradient, double learning_rate);

 private:
  OptimizerOptions options_;
  const Kernels<T>* kernels_;
  AlignedBuffer<T> first_, second_;
  double power1_ = 1, power2_ = 1;  // beta^t
};

// Follows one validation loss: learning rate, early stopping, and which epoch was the best.
class Convergence {
 public:
  Convergence(const ScheduleOptions& schedule, double learning_rate, int patience, int max_epochs);

  enum class Verdict { best_so_far, no_progress, stop };
  // Called after every epoch. A loss that is not finite stops at once.
  Verdict epoch_finished(double validation_loss);

  // The loss of the best epoch, when what is summed in it has changed since.
  void restate_best(double loss) { best_loss_ = loss; }

  double learning_rate() const { return rate_; }  // for the next epoch
  int epochs() const { return epochs_; }
  int best_epoch() const { return best_epoch_; }  // 1-based; 0: none was finite
  double best_loss() const { return best_loss_; }
  bool diverged() const { return diverged_; }
  bool ran_out_of_epochs() const { return epochs_ == max_epochs_ && !diverged_; }

 private:
  void update_rate();

  ScheduleOptions schedule_;
  double first_rate_, rate_;
  int patience_, max_epochs_;
  int epochs_ = 0, best_epoch_ = 0, epochs_since_drop_ = 0;
  double best_loss_;
  bool diverged_ = false;
};

}  // namespace hone
