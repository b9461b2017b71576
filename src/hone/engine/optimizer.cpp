#include "hone/engine/optimizer.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "hone/core/error.h"

namespace hone {

void OptimizerOptions::validate() const {
  if (!(learning_rate > 0) || !std::isfinite(learning_rate)) {
    fail_value("optimizer.learning_rate", learning_rate, "must be greater than 0");
  }
  if (!(beta1 >= 0 && beta1 < 1)) {
    fail_value("optimizer.beta1", beta1, "must lie in [0, 1)");
  }
  if (!(beta2 >= 0 && beta2 < 1)) {
    fail_value("optimizer.beta2", beta2, "must lie in [0, 1)");
  }
  if (!(epsilon > 0)) {
    fail_value("optimizer.epsilon", epsilon, "must be greater than 0");
  }
  if (!(weight_decay >= 0) || !std::isfinite(weight_decay) ||
      (weight_decay > 0 && kind == OptimizerKind::adam)) {
    fail_value("optimizer.weight_decay", weight_decay,
               "must be 0 or greater, and 0 with adam (use adamw)");
  }
  if (!(clip_norm >= 0) || !std::isfinite(clip_norm)) {
    fail_value("optimizer.clip_norm", clip_norm, "must be 0 (no limit) or greater");
  }
}

void ScheduleOptions::validate() const {
  if (!(plateau_factor > 0 && plateau_factor < 1)) {
    fail_value("schedule.plateau_factor", plateau_factor, "must lie in (0, 1)");
  }
  if (plateau_patience < 1) {
    fail_value("schedule.plateau_patience", plateau_patience, "must be 1 or greater");
  }
  if (!(cosine_floor >= 0 && cosine_floor <= 1)) {
    fail_value("schedule.cosine_floor", cosine_floor, "must lie in [0, 1]");
  }
}

template <typename T>
Optimizer<T>::Optimizer(Index parameters, const OptimizerOptions& options,
                        const Kernels<T>& kernels)
    : options_(options),
      kernels_(&kernels),
      first_(static_cast<std::size_t>(parameters)),
      second_(static_cast<std::size_t>(parameters)) {}

template <typename T>
void Optimizer<T>::step(T* parameters, const T* gradient, double learning_rate) {
  const Index count = static_cast<Index>(first_.size());
  double scale = 1;
  if (options_.clip_norm > 0) {
    const double norm = std::sqrt(kernels_->square_norm(gradient, count));
    // The small number is what the common frameworks add; it keeps 0 / 0 out.
    scale = std::min(1.0, options_.clip_norm / (norm + 1e-6));
  }
  power1_ *= options_.beta1;
  power2_ *= options_.beta2;
  kernels_->adam(parameters, first_.data(), second_.data(), gradient, count,
                 {.rate = learning_rate,
                  .beta1 = options_.beta1,
                  .beta2 = options_.beta2,
                  .epsilon = options_.epsilon,
                  .decay = options_.weight_decay,
                  .correction1 = 1 - power1_,
                  .correction2 = 1 - power2_,
                  .gradient_scale = scale});
}

template class Optimizer<float>;
template class Optimizer<double>;

Convergence::Convergence(const ScheduleOptions& schedule, double learning_rate, int patience,
                         int max_epochs)
    : schedule_(schedule),
      first_rate_(learning_rate),
      rate_(learning_rate),
      patience_(patience),
      max_epochs_(max_epochs),
      best_loss_(std::numeric_limits<double>::infinity()) {}

Convergence::Verdict Convergence::epoch_finished(double validation_loss) {
  ++epochs_;
  if (!std::isfinite(validation_loss)) {
    diverged_ = true;
    return Verdict::stop;
  }
  const bool better = validation_loss < best_loss_;
  if (better) {
    best_loss_ = validation_loss;
    best_epoch_ = epochs_;
    epochs_since_drop_ = 0;
  } else {
    ++epochs_since_drop_;
  }
  update_rate();
  if (better) return Verdict::best_so_far;
  return epochs_ - best_epoch_ >= patience_ ? Verdict::stop : Verdict::no_progress;
}

void Convergence::update_rate() {
  if (schedule_.kind == ScheduleKind::plateau && epochs_since_drop_ >= schedule_.plateau_patience) {
    rate_ *= schedule_.plateau_factor;
    epochs_since_drop_ = 0;
  }
  if (schedule_.kind == ScheduleKind::cosine) {
    const double progress = std::min(1.0, static_cast<double>(epochs_) / max_epochs_);
    const double half_wave = 0.5 * (1 + std::cos(std::numbers::pi * progress));
    rate_ = first_rate_ * (schedule_.cosine_floor + (1 - schedule_.cosine_floor) * half_wave);
  }
}

}  // namespace hone
