#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>

#include "hone/core/observer.h"

namespace hone::cli {

// Progress on standard error: a bar that is redrawn on a terminal, plain lines in a pipe. Also
// keeps the time by stage, and asks to stop after Ctrl-C.
class Progress final : public Observer {
 public:
  Progress();
  ~Progress() override;

  void stage_started(std::string_view stage, Index total) override;
  void stage_advanced(std::string_view stage, Index done, Index total) override;
  void stage_finished(std::string_view stage) override;
  void context_changed(const std::string& context) override { context_ = context; }
  void log(LogLevel level, const std::string& message) override;
  bool stop_requested() override;

  // Removes the bar, before something else is printed.
  void clear();

  // "time: 20.7 s, simulate 0.2 s (1 %), train 20.1 s (97 %), other 0.4 s (2 %)"
  std::string times() const;

 private:
  using Clock = std::chrono::steady_clock;
  void draw(std::string_view stage, Index done, Index total);

  const bool terminal_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point stage_start_, last_drawn_;
  // The first that was heard of a stage. Rates count from here: what an earlier process did, and
  // the first epoch with its warming up, are not in them.
  struct Beginning {
    Clock::time_point time;
    Index done;
  };
  std::optional<Beginning> beginning_;
  std::map<std::string, double, std::less<>> seconds_;
  std::string context_;
  bool drawn_ = false;
};

}  // namespace hone::cli
