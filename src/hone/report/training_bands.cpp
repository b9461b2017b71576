#include "hone/report/training_bands.h"

#include <algorithm>
#include <cmath>

namespace hone {
namespace {

// Of sorted values.
double quantile(const std::vector<double>& sorted, double probability) {
  const double at = probability * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], at - static_cast<double>(below));
}

using Losses = std::vector<float> MemberHistory::*;

double loss_at(const MemberHistory& history, Losses losses, std::size_t epoch) {
  const std::vector<float>& values = history.*losses;
  if (epoch < values.size()) return static_cast<double>(values[epoch]);
  const int best = std::clamp(history.best_epoch, 1, static_cast<int>(values.size()));
  return static_cast<double>(values[static_cast<std::size_t>(best) - 1]);
}

LossBand band(std::span<const MemberHistory> histories, Losses losses, std::size_t epochs) {
  LossBand result;
  for (std::size_t epoch = 0; epoch < epochs; ++epoch) {
    std::vector<double> values;
    for (const MemberHistory& history : histories) {
      if ((history.*losses).empty()) continue;
      const double loss = loss_at(history, losses, epoch);
      if (std::isfinite(loss)) values.push_back(loss);
    }
    if (values.empty()) break;
    std::ranges::sort(values);
    result.low.push_back(quantile(values, 0.1));
    result.median.push_back(quantile(values, 0.5));
    result.high.push_back(quantile(values, 0.9));
  }
  return result;
}

}  // namespace

TrainingBands training_bands(const std::string& title, std::span<const MemberHistory> histories) {
  const auto stopped = [&](StopReason reason) {
    return std::ranges::count(histories, reason, &MemberHistory::stop);
  };
  std::size_t epochs = 0;
  for (const MemberHistory& history : histories) {
    epochs = std::max(epochs, history.validation_loss.size());
  }
  return {.title = title,
          .networks = std::ssize(histories),
          .converged = stopped(StopReason::converged),
          .unfinished = stopped(StopReason::max_epochs),
          .diverged = stopped(StopReason::diverged),
          .training = band(histories, &MemberHistory::training_loss, epochs),
          .validation = band(histories, &MemberHistory::validation_loss, epochs)};
}

}  // namespace hone
