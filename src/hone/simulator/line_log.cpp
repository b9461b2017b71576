#include "hone/simulator/line_log.h"

#include <algorithm>

#include "hone/core/visible_text.h"

namespace hone {
namespace {

constexpr std::size_t kLongestLine = 4096;  // longer ones are cut into pieces
constexpr std::size_t kRememberedLines = 20;

}  // namespace

void LineLog::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t room = kLongestLine - line_.size();
    const std::size_t end = std::min({bytes.find('\n'), bytes.size(), room});
    line_ += bytes.substr(0, end);
    bytes.remove_prefix(end);
    const bool newline = !bytes.empty() && bytes.front() == '\n';
    if (newline) bytes.remove_prefix(1);
    if (newline || line_.size() >= kLongestLine) end_line();
  }
}

void LineLog::flush() {
  if (!line_.empty()) end_line();
}

void LineLog::note(std::string_view line) {
  if (sink_) sink_(worker_, line);
}

void LineLog::end_line() {
  if (!line_.empty() && line_.back() == '\r') line_.pop_back();
  note(line_);
  last_.push_back(visible_text(line_));
  line_.clear();
  if (last_.size() > kRememberedLines) last_.pop_front();
}

std::string LineLog::last_lines() const {
  if (last_.empty()) return "";
  std::string text = "\nLast lines of its stderr:";
  for (const std::string& line : last_) text += "\n  " + line;
  return text;
}

}  // namespace hone
