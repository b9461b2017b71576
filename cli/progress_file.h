#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include "hone/core/observer.h"

namespace hone::cli {

// Passes everything on to another observer, and keeps <run>/progress.json up to date for `hone
// watch`: twice a second, not synced, gone at the end. A disk that cannot take it is no error.
class ProgressFile final : public Observer {
 public:
  ProgressFile(std::filesystem::path file, Observer& next) : file_(std::move(file)), next_(next) {}
  ~ProgressFile() override;

  void stage_started(std::string_view stage, Index total) override;
  void stage_advanced(std::string_view stage, Index done, Index total) override;
  void stage_finished(std::string_view stage) override { next_.stage_finished(stage); }
  void context_changed(const std::string& context) override;
  void log(LogLevel level, const std::string& message) override { next_.log(level, message); }
  bool stop_requested() override { return next_.stop_requested(); }

 private:
  void write(std::string_view stage, Index done, Index total);

  using Clock = std::chrono::steady_clock;
  std::filesystem::path file_;
  Observer& next_;
  std::string context_;
  Clock::time_point written_ = {};
};

}  // namespace hone::cli
