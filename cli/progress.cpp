#include "cli/progress.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/progress_line.h"
#include "cli/text.h"
#include "hone/core/visible_text.h"

namespace hone::cli {
namespace {

std::atomic<bool> stop_flag = false;

// The first signal asks for a clean stop, a second one ends the program at once.
void on_signal(int signal) {
  stop_flag = true;
  std::signal(signal, SIG_DFL);
}

// Columns of the terminal now; it may have been resized.
int terminal_width() {
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

bool can_redraw() {
  const char* kind = std::getenv("TERM");
  return isatty(STDERR_FILENO) == 1 && (kind == nullptr || std::string_view(kind) != "dumb");
}

// What a pipe is told about a stage.
std::string announcement(std::string_view stage, Index total) {
  if (stage == "simulate") return fmt::format("{} simulations", total);
  if (stage == "train") return fmt::format("training, at most {} network epochs", total);
  if (stage == "check") return fmt::format("checks on {} test draws", total);
  if (stage == "run") return fmt::format("{} runs", total);
  return fmt::format("{} {}", stage, total);
}

}  // namespace

Progress::Progress() : terminal_(can_redraw()) {
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
  last_drawn_ = stage_start_;
  beginning_.reset();
  if (terminal_) {
    draw(stage, 0, total);
  } else {
    print_error(fmt::format("{}{}{}\n", context_, context_.empty() ? "" : ": ",
                            announcement(stage, total)));
  }
}

void Progress::stage_advanced(std::string_view stage, Index done, Index total) {
  const auto now = Clock::now();
  if (!beginning_) beginning_ = {now, done};
  if (!terminal_ || now - last_drawn_ < std::chrono::milliseconds(100)) return;
  last_drawn_ = now;
  draw(stage, done, total);
}

// The bar stays until the next one, or a message, takes its line: no flicker between short stages.
void Progress::stage_finished(std::string_view stage) {
  seconds_[std::string(stage)] +=
      std::chrono::duration<double>(Clock::now() - stage_start_).count();
}

// Written over the line before, in one call; what is left of that one is erased last.
void Progress::draw(std::string_view stage, Index done, Index total) {
  double per_second = 0;
  if (beginning_) {
    const std::chrono::duration<double> seconds = Clock::now() - beginning_->time;
    // Rates of the first moments mean nothing.
    if (seconds.count() > 0.2) {
      per_second = static_cast<double>(done - beginning_->done) / seconds.count();
    }
  }
  // The last column stays free: some terminals wrap when it is filled.
  const std::string context = visible_text(context_);
  const std::string line =
      progress_line({context, stage, done, total, per_second}, terminal_width() - 1);
  std::fputs(("\r" + line + "\x1b[K").c_str(), stderr);
  drawn_ = true;
}

void Progress::clear() {
  if (!drawn_) return;
  std::fputs("\r\x1b[K", stderr);
  drawn_ = false;
}

void Progress::log(LogLevel level, const std::string& message) {
  if (level == LogLevel::debug) return;
  clear();
  print_error(fmt::format("{}{}\n", level == LogLevel::warning ? "warning: " : "", message));
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
