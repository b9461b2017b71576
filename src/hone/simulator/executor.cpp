#include "hone/simulator/executor.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <utility>

#include <tbb/task_arena.h>

#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "hone/simulator/delivery.h"

namespace hone {
namespace {

// A call of the simulator should last about 2 ms: long against the cost of handing over its rows
// (microseconds), short against the patience of somebody who pressed Ctrl-C.
constexpr double kSecondsPerCall = 2e-3;
constexpr Index kMostRowsPerCall = 4096;

FinishedBlock simulate_block(Simulator& simulator, const SimulationRequest& request, Index begin,
                             Index count, std::span<const char> may_be_missing) {
  FinishedBlock block{begin, Matrix<double>(count, simulator.data_size()),
                      std::vector<Failure>(static_cast<std::size_t>(count))};
  const SimulationBatch batch{
      request.theta.view().rows(begin, count),
      std::span(request.seeds)
          .subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(count))};
  // Isolated: a simulator with parallel loops inside must not pick up another worker's loop.
  tbb::this_task_arena::isolate([&] { simulator.simulate(block.x, block.failures, batch); });
  for (Index i = 0; i < count; ++i) {
    Failure& failure = block.failures[static_cast<std::size_t>(i)];
    if (!failure) failure = check_data(block.x.row(i), may_be_missing);
  }
  return block;
}

// Rows of the next call, from what the last one took. The clock paces only: a row's result
// depends on nothing but its own theta and seed.
Index next_call_rows(Index rows, double seconds, Index most) {
  const double factor = std::clamp(kSecondsPerCall / std::max(seconds, 1e-9), 0.0, 2.0);
  const auto wanted = static_cast<Index>(static_cast<double>(rows) * factor);
  return std::clamp<Index>(wanted, 1, most);
}

class ThreadExecutor final : public Executor {
 public:
  ThreadExecutor(Simulator& simulator, ExecutorOptions options)
      : simulator_(simulator), options_(std::move(options)) {
    options_.validate();
  }

  ExecutionSummary run(const SimulationRequest& request, const SimulationSink& sink,
                       Observer& observer) override {
    HONE_ASSERT(request.theta.rows() == request.rows());
    HONE_ASSERT(static_cast<Index>(request.seeds.size()) == request.rows());
    Delivery delivery(request, simulator_.data_size(), options_, sink, observer);
    const Index workers = simulator_.concurrent() ? thread_count() : 1;
    std::atomic<Index> next = 0;
    parallel_for(workers, [&](Index) { work(request, workers, next, delivery); });
    return delivery.finish();
  }

  const NoiseModel* noise() const override { return simulator_.noise(); }

 private:
  void work(const SimulationRequest& request, Index workers, std::atomic<Index>& next,
            Delivery& delivery) {
    using Clock = std::chrono::steady_clock;
    const Index most = std::min(kMostRowsPerCall, rows_per_batch(options_, simulator_.data_size()));
    Index rows = 1;
    while (!delivery.stopping()) {
      // Towards the end shares get smaller, so that no thread waits long for the last one.
      const Index left = request.rows() - next.load();
      const Index wanted = std::clamp<Index>(left / (2 * workers), 1, rows);
      const Index begin = next.fetch_add(wanted);
      if (begin >= request.rows()) return;
      const Index count = std::min(wanted, request.rows() - begin);
      const Clock::time_point start = Clock::now();
      try {
        FinishedBlock block =
            simulate_block(simulator_, request, begin, count, options_.may_be_missing);
        block.seconds = std::chrono::duration<double>(Clock::now() - start).count();
        delivery.push(std::move(block));
      } catch (...) {
        delivery.simulator_gave_up(std::current_exception());
        return;
      }
      const std::chrono::duration<double> seconds = Clock::now() - start;
      rows = next_call_rows(count, seconds.count(), most);
    }
  }

  Simulator& simulator_;
  ExecutorOptions options_;
};

void require_positive(const char* name, Index value) {
  if (value < 1) fail(ErrorKind::input, "simulator.{} = {}: must be at least 1", name, value);
}

}  // namespace

void ExecutorOptions::validate() const {
  if (!(max_failed_fraction >= 0 && max_failed_fraction <= 1)) {
    fail(ErrorKind::input, "simulator.max_failed_fraction = {}: must lie in [0, 1]",
         max_failed_fraction);
  }
  require_positive("minimum_finished", minimum_finished);
  require_positive("first_failures", first_failures);
  require_positive("batch_rows", batch_rows);
  require_positive("batch_bytes", batch_bytes);
  if (!(flush_seconds > 0)) {
    fail(ErrorKind::input, "simulator.flush_seconds = {}: must be positive", flush_seconds);
  }
  if (!(costly_seconds > 0)) {
    fail(ErrorKind::input, "simulator.costly_seconds = {}: must be positive", costly_seconds);
  }
}

std::unique_ptr<Executor> make_thread_executor(Simulator& simulator, ExecutorOptions options) {
  return std::make_unique<ThreadExecutor>(simulator, std::move(options));
}

}  // namespace hone
