#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "hone/simulator/executor.h"
#include "hone/simulator/failure_tally.h"

namespace hone {

// Neighbouring rows of a request, finished together.
struct FinishedBlock {
  Index begin = 0;  // first row in the request
  Matrix<double> x;
  std::vector<Failure> failures;
  double seconds = 0;  // that its rows took together; paces the delivery
  Index rows() const { return x.rows(); }
};

// The most rows in one call of the sink, by rows and by bytes of x.
Index rows_per_batch(const ExecutorOptions& options, Index data_size);

// Takes finished blocks from many workers and hands them to the sink from a thread of its own, so
// that writing and syncing files overlaps with simulating, and so that results are handed on in
// time while every worker is busy with a long simulation. The same thread talks to the observer.
class Delivery {
 public:
  Delivery(const SimulationRequest& request, Index data_size, const ExecutorOptions& options,
           const SimulationSink& sink, Observer& observer);
  ~Delivery();
  Delivery(const Delivery&) = delete;
  Delivery& operator=(const Delivery&) = delete;

  // For workers. push() waits while the sink lags behind.
  void push(FinishedBlock block);
  bool stopping() const { return stopping_.load(std::memory_order_relaxed); }
  void simulator_gave_up(std::exception_ptr error);

  // Once no worker is left: delivers the rest, then throws what there is to throw.
  ExecutionSummary finish();

 private:
  using Clock = std::chrono::steady_clock;  // paces the flushing; never part of a result
  using Lock = std::unique_lock<std::mutex>;
  struct Waiting {
    FinishedBlock block;
    Clock::time_point since;
    Index costly_rows;  // all or none
  };

  void deliver_until_closed();
  bool batch_due() const;
  std::vector<FinishedBlock> take_batch();
  void hand_to_sink(const std::vector<FinishedBlock>& blocks);
  void talk_to_observer(Index finished);
  void give_up(std::exception_ptr error);
  void close();

  const Index total_;
  const Index data_size_;
  const ExecutorOptions options_;
  const Index batch_rows_;
  const SimulationSink& sink_;
  Observer& observer_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Waiting> waiting_;
  Index waiting_rows_ = 0;
  Index costly_rows_ = 0;  // of those
  FailureTally tally_;
  bool closed_ = false;
  bool interrupted_ = false;
  std::exception_ptr delivery_error_;  // of the sink or the observer
  std::exception_ptr simulator_error_;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

}  // namespace hone
