#include "cli/progress.h"

#include <algorithm>
#include <csignal>
#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

namespace hone::cli {
namespace {

std::atomic<bool> stop_flag = false;

// The first signal asks for a clean stop, a second one ends the program at once.
void on_signal(int signal) {
  stop_flag = true;
  std::signal(signal, SIG_DFL);
}

std::string duration(double seconds) {
  const auto whole = static_cast<long>(seconds + 0.5);
  if (whole >= 3600) {
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  }
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

std::string rate(double per_second) {
  if (per_second >= 1e4) return fmt::format("{:.0f}k/s", per_second / 1e3);
  if (per_second >= 10) return fmt::format("{:.0f}/s", per_second);
  return fmt::format("{:.2g}/s", per_second);
}

const char* unit(std::string_view stage) {
  return stage == "train" ? "networks" : "simulations";
}

}  // namespace

Progress::Progress() : terminal_(isatty(STDERR_FILENO) == 1) {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
}

Progress::~Progress() {
  clear();
}

bool Progress::stop_requested() {
  return stop_flag;
}

void Progress::stage_started(std::string_view stage, Index total) {
  stage_start_ = Clock::now();
  last_drawn_ = {};
  if (terminal_) {
    draw(stage, 0, total);
  } else if (stage == "simulate" || total > 0) {
    std::fputs(fmt::format("{}: {} {} {}\n", context_, stage, total, unit(stage)).c_str(), stderr);
  }
}

void Progress::stage_advanced(std::string_view stage, Index done, Index total) {
  const auto now = Clock::now();
  if (!terminal_ || now - last_drawn_ < std::chrono::milliseconds(100)) return;
  last_drawn_ = now;
  draw(stage, done, total);
}

void Progress::stage_finished(std::string_view stage) {
  seconds_[std::string(stage)] +=
      std::chrono::duration<double>(Clock::now() - stage_start_).count();
  clear();
}

void Progress::draw(std::string_view stage, Index done, Index total) {
  constexpr int kWidth = 24;
  const double fraction = total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 0;
  const int filled = static_cast<int>(fraction * kWidth);
  const double seconds = std::chrono::duration<double>(Clock::now() - stage_start_).count();
  std::string tail;
  if (done > 0 && seconds > 0.2) {
    tail = fmt::format("  {}  {} left", rate(static_cast<double>(done) / seconds),
                       duration(seconds * (1 - fraction) / fraction));
  }
  std::fputs(fmt::format("\r\x1b[K{}  {:<8} [{}{}] {}/{} {}{}", context_, stage,
                         std::string(static_cast<std::size_t>(filled), '#'),
                         std::string(static_cast<std::size_t>(kWidth - filled), '.'), done, total,
                         unit(stage), tail)
                 .c_str(),
             stderr);
  std::fflush(stderr);
  drawn_ = true;
}

void Progress::clear() {
  if (!drawn_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  drawn_ = false;
}

void Progress::log(LogLevel level, const std::string& message) {
  if (level == LogLevel::debug) return;
  clear();
  std::fputs(fmt::format("{}{}\n", level == LogLevel::warning ? "warning: " : "", message).c_str(),
             stderr);
}

std::string Progress::times() const {
  const double total = std::chrono::duration<double>(Clock::now() - start_).count();
  std::string text = fmt::format("time: {:.1f} s", total);
  double other = total;
  const auto part = [&](std::string_view name, double seconds) {
    text += fmt::format(", {} {:.1f} s ({:.0f} %)", name, seconds, 100 * seconds / total);
  };
  for (const auto& [stage, seconds] : seconds_) {
    part(stage, seconds);
    other -= seconds;
  }
  part("other", std::max(0.0, other));
  return text;
}

}  // namespace hone::cli
