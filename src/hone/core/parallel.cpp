#include "hone/core/parallel.h"

#include <algorithm>
#include <thread>

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace hone {

void with_threads(int threads, const std::function<void()>& body) {
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const int wanted = threads <= 0 ? cores : threads;
  // The global limit may only be raised to more threads than cores; the arena sets the real number.
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(std::max(wanted, cores)));
  tbb::task_arena arena(wanted);
  arena.execute(body);
}

int thread_count() {
  return tbb::this_task_arena::max_concurrency();
}

void parallel_for(Index count, const std::function<void(Index)>& body) {
  tbb::parallel_for(
      tbb::blocked_range<Index>(0, count, 1),
      [&body](const tbb::blocked_range<Index>& range) {
        for (Index i = range.begin(); i != range.end(); ++i) body(i);
      },
      tbb::simple_partitioner{});
}

}  // namespace hone
