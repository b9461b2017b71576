#include "cli/progress_line.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace hone::cli {
namespace {

constexpr int kShortestBar = 10, kLongestBar = 30;

std::string duration(double seconds) {
  const auto whole = std::lround(std::min(seconds, 1e9));
  if (whole >= 86400) return fmt::format("{} d {} h", whole / 86400, whole / 3600 % 24);
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

std::string bar(double fraction, int length) {
  const auto filled = static_cast<std::size_t>(fraction * length);
  return "[" + std::string(filled, '#') +
         std::string(static_cast<std::size_t>(length) - filled, '.') + "]";
}

}  // namespace

std::string progress_line(const ProgressState& s, int width) {
  const double fraction =
      s.total > 0 ? std::clamp(static_cast<double>(s.done) / static_cast<double>(s.total), 0.0, 1.0)
                  : 0;
  const std::string total = std::to_string(s.total);
  const std::string count = fmt::format("  {:>{}}/{}", s.done, total.size(), total);
  std::string speed, left;
  if (s.per_second > 0) {
    speed = rate(s.per_second);
    left = duration(static_cast<double>(s.total - s.done) / s.per_second) + " left";
  }
  speed = fmt::format("  {:>7}", speed);
  left = fmt::format("  {:>10}", left);
  const std::string percent = fmt::format(" {:3.0f} %", 100 * fraction);
  std::string head = fmt::format("{}{}{:<8} ", s.context, s.context.empty() ? "" : "  ", s.stage);
  // Columns left for the bar between its brackets.
  const auto room = [&](const std::string& tail) {
    return width - 2 - static_cast<int>(head.size() + tail.size());
  };
  for (const std::string& tail : {count + speed + left, speed + left, left, percent}) {
    if (room(tail) < kShortestBar) continue;
    std::string line = head + bar(fraction, std::min(room(tail), kLongestBar)) + tail;
    return line.substr(0, line.find_last_not_of(' ') + 1);
  }
  head = fmt::format("{}{}", s.stage, percent);
  return head.substr(0, static_cast<std::size_t>(std::max(width, 0)));
}

}  // namespace hone::cli
