#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

namespace hone {

// How to wait for messages without taking a core from those who compute: first the processor is
// offered to others, then sleeps get longer. Ranks may outnumber cores.
class BackOff {
 public:
  using Duration = std::chrono::microseconds;
  explicit BackOff(Duration longest = Duration(1000)) : longest_(longest) {}

  void reset() {
    yields_ = 0;
    sleep_ = kShortest;
  }
  void sleep() {
    if (yields_ < kYields) {
      ++yields_;
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(next());
    }
  }
  // How long to sleep now, for those who sleep by other means.
  Duration next() {
    const Duration now = sleep_;
    sleep_ = std::min(2 * sleep_, longest_);
    return now;
  }

 private:
  // An answer that is on its way takes some microseconds; a sleep at least 50 (the timer's slack).
  static constexpr int kYields = 100;
  static constexpr Duration kShortest{20};

  Duration longest_;
  Duration sleep_ = kShortest;
  int yields_ = 0;
};

}  // namespace hone
