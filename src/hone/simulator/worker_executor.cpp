#include "hone/simulator/worker_executor.h"

#include <algorithm>
#include <cmath>
#include <thread>
#include <utility>

#include "hone/core/error.h"
#include "hone/simulator/delivery.h"
#include "hone/simulator/worker.h"

namespace hone {
namespace {

// How long to sleep at most before looking at the clocks of hanging workers and at stop requests.
constexpr int kTickMilliseconds = 20;
// Once the program has answered at all, a run of bad luck is likelier than a broken program.
constexpr int kPatienceFactor = 5;

// What outlives a single run().
struct WorkerPool {
  WorkerOptions options;
  Index data_size = 0;
  std::vector<char> may_be_missing;  // columns, as in ExecutorOptions
  std::vector<std::unique_ptr<Worker>> workers;
  bool has_answered = false;  // any of them, ever
  double longest_start = 0;   // seconds from the first request to the first answer
  std::string last_words;     // stderr of the worker that was given up last

  void shut_down(bool only_busy);
  std::string stderr_lines() const;
};

// One request on its way through the workers. Runs in one thread.
class WorkerRun {
 public:
  WorkerRun(WorkerPool& pool, const SimulationRequest& request, Delivery& delivery)
      : pool_(pool),
        options_(pool.options),
        request_(request),
        delivery_(delivery),
        queue_(request.rows()) {
    if (request.has_worked()) pool_.has_answered = true;
  }

  void drive() {
    while (settled_ < request_.rows() && !delivery_.stopping()) {
      for (auto& worker : pool_.workers) feed(*worker);
      wait();
      for (auto& worker : pool_.workers) {
        if (worker->running()) listen(*worker);
      }
    }
    if (delivery_.stopping()) return;
    if (!held_.empty() && !pool_.has_answered) give_up(held_.back().second);
    release_held();
  }

 private:
  void feed(Worker& worker) {
    if (!worker.running() && (worker.reserved() != nullptr || !queue_.empty())) worker.start();
    if (worker.reserved() != nullptr) {
      if (worker.jobs().empty()) worker.submit(worker.take_reserved(), request_);
    } else {
      // Towards the end shares get smaller, so that no worker waits long for the last one.
      const auto sharing = static_cast<Index>(2 * pool_.workers.size());
      const Index most = std::min<Index>(worker.room(), queue_.size() / sharing + 1);
      for (Index i = 0; i < most && !queue_.empty(); ++i) worker.submit(*queue_.take(), request_);
    }
    if (worker.running()) worker.write_pending();
  }

  void wait() {
    polls_.clear();
    bool closing = false;
    for (const auto& worker : pool_.workers) {
      worker->add_polls(polls_);
      closing = closing || (worker->running() && worker->is_closing());
    }
    poll(polls_.data(), polls_.size(), closing ? 1 : kTickMilliseconds);
  }

  void listen(Worker& worker) {
    worker.read_errors();
    const bool read_all = worker.read_output();
    int answers = 0;
    while (auto answer = worker.next_answer()) {
      if (!take(worker, *answer)) return;
      ++answers;
    }
    worker.measure_pace(answers);
    if (!read_all) return;
    if (const auto trouble = worker.trouble(startup_grace())) give_up_worker(worker, *trouble);
  }

  // False if the worker had to be given up.
  bool take(Worker& worker, const Answer& answer) {
    if (answer.kind == Answer::Kind::ready) {
      note_start(worker);
      worker.started();
      return true;
    }
    if (answer.kind == Answer::Kind::rubbish) {
      give_up_worker(worker, {"the program printed no answer: " + answer.text, true});
      return false;
    }
    if (worker.jobs().empty()) {
      give_up_worker(worker,
                     {fmt::format("an answer for id {}, which was not asked for", answer.id)});
      return false;
    }
    const auto expected = request_.ids[static_cast<std::size_t>(worker.jobs().front().row)];
    if (answer.id != expected) {
      give_up_worker(
          worker,
          {fmt::format("the program answered for id {} instead of {}", answer.id, expected), true});
      return false;
    }
    note_start(worker);
    const double seconds = worker.seconds_per_answer();
    accept(worker.finish_first(), answer, seconds);
    return true;
  }

  void note_start(const Worker& worker) {
    if (worker.has_started()) return;
    pool_.longest_start = std::max(pool_.longest_start, worker.seconds_at_first());
  }

  // A new process may take as long as others took, with plenty to spare.
  double startup_grace() const {
    if (pool_.longest_start == 0) return options_.startup_seconds;
    return std::min(options_.startup_seconds, 0.5 + 5 * pool_.longest_start);
  }

  Failure judge(const Answer& answer) const {
    if (answer.kind == Answer::Kind::error) {
      return answer.text.empty() ? "an error without a text" : answer.text;
    }
    if (answer.length != pool_.data_size) {
      return fmt::format("x has {} values instead of {}", answer.length, pool_.data_size);
    }
    return check_data(answer.x, pool_.may_be_missing);
  }

  void accept(Job job, const Answer& answer, double seconds) {
    pool_.has_answered = true;
    deaths_ = 0;
    release_held();
    Failure failure = judge(answer);
    if (failure && job.attempts < options_.retries) {
      queue_.give_back({job.row, job.attempts + 1});
      return;
    }
    ++settled_;
    const bool fits = answer.length == pool_.data_size && answer.kind == Answer::Kind::data;
    FinishedBlock block =
        finished_row(job.row, fits ? std::span(answer.x) : std::span<const double>(),
                     std::move(failure), pool_.data_size);
    block.seconds = seconds;
    deliver(std::move(block));
  }

  // Kills the worker and finds out what becomes of the simulations it was at.
  void give_up_worker(Worker& worker, const Trouble& trouble) {
    const bool answered = worker.has_answered();
    const std::vector<Job> jobs = worker.stop();
    worker.log.note("[hone] " + trouble.reason + "; a new one is started when needed");
    pool_.last_words = worker.log.last_lines();
    for (std::size_t i = jobs.size(); i-- > 1;) queue_.give_back(jobs[i]);
    if (!answered) count_immediate_death(trouble.reason);
    if (jobs.empty()) return;
    Job job = jobs.front();
    const bool innocent = trouble.ambiguous && answered && !job.alone;
    if (!innocent) ++job.attempts;
    job.alone = true;
    if (job.attempts <= options_.retries) {
      worker.reserve(job);
    } else {
      ++settled_;
      if (answered) {
        deliver(finished_row(job.row, {}, trouble.reason, pool_.data_size));
      } else {
        held_.emplace_back(job.row, trouble.reason);
      }
    }
  }

  void count_immediate_death(const std::string& reason) {
    ++deaths_;
    const int most = options_.most_immediate_deaths;
    if (deaths_ >= (pool_.has_answered ? kPatienceFactor * most : most)) give_up(reason);
  }

  [[noreturn]] void give_up(const std::string& reason) const {
    fail_with_advice(
        ErrorKind::simulator,
        fmt::format("the simulator '{}' failed {} times in a row before it answered anything. Last "
                    "time: {}. Correct it",
                    fmt::join(options_.command, " "), deaths_, reason),
        {.before = ", then ", .action = Action::resume, .after = pool_.stderr_lines()});
  }

  // Failures of processes that never answered count only once another answer shows that the
  // program works at all.
  void release_held() {
    for (auto& [row, reason] : std::exchange(held_, {})) {
      deliver(finished_row(row, {}, std::move(reason), pool_.data_size));
    }
  }

  // While a slow sink keeps us waiting, nobody reads answers: that time is not the workers'.
  void deliver(FinishedBlock block) {
    const auto before = Worker::Clock::now();
    delivery_.push(std::move(block));
    const auto pause = Worker::Clock::now() - before;
    if (pause < std::chrono::milliseconds(1)) return;
    for (auto& worker : pool_.workers) worker->delay_clock(pause);
  }

  WorkerPool& pool_;
  const WorkerOptions& options_;
  const SimulationRequest& request_;
  Delivery& delivery_;
  JobQueue queue_;
  Index settled_ = 0;  // rows delivered or held
  int deaths_ = 0;     // in a row, of processes that never answered
  std::vector<std::pair<Index, std::string>> held_;
  std::vector<pollfd> polls_;
};

bool wait_for_end(const std::vector<Worker*>& workers, double seconds) {
  const auto begin = Worker::Clock::now();
  for (;;) {
    if (std::ranges::all_of(workers, [](Worker* worker) { return worker->ended(); })) return true;
    if (Worker::Clock::now() - begin > std::chrono::duration<double>(seconds)) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void WorkerPool::shut_down(bool only_busy) {
  std::vector<Worker*> ending;
  for (const auto& worker : workers) {
    const bool busy = !worker->jobs().empty() || worker->reserved() != nullptr;
    if (busy || !only_busy) ending.push_back(worker.get());
  }
  // A busy worker would finish what it is at before it sees the end of its input.
  for (Worker* worker : ending) worker->ask_to_end(!only_busy && worker->jobs().empty());
  if (!wait_for_end(ending, options.shutdown_seconds)) {
    for (Worker* worker : ending) worker->ask_to_end(false);
    wait_for_end(ending, only_busy ? 0 : options.shutdown_seconds);
  }
  for (Worker* worker : ending) worker->stop();
}

std::string WorkerPool::stderr_lines() const {
  if (!last_words.empty()) return last_words;
  for (const auto& worker : workers) {
    if (!worker->log.empty()) return worker->log.last_lines();
  }
  return "";
}

class WorkerExecutor final : public Executor {
 public:
  WorkerExecutor(WorkerOptions options, Index data_size, ExecutorOptions executor_options)
      : executor_options_(std::move(executor_options)) {
    options.validate();
    executor_options_.validate();
    if (data_size < 1) fail(ErrorKind::input, "data_size = {}: must be at least 1", data_size);
    const auto program = find_program(options.command.front(), options.directory);
    pool_.options = std::move(options);
    pool_.data_size = data_size;
    pool_.may_be_missing = executor_options_.may_be_missing;
    for (int i = 0; i < pool_.options.workers; ++i) {
      pool_.workers.push_back(std::make_unique<Worker>(i, pool_.options, program, data_size));
    }
  }
  ~WorkerExecutor() override { pool_.shut_down(false); }
  WorkerExecutor(const WorkerExecutor&) = delete;
  WorkerExecutor& operator=(const WorkerExecutor&) = delete;

  ExecutionSummary run(const SimulationRequest& request, const SimulationSink& sink,
                       Observer& observer) override {
    HONE_ASSERT(request.theta.rows() == request.rows());
    HONE_ASSERT(static_cast<Index>(request.seeds.size()) == request.rows());
    for (auto& worker : pool_.workers) {
      if (worker->running() && !worker->usable()) worker->stop();
    }
    Delivery delivery(request, pool_.data_size, executor_options_, sink, observer);
    const SigpipeGuard guard;  // for this thread, not for the one of the delivery
    bool gave_up = false;
    try {
      WorkerRun(pool_, request, delivery).drive();
    } catch (...) {
      gave_up = true;
      delivery.simulator_gave_up(std::current_exception());
    }
    pool_.shut_down(true);
    try {
      return delivery.finish();
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::simulator || gave_up) throw;
      throw error.followed_by(pool_.stderr_lines());
    }
  }

 private:
  WorkerPool pool_;
  ExecutorOptions executor_options_;
};

}  // namespace

void WorkerOptions::validate() const {
  const auto at_least = [](const char* name, auto value, auto least) {
    if (!(value >= least)) {
      fail(ErrorKind::input, "simulator.{} = {}: must be at least {}", name, value, least);
    }
  };
  if (command.empty()) fail(ErrorKind::input, "simulator.command is empty: name a program");
  at_least("workers", workers, 1);
  at_least("timeout", timeout_seconds, 0.0);
  at_least("startup_seconds", startup_seconds, 0.0);
  at_least("retries", retries, 0);
  at_least("pipeline", pipeline, 1);
  at_least("shutdown_seconds", shutdown_seconds, 0.0);
  at_least("most_immediate_deaths", most_immediate_deaths, 1);
}

std::unique_ptr<Executor> make_worker_executor(WorkerOptions options, Index data_size,
                                               ExecutorOptions executor_options) {
  return std::make_unique<WorkerExecutor>(std::move(options), data_size,
                                          std::move(executor_options));
}

}  // namespace hone
