#include "hone/simulator/failure_tally.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hone {
namespace {

// Reasons may hold numbers and so all differ: beyond this many kinds, new ones are not listed.
constexpr std::size_t kMostReasons = 1000;

}  // namespace

FailureTally::FailureTally(const ExecutorOptions& options, Index planned)
    : options_(options), planned_(planned) {}

FailureTally::FailureTally(const ExecutorOptions& options, const SimulationRequest& request)
    : FailureTally(options, request.finished_before + request.rows()) {
  finished_ = finished_before_ = request.finished_before;
  failed_ = failed_before_ = request.failed_before;
  known_to_work_ = request.known_to_work;
}

void FailureTally::add(const Failure& failure) {
  ++finished_;
  if (!failure) return;
  ++failed_;
  if (reasons_.size() < kMostReasons || reasons_.contains(*failure)) ++reasons_[*failure];
}

bool FailureTally::certainly_too_many() const {
  return planned_ >= options_.minimum_finished &&
         static_cast<double>(failed_) >
             options_.max_failed_fraction * static_cast<double>(planned_);
}

bool FailureTally::hopeless() const {
  if (failed_ == failed_before_) return false;
  if (all_failed() && finished_ >= options_.first_failures) return true;
  if (certainly_too_many()) return true;
  const double limit = options_.max_failed_fraction;
  const auto failed = static_cast<double>(failed_);
  const auto finished = static_cast<double>(finished_);
  const double standard_error = std::sqrt(std::max(limit * (1 - limit), 1 / finished) / finished);
  return finished_ >= options_.minimum_finished && failed / finished > limit + 4 * standard_error;
}

bool FailureTally::too_many() const {
  if (failed_ == failed_before_) return false;
  const bool minds = options_.max_failed_fraction < 1 ||
                     options_.first_failures < std::numeric_limits<Index>::max();
  if (all_failed()) return minds;
  return finished_ >= options_.minimum_finished &&
         static_cast<double>(failed_) >
             options_.max_failed_fraction * static_cast<double>(finished_);
}

std::pair<std::string, Index> FailureTally::main_reason() const {
  const auto most =
      std::ranges::max_element(reasons_, {}, [](const auto& reason) { return reason.second; });
  if (most == reasons_.end()) return {};
  return *most;
}

Error FailureTally::error() const {
  const auto [reason, times] = main_reason();
  const double percent = 100 * static_cast<double>(failed_) / static_cast<double>(finished_);
  Advice advice{.before = ". Correct the simulator, then ", .action = Action::resume};
  if (!all_failed()) {
    // The advice names a fraction that may not be enough.
    constexpr double kAdvised = 80;
    advice = {.before = ". ", .action = Action::allow_failures};
    if (percent >= kAdvised)
      advice.after = fmt::format(", or more than that: {:.3g} % failed", percent);
  }
  return {ErrorKind::simulator,
          ErrorParts{.reason = fmt::format("{} of {} simulations failed ({:.3g} %; "
                                           "simulator.max_failed_fraction = {}). Most frequent "
                                           "reason: {} ({} times)",
                                           failed_, finished_, percent,
                                           options_.max_failed_fraction, reason, times),
                     .advice = std::move(advice)}};
}

ExecutionSummary FailureTally::summary() const {
  return {finished_ - finished_before_, failed_ - failed_before_, main_reason().first};
}

}  // namespace hone
