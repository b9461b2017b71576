#include "hone/session/simulator_log.h"

#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hone/core/visible_text.h"

namespace hone {

SimulatorLog::SimulatorLog(std::filesystem::path file, Index most_bytes)
    : path_(std::move(file)), most_bytes_(most_bytes) {}

SimulatorLog::~SimulatorLog() {
  if (left_out_ == 0) return;
  append(fmt::format("[hone] {} lines ({} bytes) were left out here: the log is full\n", left_out_,
                     left_out_bytes_));
}

// By the first line: most runs have nothing to say. What lies there may be a link to somewhere
// else; then nothing is written.
void SimulatorLog::open() {
  opened_ = true;
  constexpr int kAppend = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  file_ = FileDescriptor(::open(path_.c_str(), kAppend, 0644));
  struct stat status {};
  if (file_.open() && ::fstat(file_.get(), &status) == 0) bytes_ = status.st_size;
}

// A run goes on where its log cannot be written.
void SimulatorLog::append(const std::string& text) {
  if (!file_.open()) return;
  [[maybe_unused]] const ssize_t written = ::write(file_.get(), text.data(), text.size());
}

void SimulatorLog::write(int worker, std::string_view line) {
  if (!opened_) open();
  const std::string text = fmt::format("worker {}: {}\n", worker, visible_text(line));
  if (bytes_ + std::ssize(text) > most_bytes_) {
    if (left_out_ == 0) {
      append(fmt::format("[hone] the log is full ({} bytes): further lines are only counted\n",
                         most_bytes_));
    }
    ++left_out_;
    left_out_bytes_ += std::ssize(text);
    return;
  }
  bytes_ += std::ssize(text);
  append(text);
}

}  // namespace hone
