#pragma once

#include <deque>
#include <functional>
#include <string>
#include <string_view>

namespace hone {

// Gets what external programs write to stderr, line by line without the newline, and a line of
// hone's own when a worker is restarted. Called by the thread in Executor::run(), and by the one
// that destroys the executor.
using LogSink = std::function<void(int worker, std::string_view line)>;

// Cuts a stream into lines, hands them on and remembers the last ones for error messages.
class LineLog {
 public:
  LineLog(int worker, LogSink sink) : worker_(worker), sink_(std::move(sink)) {}
  void append(std::string_view bytes);
  void flush();                      // the unfinished last line too
  void note(std::string_view line);  // to the sink only
  void clear() { last_.clear(); }
  bool empty() const { return last_.empty(); }
  std::string last_lines() const;  // indented, one per line, with a heading; "" if there are none

 private:
  void end_line();

  int worker_;
  LogSink sink_;
  std::string line_;
  std::deque<std::string> last_;
};

}  // namespace hone
