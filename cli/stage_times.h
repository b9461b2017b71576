#pragma once

#include <chrono>
#include <map>
#include <string>

#include "hone/core/observer.h"

namespace hone::cli {

// Seconds by stage of one of several runs that go on at the same time. Draws nothing; whether to
// stop is asked of `parent`.
class StageTimes final : public Observer {
 public:
  explicit StageTimes(Observer& parent) : parent_(parent) {}

  void stage_started(std::string_view, Index) override { start_ = Clock::now(); }
  void stage_finished(std::string_view stage) override {
    seconds_[std::string(stage)] += std::chrono::duration<double>(Clock::now() - start_).count();
  }
  bool stop_requested() override { return parent_.stop_requested(); }

  double seconds(const std::string& stage) const {
    const auto found = seconds_.find(stage);
    return found == seconds_.end() ? 0 : found->second;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Observer& parent_;
  Clock::time_point start_;
  std::map<std::string, double> seconds_;
};

}  // namespace hone::cli
