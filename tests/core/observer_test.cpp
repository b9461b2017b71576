#include "hone/core/observer.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hone/core/error.h"

namespace hone {
namespace {

TEST(Observer, BaseAcceptsEverythingAndNeverStops) {
  Observer& observer = silent_observer();
  observer.stage_started("train", 10);
  observer.stage_advanced("train", 5, 10);
  observer.stage_finished("train");
  observer.log(LogLevel::warning, "nobody listens");
  EXPECT_FALSE(observer.stop_requested());
  EXPECT_NO_THROW(stop_if_requested(observer));
}

TEST(Observer, StopsAnAlgorithmWithAnInterruptedError) {
  class Impatient final : public Observer {
   public:
    bool stop_requested() override { return ++asked_ > 2; }

   private:
    int asked_ = 0;
  };
  Impatient observer;
  EXPECT_NO_THROW(stop_if_requested(observer));
  EXPECT_NO_THROW(stop_if_requested(observer));
  try {
    stop_if_requested(observer);
    FAIL() << "the request was ignored";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::interrupted);
  }
}

TEST(Observer, HearsWhatItOverrides) {
  class Recorder final : public Observer {
   public:
    void stage_advanced(std::string_view stage, Index done, Index total) override {
      heard.push_back(fmt::format("{} {}/{}", stage, done, total));
    }
    void log(LogLevel level, const std::string& message) override {
      if (level == LogLevel::warning) heard.push_back(message);
    }
    std::vector<std::string> heard;
  };
  Recorder recorder;
  Observer& observer = recorder;
  observer.stage_started("simulate", 3);
  observer.stage_advanced("simulate", 1, 3);
  observer.log(LogLevel::debug, "details");
  observer.log(LogLevel::warning, "two simulations failed");
  EXPECT_EQ(recorder.heard, (std::vector<std::string>{"simulate 1/3", "two simulations failed"}));
}

}  // namespace
}  // namespace hone
