#include "hone/simulator/failure_tally.h"

#include <algorithm>
#include <cmath>

namespace hone {
namespace {

// Reasons may hold numbers and so all differ: beyond this many kinds, new ones are not listed.
constexpr std::size_t kMostReasons = 1000;

}  // namespace

FailureTally::FailureTally(const ExecutorOptions& options, const SimulationRequest& request)
    : options_(options),
      planned_(request.finished_before + request.rows()),
      finished_before_(request.finished_before),
      failed_before_(request.failed_before),
      finished_(request.finished_before),
      failed_(request.failed_before) {}

void FailureTally::add(const Failure& failure) {
  ++finished_;
  if (!failure) return;
  ++failed_;
  last_reason_ = *failure;
  if (reasons_.size() < kMostReasons || reasons_.contains(*failure)) ++reasons_[*failure];
}

bool FailureTally::hopeless() const {
  if (failed_ == failed_before_) return false;
  if (failed_ == finished_ && finished_ >= options_.first_failures) return true;
  const double limit = options_.max_failed_fraction;
  const auto failed = static_cast<double>(failed_);
  if (planned_ >= options_.minimum_finished && failed > limit * static_cast<double>(planned_)) {
    return true;
  }
  const auto finished = static_cast<double>(finished_);
  const double standard_error = std::sqrt(std::max(limit * (1 - limit), 1 / finished) / finished);
  return finished_ >= options_.minimum_finished && failed / finished > limit + 4 * standard_error;
}

bool FailureTally::too_many() const {
  if (failed_ == failed_before_) return false;
  if (failed_ == finished_) return true;
  return finished_ >= options_.minimum_finished &&
         static_cast<double>(failed_) >
             options_.max_failed_fraction * static_cast<double>(finished_);
}

std::string FailureTally::main_reason() const {
  const auto most =
      std::ranges::max_element(reasons_, {}, [](const auto& reason) { return reason.second; });
  return most == reasons_.end() ? "" : most->first;
}

Error FailureTally::error() const {
  return Error(ErrorKind::simulator,
               fmt::format("{} of {} simulations failed ({:.3g} %; simulator.max_failed_fraction = "
                           "{}). Most frequent reason: {}. Last reason: {}. Correct the simulator "
                           "or raise the limit, then run `hone resume`",
                           failed_, finished_,
                           100 * static_cast<double>(failed_) / static_cast<double>(finished_),
                           options_.max_failed_fraction, main_reason(), last_reason_));
}

ExecutionSummary FailureTally::summary() const {
  return {finished_ - finished_before_, failed_ - failed_before_, main_reason()};
}

}  // namespace hone
