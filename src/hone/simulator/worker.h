#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include <poll.h>

#include "hone/simulator/child_process.h"
#include "hone/simulator/job_queue.h"
#include "hone/simulator/worker_executor.h"
#include "hone/simulator/worker_protocol.h"

namespace hone {

// Why a process had to be given up.
struct Trouble {
  std::string reason;
  // The simulation answered before may be the cause as well as the one it was at.
  bool ambiguous = false;
};

// One external process with the simulations it is at, in the order it has to answer them. The
// process may be replaced by a new one; this stays. It decides nothing: WorkerExecutor does.
class Worker {
 public:
  using Clock = std::chrono::steady_clock;
  using Time = Clock::time_point;

  Worker(int index, const WorkerOptions& options, std::filesystem::path program, Index data_size);

  void start();  // a new process; throws if the system cannot
  bool running() const { return child_.has_value(); }
  bool has_answered() const { return answers_ > 0; }
  bool has_started() const { return answers_ > 0 || ready_; }
  const std::deque<Job>& jobs() const { return jobs_; }
  // How many more requests it should have now: enough for some milliseconds of work.
  int room() const;

  void submit(const Job& job, const SimulationRequest& request);
  void write_pending();  // as much as the pipe takes
  void read_errors();
  // Takes what is there; false if the pipe held more than one turn's share.
  bool read_output();
  std::optional<Answer> next_answer() { return reader_.next(); }
  void started();      // {"ready": true}
  Job finish_first();  // the first job was answered
  void measure_pace(int answers);

  // Why the process cannot go on, if so. To be asked when all its output has been understood.
  std::optional<Trouble> trouble(double startup_grace);
  void delay_clock(Clock::duration pause) { first_since_ += pause; }
  double seconds_at_first() const;
  // As measured lately; before that, since the first request.
  double seconds_per_answer() const {
    return seconds_per_answer_ > 0 ? seconds_per_answer_ : seconds_at_first();
  }

  void add_polls(std::vector<pollfd>& polls) const;
  bool is_closing() const { return output_ended_ || input_closed_; }  // look again soon

  // Kills the process. The jobs it was at, in order.
  std::vector<Job> stop();
  void ask_to_end(bool politely);  // closes its input, or sends SIGTERM
  bool ended();                    // reads its pipes empty first
  bool usable();                   // for the next request, after a pause

  LineLog log;
  const Job* reserved() const { return reserved_ ? &*reserved_ : nullptr; }
  void reserve(const Job& job) { reserved_ = job; }
  Job take_reserved();

 private:
  Index unwritten_jobs() const;

  const WorkerOptions& options_;
  ProcessSpec spec_;
  Index data_size_;
  std::optional<ChildProcess> child_;
  AnswerReader reader_;
  std::vector<char> buffer_;

  std::deque<Job> jobs_;
  std::optional<Job> reserved_;
  std::string pending_;               // requests not yet written
  std::size_t written_ = 0;           // of pending_
  std::optional<Time> input_closed_;  // by the process
  std::optional<Time> output_ended_;

  Time first_since_;  // when the process got to the first job
  Time last_measured_;
  std::int64_t answers_ = 0;
  bool ready_ = false;
  double seconds_per_answer_ = 0;  // 0: not known yet
};

}  // namespace hone
