#include "hone/simulator/delivery.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

constexpr Index kRows = 6;

SimulationRequest request_of(Index rows) {
  SimulationRequest request;
  for (Index i = 0; i < rows; ++i) request.ids.push_back(i);
  request.theta = Matrix<double>(rows, 1);
  request.seeds.resize(static_cast<std::size_t>(rows));
  return request;
}

FinishedBlock block(Index row, double seconds) {
  return {row, Matrix<double>(1, 1), {Failure()}, seconds};
}

// What the sink has and what the observer was told, by the delivery's own thread.
class Delivered : public Observer {
 public:
  void stage_advanced(std::string_view, Index done, Index) override {
    const std::lock_guard lock(mutex_);
    if (done > rows_) counted_too_early_ = true;
    told_ = done;
    changed_.notify_all();
  }
  SimulationSink sink() {
    return [this](const FinishedSimulations& finished) {
      const std::lock_guard lock(mutex_);
      rows_ += std::ssize(finished.rows);
      changed_.notify_all();
    };
  }
  bool wait_for_rows(Index rows) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(60), [&] { return rows_ >= rows; });
  }
  bool wait_for_told(Index rows) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(60), [&] { return told_ >= rows; });
  }
  Index rows() {
    const std::lock_guard lock(mutex_);
    return rows_;
  }
  bool counted_too_early() {
    const std::lock_guard lock(mutex_);
    return counted_too_early_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  Index rows_ = 0, told_ = 0;
  bool counted_too_early_ = false;
};

TEST(Delivery, HandsOnCostlyRowsAtOnceAndCountsThemAfterwards) {
  const SimulationRequest request = request_of(kRows);
  Delivered delivered;
  const SimulationSink sink = delivered.sink();
  Delivery delivery(request, 1, {.flush_seconds = 1e9}, sink, delivered);
  for (Index row = 0; row < kRows; ++row) {
    delivery.push(block(row, 0.01));
    EXPECT_TRUE(delivered.wait_for_rows(row + 1)) << row;
  }
  EXPECT_TRUE(delivered.wait_for_told(kRows));
  EXPECT_FALSE(delivered.counted_too_early());
  EXPECT_EQ(delivery.finish().finished, kRows);
}

TEST(Delivery, KeepsCheapRowsForAGroup) {
  const SimulationRequest request = request_of(kRows);
  Delivered delivered;
  const SimulationSink sink = delivered.sink();
  Delivery delivery(request, 1, {.flush_seconds = 1e9}, sink, delivered);
  for (Index row = 0; row < kRows - 1; ++row) delivery.push(block(row, 1e-5));
  EXPECT_TRUE(delivered.wait_for_told(kRows - 1)) << "they count";
  EXPECT_EQ(delivered.rows(), 0);
  delivery.push(block(kRows - 1, 0.01));
  EXPECT_TRUE(delivered.wait_for_rows(kRows)) << "a costly one takes them along";
  delivery.finish();
}

}  // namespace
}  // namespace hone
