#include "hone/mpi/simulator_threads.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

#include "hone/core/error.h"

namespace hone {
namespace {

using Body = std::function<void(std::span<double>, std::span<const double>, Rng)>;

ThreadExecutors simulators_of(int count, const Body& body) {
  ThreadExecutors simulators{make_simulator(1, body), {}};
  for (int i = 0; i < count; ++i) {
    simulators.executors.push_back(
        make_thread_executor(*simulators.simulator, per_thread_options()));
  }
  return simulators;
}

RowBatch rows(Index begin, Index count) {
  RowBatch batch;
  batch.request.theta = Matrix<double>(count, 1);
  for (Index i = 0; i < count; ++i) {
    batch.rows.push_back(begin + i);
    batch.request.ids.push_back(1000 + begin + i);
    batch.request.seeds.push_back(7);
    batch.request.theta(i, 0) = static_cast<double>(begin + i);
  }
  return batch;
}

// Collects what comes back.
struct Collected {
  std::mutex mutex;
  std::set<Index> rows;
  std::atomic<int> wrong = 0, failures = 0, gave_up = 0;

  std::shared_ptr<const SimulatorThreads::Listener> listener() {
    return std::make_shared<const SimulatorThreads::Listener>(
        SimulatorThreads::Listener{[this](const ResultBatch& results) { add(results); },
                                   [this](const GaveUpMessage& message) {
                                     if (message.text == "no licence")
                                       gave_up += int(message.rows.size());
                                   }});
  }
  void add(const ResultBatch& results) {
    const std::lock_guard lock(mutex);
    for (std::size_t i = 0; i < results.rows.size(); ++i) {
      const Index row = results.rows[i];
      if (!rows.insert(row).second) ++wrong;
      if (results.failures[i]) {
        ++failures;
      } else if (results.x(static_cast<Index>(i), 0) != 2.0 * static_cast<double>(row)) {
        ++wrong;
      }
    }
  }
};

void wait_until_idle(SimulatorThreads& simulators) {
  while (!simulators.idle()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void twice(std::span<double> x, std::span<const double> theta, Rng) {
  x[0] = 2 * theta[0];
}

TEST(SimulatorThreads, ReturnEveryRowOnceAlsoWhenMostFail) {
  Collected collected;
  SimulatorThreads simulators(simulators_of(3, [](auto x, auto theta, Rng rng) {
    twice(x, theta, rng);
    if (theta[0] > 100) throw std::runtime_error("too large");
  }));
  EXPECT_EQ(simulators.count(), 3);
  for (Index begin = 0; begin < 3000; begin += 500) {
    simulators.submit(rows(begin, 500), collected.listener());
  }
  wait_until_idle(simulators);
  EXPECT_EQ(collected.rows.size(), 3000U);
  EXPECT_EQ(collected.wrong, 0);
  EXPECT_EQ(collected.failures, 3000 - 101);
  EXPECT_EQ(collected.gave_up, 0);
}

TEST(SimulatorThreads, HaltForgetsWhatWaitsAndKeepsWhatIsFinished) {
  Collected collected;
  std::atomic<Index> made = 0;
  SimulatorThreads simulators(simulators_of(2, [&](auto x, auto theta, Rng rng) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    twice(x, theta, rng);
    ++made;
  }));
  simulators.submit(rows(0, 10000), collected.listener());
  while (made < 20) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  simulators.halt();
  wait_until_idle(simulators);
  EXPECT_LT(made, 10000);
  EXPECT_EQ(std::ssize(collected.rows), made);
  simulators.submit(rows(20000, 5), collected.listener());
  wait_until_idle(simulators);
  EXPECT_EQ(std::ssize(collected.rows), made);
}

TEST(SimulatorThreads, SaySoWhenTheSimulatorCannotGoOn) {
  class Broken final : public Executor {
    ExecutionSummary run(const SimulationRequest&, const SimulationSink&, Observer&) override {
      fail(ErrorKind::simulator, "no licence");
    }
  };
  Collected collected;
  ThreadExecutors broken;
  broken.executors.push_back(std::make_unique<Broken>());
  SimulatorThreads simulators(std::move(broken));
  simulators.submit(rows(0, 1), collected.listener());
  wait_until_idle(simulators);
  EXPECT_EQ(collected.gave_up, 1);
  EXPECT_TRUE(collected.rows.empty());
}

}  // namespace
}  // namespace hone
