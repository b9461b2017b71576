#include "hone/mpi/simulator_threads.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "hone/core/parallel.h"

namespace hone {
namespace {

using Clock = std::chrono::steady_clock;  // paces; never part of a result

// A thread's piece of work should last about this long: much against the cost of starting it (a
// tenth of a millisecond), little against the patience of who waits for the last row.
constexpr double kSecondsPerPiece = 20e-3;
constexpr Index kMostRowsPerPiece = 65536;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace

ExecutorOptions per_thread_options(std::vector<char> may_be_missing) {
  return {.max_failed_fraction = 1,
          .first_failures = std::numeric_limits<Index>::max(),
          .flush_seconds = kSecondsPerPiece,
          .costly_seconds = kSecondsPerPiece,
          .may_be_missing = std::move(may_be_missing)};
}

ThreadExecutors executors_per_thread(std::unique_ptr<Simulator> simulator,
                                     const ExecutorOptions& options) {
  ThreadExecutors simulators{std::move(simulator), {}};
  const int count = simulators.simulator->concurrent() ? thread_count() : 1;
  for (int number = 0; number < count; ++number) {
    simulators.executors.push_back(make_thread_executor(*simulators.simulator, options));
  }
  return simulators;
}

// Asks the executors to stop.
class SimulatorThreads::Halted final : public Observer {
 public:
  explicit Halted(const std::atomic<bool>& halting) : halting_(halting) {}
  bool stop_requested() override { return halting_; }

 private:
  const std::atomic<bool>& halting_;
};

SimulatorThreads::SimulatorThreads(ThreadExecutors executors) : executors_(std::move(executors)) {
  for (auto& executor : executors_.executors) {
    threads_.emplace_back([this, &executor] {
      with_threads(1, [&] { work(*executor); });
      executor.reset();  // here: external programs end with the thread that started them
    });
  }
}

SimulatorThreads::~SimulatorThreads() {
  halt();
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

const NoiseModel* SimulatorThreads::noise() const {
  return executors_.simulator ? executors_.simulator->noise() : nullptr;
}

void SimulatorThreads::submit(const RowBatch& batch,
                              const std::shared_ptr<const Listener>& listener) {
  {
    const std::lock_guard lock(mutex_);
    HONE_ASSERT(!halting_ || busy_ == 0);
    halting_ = false;
    const SimulationRequest& request = batch.request;
    for (std::size_t i = 0; i < batch.rows.size(); ++i) {
      const auto theta = request.theta.row(static_cast<Index>(i));
      waiting_.push_back({listener,
                          batch.rows[i],
                          batch.answered,
                          request.ids[i],
                          request.seeds[i],
                          {theta.begin(), theta.end()}});
    }
  }
  changed_.notify_all();
}

void SimulatorThreads::halt() {
  const std::lock_guard lock(mutex_);
  waiting_.clear();
  halting_ = true;
}

bool SimulatorThreads::idle() {
  const std::lock_guard lock(mutex_);
  return waiting_.empty() && busy_ == 0;
}

void SimulatorThreads::work(Executor& executor) {
  Index rows = 1;
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return closing_ || !waiting_.empty(); });
    if (closing_) return;
    const Piece piece = take(rows);
    ++busy_;
    lock.unlock();
    const auto begin = Clock::now();
    run(executor, piece);
    const double factor = kSecondsPerPiece / std::max(seconds_since(begin), 1e-9);
    const auto count = static_cast<double>(piece.batch.rows.size());
    rows = static_cast<Index>(
        std::clamp(count * std::min(factor, 2.0), 1.0, double(kMostRowsPerPiece)));
    lock.lock();
    --busy_;
  }
}

SimulatorThreads::Piece SimulatorThreads::take(Index most) {
  const auto left = std::ssize(waiting_);
  const Index count = std::clamp<Index>(left / (2 * std::ssize(executors_.executors)), 1, most);
  Piece piece{waiting_.front().listener, {}};
  SimulationRequest& request = piece.batch.request;
  request.theta = Matrix<double>(count, std::ssize(waiting_.front().theta));
  piece.batch.answered = true;
  for (Index i = 0; i < count; ++i) {
    const Row& row = waiting_.front();
    piece.batch.answered = piece.batch.answered && row.answered;
    piece.batch.rows.push_back(row.row);
    request.ids.push_back(row.id);
    request.seeds.push_back(row.seed);
    std::ranges::copy(row.theta, request.theta.row(i).begin());
    waiting_.pop_front();
  }
  request.known_to_work = piece.batch.answered;
  return piece;
}

void SimulatorThreads::run(Executor& executor, const Piece& piece) {
  auto last = Clock::now();
  std::vector<Index> left = piece.batch.rows;
  const auto sink = [&](const FinishedSimulations& finished) {
    ResultBatch results;
    for (const Index row : finished.rows) {
      results.rows.push_back(piece.batch.rows[static_cast<std::size_t>(row)]);
      std::erase(left, results.rows.back());
    }
    results.x = Matrix<double>(finished.x.rows(), finished.x.cols());
    std::copy_n(finished.x.data(), finished.x.rows() * finished.x.cols(), results.x.data());
    results.failures.assign(finished.failures.begin(), finished.failures.end());
    results.seconds = seconds_since(last);
    last = Clock::now();
    const std::lock_guard lock(telling_);
    piece.listener->finished(results);
  };
  Halted observer(halting_);
  try {
    executor.run(piece.batch.request, sink, observer);
  } catch (...) {
    if (halting_) return;  // it stopped because it was asked to
    piece.listener->gave_up(
        gave_up_message(std::current_exception(), std::move(left), piece.batch.answered));
  }
}

}  // namespace hone
