#include "hone/simulator/worker.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <utility>

#include <unistd.h>

namespace hone {
namespace {

// A worker should have requests for about so long: many times the 50 us in which an answer gets
// here and a request gets back, and short enough that slow simulations never queue.
constexpr double kSecondsOfRequests = 5e-3;
// Read at a time and, so that one worker does not keep the others waiting, in one turn.
constexpr std::size_t kReadBytes = std::size_t{1} << 18;
constexpr int kReadsPerTurn = 8;
// The system closes the pipes of a dying process a moment before it reports its end.
constexpr std::chrono::milliseconds kPatienceWhenClosing(500);

}  // namespace

Worker::Worker(int index, const WorkerOptions& options, std::filesystem::path program,
               Index data_size)
    : log(index, options.log),
      options_(options),
      spec_{std::move(program),
            options.command,
            options.directory,
            {fmt::format("HONE_WORKER={}", index)}},
      data_size_(data_size),
      reader_(data_size),
      buffer_(kReadBytes) {}

void Worker::start() {
  child_.emplace(spec_);
  reader_ = AnswerReader(data_size_);
  pending_.clear();
  written_ = 0;
  input_closed_.reset();
  output_ended_.reset();
  answers_ = 0;
  ready_ = false;
  log.clear();
  last_measured_ = Clock::now();
}

int Worker::room() const {
  if (input_closed_ || output_ended_) return 0;
  if (!jobs_.empty() && jobs_.front().alone) return 0;
  int wanted = 1;
  if (seconds_per_answer_ > 0) {
    wanted = static_cast<int>(std::min(kSecondsOfRequests / seconds_per_answer_, 1e6));
  }
  return std::clamp(wanted, 1, options_.pipeline) - static_cast<int>(jobs_.size());
}

void Worker::submit(const Job& job, const SimulationRequest& request) {
  const auto row = static_cast<std::size_t>(job.row);
  append_request(pending_, request.ids[row], request.theta.row(job.row), request.seeds[row]);
  if (jobs_.empty()) first_since_ = last_measured_ = Clock::now();
  jobs_.push_back(job);
}

Job Worker::take_reserved() {
  return *std::exchange(reserved_, std::nullopt);
}

void Worker::write_pending() {
  while (!input_closed_ && written_ < pending_.size()) {
    const ssize_t count =
        ::write(child_->input.get(), pending_.data() + written_, pending_.size() - written_);
    if (count > 0) {
      written_ += static_cast<std::size_t>(count);
    } else if (errno == EAGAIN) {
      return;
    } else if (errno != EINTR) {
      input_closed_ = Clock::now();
    }
  }
  if (written_ == pending_.size()) {
    pending_.clear();
    written_ = 0;
  }
}

bool Worker::read_output() {
  for (int turn = 0; turn < kReadsPerTurn; ++turn) {
    if (output_ended_) return true;
    const PipeRead got = read_pipe(child_->output, buffer_.data(), buffer_.size());
    reader_.append({buffer_.data(), got.bytes});
    if (got.ended) output_ended_ = Clock::now();
    if (got.bytes < buffer_.size()) return true;
  }
  return false;
}

void Worker::read_errors() {
  for (int turn = 0; turn < kReadsPerTurn && child_->errors.open(); ++turn) {
    const PipeRead got = read_pipe(child_->errors, buffer_.data(), buffer_.size());
    log.append({buffer_.data(), got.bytes});
    if (got.ended) child_->errors.close();
    if (got.bytes == 0) return;
  }
}

void Worker::started() {
  ready_ = true;
  first_since_ = Clock::now();
}

Job Worker::finish_first() {
  const Job job = jobs_.front();
  jobs_.pop_front();
  ++answers_;
  first_since_ = Clock::now();
  return job;
}

void Worker::measure_pace(int answers) {
  if (answers == 0) return;
  const Time now = Clock::now();
  const double seconds = std::chrono::duration<double>(now - last_measured_).count() / answers;
  const double old = seconds_per_answer_;
  seconds_per_answer_ = old == 0 ? seconds : 0.7 * old + 0.3 * seconds;
  last_measured_ = now;
}

double Worker::seconds_at_first() const {
  return std::chrono::duration<double>(Clock::now() - first_since_).count();
}

Index Worker::unwritten_jobs() const {
  return std::count(pending_.begin() + static_cast<std::ptrdiff_t>(written_), pending_.end(), '\n');
}

std::optional<Trouble> Worker::trouble(double startup_grace) {
  const bool exited = child_->exited();
  if (exited && !output_ended_) {
    // Something it has started may hold the pipe open: what is in there now is all that counts.
    if (read_output()) output_ended_ = Clock::now();
    return std::nullopt;
  }
  if (exited) {
    const int status = child_->kill_and_reap();
    return Trouble{"the program " + describe_wait_status(status), status == 0};
  }
  const auto too_long = [](Time since) { return Clock::now() - since > kPatienceWhenClosing; };
  if (output_ended_ && too_long(*output_ended_)) return Trouble{"the program closed its output"};
  const bool starved = input_closed_ && unwritten_jobs() == static_cast<Index>(jobs_.size());
  if (starved && too_long(*input_closed_)) return Trouble{"the program closed its input", true};
  const double limit = options_.timeout_seconds + (has_started() ? 0 : startup_grace);
  if (!jobs_.empty() && options_.timeout_seconds > 0 && seconds_at_first() > limit) {
    return Trouble{fmt::format("no answer within {} s", options_.timeout_seconds)};
  }
  return std::nullopt;
}

void Worker::add_polls(std::vector<pollfd>& polls) const {
  if (!child_) return;
  const bool unwritten = !input_closed_ && written_ < pending_.size();
  if (unwritten) polls.push_back({child_->input.get(), POLLOUT, 0});
  if (!output_ended_) polls.push_back({child_->output.get(), POLLIN, 0});
  if (child_->errors.open()) polls.push_back({child_->errors.get(), POLLIN, 0});
}

std::vector<Job> Worker::stop() {
  if (child_) {
    child_->kill_and_reap();
    read_errors();
    log.flush();
    child_.reset();
  }
  std::vector<Job> jobs(jobs_.begin(), jobs_.end());
  jobs_.clear();
  reserved_.reset();
  return jobs;
}

void Worker::ask_to_end(bool politely) {
  if (!child_) return;
  child_->input.close();
  if (!politely) child_->signal(SIGTERM);
}

bool Worker::ended() {
  if (!child_) return true;
  read_errors();
  while (child_->output.open()) {  // read and dropped, lest it waits for us for ever
    const PipeRead got = read_pipe(child_->output, buffer_.data(), buffer_.size());
    if (got.ended) child_->output.close();
    if (got.bytes == 0) break;
  }
  return child_->exited();
}

bool Worker::usable() {
  return child_ && !ended() && child_->output.open() && !is_closing();
}

}  // namespace hone
