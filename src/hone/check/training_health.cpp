#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "hone/check/health.h"

namespace hone {

double chance_loss(const TrainingOptions& options) {
  const Index candidates = 1 + options.validation_negatives;
  const std::vector<float> logits(static_cast<std::size_t>(candidates), 0.0F);
  return ratio_loss<float>(nullptr, logits.data(), 1, candidates, options.loss);
}

namespace {

double at_best(const MemberHistory& history) {
  const int epoch = std::max(1, history.best_epoch);
  return history.training_loss.empty()
             ? std::numeric_limits<double>::infinity()
             : static_cast<double>(history.training_loss[static_cast<std::size_t>(epoch - 1)]);
}

// Stopped by the number of epochs at nearly full learning rate, while the loss still fell.
bool is_unfinished(const MemberHistory& history) {
  const auto epochs = static_cast<double>(history.learning_rate.size());
  return history.stop == StopReason::max_epochs && epochs > 1 &&
         history.learning_rate.back() > 0.1F * history.learning_rate.front() &&
         history.best_epoch > 0.9 * epochs;
}

}  // namespace

std::vector<TrainingHealth> training_health(const std::vector<std::string>& marginals,
                                            const std::vector<MemberHistory>& histories,
                                            double chance) {
  std::vector<TrainingHealth> result;
  const std::size_t ensemble = histories.size() / marginals.size();
  for (std::size_t m = 0; m < marginals.size(); ++m) {
    TrainingHealth health{.marginal = marginals[m], .networks = static_cast<Index>(ensemble)};
    for (std::size_t e = 0; e < ensemble; ++e) {
      const MemberHistory& history = histories[m * ensemble + e];
      const double gain = chance - history.best_loss, training = chance - at_best(history);
      health.gain += gain / static_cast<double>(ensemble);
      health.training_gain += training / static_cast<double>(ensemble);
      health.diverged += history.stop == StopReason::diverged;
      health.unlearned += !(gain > 0);
      // Twice the gain on data seen in training than on others, and not by chance of few rows.
      health.overfitted += training > 2 * std::max(gain, 0.0) + 0.1;
      health.unfinished += is_unfinished(history);
    }
    result.push_back(std::move(health));
  }
  return result;
}

CheckResult training_result(const std::vector<TrainingHealth>& health) {
  Index networks = 0, diverged = 0, unlearned = 0, overfitted = 0, unfinished = 0;
  const TrainingHealth* dead = nullptr;  // no network of it can be used
  for (const TrainingHealth& one : health) {
    networks += one.networks;
    diverged += one.diverged;
    unlearned += one.unlearned;
    overfitted += one.overfitted;
    unfinished += one.unfinished;
    if (!std::isfinite(one.gain)) dead = &one;
  }
  CheckResult result{.name = "training"};
  const auto flag = [&](Status status, std::string reason, std::string advice,
                        bool more_simulations = false) {
    if (status <= result.status) return;
    result.status = status;
    result.reason = std::move(reason);
    result.advice = std::move(advice);
    result.more_simulations = more_simulations;
  };
  if (dead != nullptr) {
    flag(Status::fail, fmt::format("a network of {} never had a finite loss", dead->marginal),
         "use a smaller learning_rate, or look for extreme values in the data");
  }
  if (diverged > 0) {
    flag(Status::caution, fmt::format("{} of {} networks diverged", diverged, networks),
         "use a smaller learning_rate or clip_norm");
  }
  if (unlearned == networks) {
    flag(Status::caution, "no network learned anything: every posterior equals the prior",
         "use more simulations, unless the data contain no information about the parameters", true);
  }
  if (2 * overfitted > networks) {
    flag(Status::caution,
         fmt::format(
             "{} of {} networks fit their training data much better than other data (overfitting)",
             overfitted, networks),
         "use more simulations, dropout or weight_decay", true);
  }
  if (2 * unfinished > networks) {
    flag(Status::caution,
         fmt::format("{} of {} networks were still learning when the epochs ran out", unfinished,
                     networks),
         "allow more epochs (max_epochs)");
  }
  if (result.status == Status::pass) {
    result.reason = fmt::format(
        "{} networks were trained without problems{}", networks,
        unlearned == 0 ? ""
                       : fmt::format("; {} found no information about their parameters in the data",
                                     unlearned));
  }
  result.numbers = {{"networks", static_cast<double>(networks)},
                    {"diverged", static_cast<double>(diverged)},
                    {"unlearned", static_cast<double>(unlearned)},
                    {"overfitted", static_cast<double>(overfitted)},
                    {"unfinished", static_cast<double>(unfinished)}};
  return result;
}

}  // namespace hone
