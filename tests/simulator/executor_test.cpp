#include "hone/simulator/executor.h"

#include <atomic>
#include <chrono>
#include <limits>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "simulator/executor_testing.h"

namespace hone {
namespace {

using namespace std::chrono_literals;

SimulationRequest make_request(Index rows) {
  SimulationRequest request;
  request.theta = Matrix<double>(rows, 2);
  for (Index i = 0; i < rows; ++i) {
    request.ids.push_back(i);
    request.seeds.push_back(Rng(1).child("simulate", static_cast<std::uint64_t>(i)).bits64());
    request.theta(i, 0) = static_cast<double>(i);
    request.theta(i, 1) = 0.5;
  }
  return request;
}

void noisy(std::span<double> x, std::span<const double> theta, Rng noise) {
  x[0] = theta[0] + noise.normal();
  x[1] = theta[1] * noise.uniform();
}

TEST(Executor, DeliversEveryRowOnceWithValuesIndependentOfThreads) {
  const auto simulator = make_simulator(2, noisy);
  const SimulationRequest request = make_request(20000);
  std::map<Index, std::vector<double>> expected;
  for (int threads : {1, 2, 5}) {
    Collector collector;
    ExecutionSummary summary;
    with_threads(threads, [&] {
      summary = make_thread_executor(*simulator)->run(request, collector.sink());
    });
    EXPECT_EQ(summary.finished, 20000);
    EXPECT_EQ(summary.failed, 0);
    if (expected.empty()) expected = collector.x;
    EXPECT_EQ(collector.x, expected) << threads << " threads";
  }
  ASSERT_EQ(expected.size(), 20000u);
  std::vector<double> direct(2);
  noisy(direct, request.theta.row(77), Rng(request.seeds[77]));
  EXPECT_EQ(expected.at(77), direct);
}

TEST(Executor, GivesBatchSimulatorsTheSameRowsAsRowSimulators) {
  const auto rows = make_simulator(2, noisy);
  const auto batches =
      make_batch_simulator(2, [](MatrixView<double> x, const SimulationBatch& batch) {
        for (Index i = 0; i < x.rows(); ++i) {
          noisy(x.row(i), batch.theta.row(i), Rng(batch.seeds[static_cast<std::size_t>(i)]));
        }
      });
  const SimulationRequest request = make_request(5000);
  Collector a;
  Collector b;
  make_thread_executor(*rows)->run(request, a.sink());
  make_thread_executor(*batches)->run(request, b.sink());
  EXPECT_EQ(a.x, b.x);
}

TEST(Executor, KeepsBatchesWithinRowsAndBytes) {
  const auto simulator = make_simulator(2, noisy);
  Collector by_rows;
  ExecutorOptions options;
  options.batch_rows = 37;
  make_thread_executor(*simulator, options)->run(make_request(1000), by_rows.sink());
  EXPECT_LE(by_rows.largest_batch, 37);
  EXPECT_EQ(by_rows.x.size(), 1000u);

  Collector by_bytes;
  options.batch_rows = 1000;
  options.batch_bytes = 10;  // less than one row
  make_thread_executor(*simulator, options)->run(make_request(100), by_bytes.sink());
  EXPECT_EQ(by_bytes.largest_batch, 1);
  EXPECT_EQ(by_bytes.x.size(), 100u);
}

TEST(Executor, AcceptsAnEmptyRequest) {
  const auto simulator = make_simulator(2, noisy);
  Collector collector;
  EXPECT_EQ(make_thread_executor(*simulator)->run(make_request(0), collector.sink()).finished, 0);
}

TEST(Executor, RecordsExceptionsAndUselessNumbersAsFailures) {
  const auto simulator =
      make_simulator(2, [](std::span<double> x, std::span<const double> theta, Rng noise) {
        noisy(x, theta, noise);
        const auto id = static_cast<int>(theta[0]);
        if (id % 10 == 1) throw std::runtime_error("no convergence");
        if (id % 10 == 2) x[1] = std::numeric_limits<double>::quiet_NaN();
        if (id % 10 == 3) x[0] = -std::numeric_limits<double>::infinity();
        if (id == 4) x[0] = 1e300;
        if (id == 5) throw 7;  // NOLINT: an exception that is no std::exception
      });
  Collector collector;
  const auto summary = make_thread_executor(*simulator)->run(make_request(1000), collector.sink());
  EXPECT_EQ(summary.finished, 1000);
  EXPECT_EQ(summary.failed, 302);
  EXPECT_EQ(collector.failures.size(), 302u);
  EXPECT_EQ(collector.failures.at(1), "no convergence");
  EXPECT_EQ(collector.failures.at(2), "x[1] is nan");
  EXPECT_EQ(collector.failures.at(3), "x[0] is -inf");
  EXPECT_NE(collector.failures.at(4).find("x[0] = 1e+300"), std::string::npos);
  EXPECT_EQ(collector.failures.at(5), "an exception of unknown type");
}

TEST(Executor, EndsAtOnceWhenTheFirstSimulationsAllFail) {
  std::atomic<int> calls = 0;
  const auto simulator = make_simulator(1, [&](auto, auto, Rng) {
    ++calls;
    std::this_thread::sleep_for(1ms);
    throw std::runtime_error("licence expired");
  });
  Collector collector;
  const std::string text = error_text(
      [&] { make_thread_executor(*simulator)->run(make_request(100000), collector.sink()); },
      ErrorKind::simulator);
  EXPECT_NE(text.find("licence expired"), std::string::npos) << text;
  EXPECT_NE(text.find("100 %"), std::string::npos) << text;
  EXPECT_LT(calls, 1000);
  EXPECT_EQ(collector.x.size(), static_cast<std::size_t>(calls));
}

std::unique_ptr<Simulator> failing_every(int period) {
  return make_simulator(1, [period](std::span<double> x, std::span<const double> theta, Rng) {
    if (static_cast<int>(theta[0]) % period == 0) throw std::runtime_error("unlucky");
    x[0] = 1;
  });
}

TEST(Executor, StopsPastTheAllowedFractionOnly) {
  const auto simulator = failing_every(4);
  ExecutorOptions options;
  options.max_failed_fraction = 0.25;  // exactly what fails
  Collector fine;
  const auto summary =
      make_thread_executor(*simulator, options)->run(make_request(4000), fine.sink());
  EXPECT_EQ(summary.failed, 1000);
  EXPECT_EQ(summary.main_reason, "unlucky");

  options.max_failed_fraction = 0.2499;  // one too many at the end
  Collector late;
  const std::string text = error_text(
      [&] { make_thread_executor(*simulator, options)->run(make_request(4000), late.sink()); },
      ErrorKind::simulator);
  EXPECT_NE(text.find("0.2499"), std::string::npos) << text;
  EXPECT_NE(text.find("unlucky"), std::string::npos) << text;

  options.max_failed_fraction = 0.05;  // clear long before the end
  Collector early;
  error_text(
      [&] { make_thread_executor(*simulator, options)->run(make_request(400000), early.sink()); },
      ErrorKind::simulator);
  EXPECT_LT(early.x.size(), 200000u);
}

TEST(Executor, CountsTheFailuresOfAnInterruptedRun) {
  const auto simulator = failing_every(2);
  ExecutorOptions options;
  options.max_failed_fraction = 0.1;
  SimulationRequest request = make_request(100);
  Collector alone;
  error_text([&] { make_thread_executor(*simulator, options)->run(request, alone.sink()); },
             ErrorKind::simulator);
  request.finished_before = 900;
  request.failed_before = 10;
  Collector resumed;
  EXPECT_EQ(make_thread_executor(*simulator, options)->run(request, resumed.sink()).failed, 50);
}

class StopAfter final : public Observer {
 public:
  explicit StopAfter(int calls) : left_(calls) {}
  bool stop_requested() override { return left_-- <= 0; }
  void stage_started(std::string_view stage, Index total) override {
    EXPECT_EQ(stage, "simulate");
    total_ = total;
  }
  void stage_advanced(std::string_view, Index done, Index total) override {
    EXPECT_EQ(total, total_);
    EXPECT_GE(done, done_);
    done_ = done;
  }
  void stage_finished(std::string_view) override { ++finished_; }
  Index total_ = 0;
  Index done_ = 0;
  int finished_ = 0;

 private:
  int left_;
};

TEST(Executor, DeliversEverythingFinishedBeforeItStopsOnRequest) {
  std::atomic<std::size_t> done = 0;
  const auto simulator = make_simulator(1, [&](std::span<double> x, auto, Rng) {
    std::this_thread::sleep_for(2ms);
    x[0] = 1;
    ++done;
  });
  Collector collector;
  StopAfter observer(3);
  const std::string text = error_text(
      [&] {
        make_thread_executor(*simulator)->run(make_request(100000), collector.sink(), observer);
      },
      ErrorKind::interrupted);
  EXPECT_GT(done, 0u);
  EXPECT_LT(done, 2000u);
  EXPECT_EQ(collector.x.size(), done);
  EXPECT_EQ(observer.finished_, 1);
  EXPECT_NE(text.find("of 100000"), std::string::npos) << text;
}

TEST(Executor, ReportsProgressUpToTheEnd) {
  const auto simulator = make_simulator(2, noisy);
  Collector collector;
  StopAfter observer(1 << 30);
  make_thread_executor(*simulator)->run(make_request(1000), collector.sink(), observer);
  EXPECT_EQ(observer.total_, 1000);
  EXPECT_EQ(observer.done_, 1000);
  EXPECT_EQ(observer.finished_, 1);
}

TEST(Executor, DeliversTheResultsOfASlowSimulatorInTime) {
  using Clock = std::chrono::steady_clock;
  std::mutex mutex;
  std::map<int, Clock::time_point> ended;
  // The first row is quick, the others keep every thread busy for longer than the flush period.
  const auto simulator =
      make_simulator(1, [&](std::span<double> x, std::span<const double> theta, Rng) {
        const int id = static_cast<int>(theta[0]);
        std::this_thread::sleep_for(id == 0 ? 10ms : 1500ms);
        x[0] = id;
        const std::scoped_lock lock(mutex);
        ended[id] = Clock::now();
      });
  ExecutorOptions options;
  options.flush_seconds = 0.3;
  double longest_wait = 0;
  with_threads(2, [&] {
    make_thread_executor(*simulator, options)
        ->run(make_request(4), [&](const FinishedSimulations& finished) {
          const std::scoped_lock lock(mutex);
          for (Index row : finished.rows) {
            const std::chrono::duration<double> wait = Clock::now() - ended[static_cast<int>(row)];
            longest_wait = std::max(longest_wait, wait.count());
          }
        });
  });
  EXPECT_LT(longest_wait, 1.0);
}

TEST(Executor, RunsASimulatorThatIsNotConcurrentOneCallAtATime) {
  class Alone final : public Simulator {
   public:
    Index data_size() const override { return 1; }
    bool concurrent() const override { return false; }
    void simulate(MatrixView<double> x, std::span<Failure>, const SimulationBatch&) override {
      EXPECT_EQ(inside_.fetch_add(1), 0);
      for (Index i = 0; i < x.rows(); ++i) x(i, 0) = 1;
      inside_.fetch_sub(1);
    }

   private:
    std::atomic<int> inside_ = 0;
  } simulator;
  Collector collector;
  with_threads(4,
               [&] { make_thread_executor(simulator)->run(make_request(3000), collector.sink()); });
  EXPECT_EQ(collector.x.size(), 3000u);
}

TEST(Executor, KeepsWhatIsFinishedWhenTheSimulatorGivesUp) {
  class GivesUp final : public Simulator {
   public:
    Index data_size() const override { return 1; }
    void simulate(MatrixView<double>, std::span<Failure>, const SimulationBatch& batch) override {
      if (batch.theta(0, 0) > 100) throw Error(ErrorKind::simulator, "all workers died");
      finished_ += static_cast<std::size_t>(batch.theta.rows());
    }
    std::atomic<std::size_t> finished_ = 0;
  } simulator;
  Collector collector;
  const std::string text = error_text(
      [&] { make_thread_executor(simulator)->run(make_request(100000), collector.sink()); },
      ErrorKind::simulator);
  EXPECT_EQ(text, "all workers died");
  EXPECT_EQ(collector.x.size(), simulator.finished_);
}

TEST(Executor, PassesOnTheErrorOfTheSink) {
  const auto simulator = make_simulator(2, noisy);
  ExecutorOptions options;
  options.batch_rows = 10;
  const std::string text = error_text(
      [&] {
        make_thread_executor(*simulator, options)
            ->run(make_request(100000),
                  [](const FinishedSimulations&) { throw Error(ErrorKind::io, "disk full"); });
      },
      ErrorKind::io);
  EXPECT_EQ(text, "disk full");
}

TEST(Executor, AllowsParallelLoopsInsideASimulator) {
  const auto simulator = make_simulator(1, [](std::span<double> x, auto, Rng) {
    std::atomic<int> sum = 0;
    parallel_for(10, [&](Index i) { sum += static_cast<int>(i); });
    x[0] = sum;
  });
  Collector collector;
  with_threads(
      3, [&] { make_thread_executor(*simulator)->run(make_request(2000), collector.sink()); });
  EXPECT_EQ(collector.x.size(), 2000u);
  EXPECT_EQ(collector.x.at(5), std::vector<double>{45});
}

TEST(Executor, RefusesWrongOptions) {
  ExecutorOptions options;
  options.max_failed_fraction = 2;
  EXPECT_EQ(error_text([&] { options.validate(); }, ErrorKind::input),
            "simulator.max_failed_fraction = 2: must lie in [0, 1]");
  options = {};
  options.batch_rows = 0;
  EXPECT_EQ(error_text([&] { options.validate(); }, ErrorKind::input),
            "simulator.batch_rows = 0: must be at least 1");
  options = {};
  options.flush_seconds = 0;
  EXPECT_EQ(error_text([&] { options.validate(); }, ErrorKind::input),
            "simulator.flush_seconds = 0: must be positive");
}

}  // namespace
}  // namespace hone
