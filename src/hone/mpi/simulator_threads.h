#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "hone/mpi/messages.h"
#include "hone/simulator/executor.h"

namespace hone {

// The executors of one process, each for one simulation at a time, and the simulator they may need.
struct ThreadExecutors {
  std::unique_ptr<Simulator> simulator;
  std::vector<std::unique_ptr<Executor>> executors;
};

// What an executor of one thread must not decide: how many failures are too many. It hands rows on
// soon.
ExecutorOptions per_thread_options(std::vector<char> may_be_missing = {});

// For a simulator in this process: one per thread (hone/core/parallel.h), if several at once may
// call it.
ThreadExecutors executors_per_thread(std::unique_ptr<Simulator> simulator,
                                     const ExecutorOptions& options = per_thread_options());

// Simulates rows as they come, in as many threads as there are executors. A thread takes a few rows
// at a time, so that none waits for another's long simulation.
class SimulatorThreads {
 public:
  struct Listener {
    // Called by one thread at a time.
    std::function<void(const ResultBatch&)> finished;
    std::function<void(const GaveUpMessage&)> gave_up;
  };

  explicit SimulatorThreads(ThreadExecutors executors);
  ~SimulatorThreads();  // halts
  SimulatorThreads(const SimulatorThreads&) = delete;
  SimulatorThreads& operator=(const SimulatorThreads&) = delete;

  int count() const { return static_cast<int>(threads_.size()); }
  const NoiseModel* noise() const;

  // Not while halting.
  void submit(const RowBatch& batch, const std::shared_ptr<const Listener>& listener);
  // Forgets rows that nobody has begun; those that are being simulated are finished or given up, as
  // their executor does when it is asked to stop. Returns at once: wait for idle().
  void halt();
  bool idle();

 private:
  struct Row {
    std::shared_ptr<const Listener> listener;
    Index row;
    bool answered;
    std::int64_t id;
    std::uint64_t seed;
    std::vector<double> theta;
  };
  class Halted;

  void work(Executor& executor);
  // Rows with one listener.
  struct Piece {
    std::shared_ptr<const Listener> listener;
    RowBatch batch;
  };
  Piece take(Index most);
  void run(Executor& executor, const Piece& piece);

  ThreadExecutors executors_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::mutex telling_;  // held while a listener hears of results
  std::deque<Row> waiting_;
  int busy_ = 0;
  std::atomic<bool> halting_ = false;
  bool closing_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace hone
