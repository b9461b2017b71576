#include "hone/core/parallel.h"

#include <atomic>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "hone/core/error.h"

namespace hone {
namespace {

TEST(WithThreads, SetsTheNumberOfThreadsInsideAndOnlyThere) {
  const int outside = thread_count();
  for (const int threads : {1, 2, 4}) {
    int inside = 0;
    with_threads(threads, [&] { inside = thread_count(); });
    EXPECT_EQ(inside, threads);
  }
  EXPECT_EQ(thread_count(), outside);
}

TEST(WithThreads, ZeroMeansOnePerCore) {
  int inside = 0;
  with_threads(0, [&] { inside = thread_count(); });
  EXPECT_GE(inside, 1);
}

TEST(WithThreads, LetsExceptionsThrough) {
  EXPECT_THROW(with_threads(2, [] { fail(ErrorKind::io, "disk full"); }), Error);
}

TEST(ParallelFor, VisitsEveryIndexOnce) {
  for (const int threads : {1, 2, 4}) {
    for (const Index count : {0, 1, 2, 1000}) {
      std::vector<std::atomic<int>> visits(static_cast<std::size_t>(count));
      with_threads(threads, [&] {
        parallel_for(count, [&](Index i) { ++visits[static_cast<std::size_t>(i)]; });
      });
      for (const auto& visit : visits) EXPECT_EQ(visit.load(), 1);
    }
  }
}

TEST(ParallelFor, RethrowsTheExceptionOfABodyWithItsType) {
  with_threads(2, [] {
    try {
      parallel_for(100, [](Index i) {
        if (i == 37) fail(ErrorKind::numerical, "row {} has no answer", i);
      });
      FAIL() << "the exception was lost";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::numerical);
      EXPECT_STREQ(error.what(), "row 37 has no answer");
    }
  });
}

TEST(ParallelFor, WorksAgainAfterAnException) {
  EXPECT_THROW(parallel_for(10, [](Index) { throw std::runtime_error("once"); }),
               std::runtime_error);
  std::atomic<int> calls = 0;
  parallel_for(10, [&](Index) { ++calls; });
  EXPECT_EQ(calls.load(), 10);
}

TEST(ParallelFor, MayBeNested) {
  std::atomic<int> calls = 0;
  with_threads(4,
               [&] { parallel_for(8, [&](Index) { parallel_for(8, [&](Index) { ++calls; }); }); });
  EXPECT_EQ(calls.load(), 64);
}

}  // namespace
}  // namespace hone
