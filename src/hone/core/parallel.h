#pragma once

#include <functional>

#include "hone/core/matrix.h"

namespace hone {

// Runs `body` so that every parallel loop inside uses at most `threads` threads (0: one per core;
// more than there are cores is allowed). Results never depend on the number: loops write to
// disjoint places and sums are taken in a fixed order.
void with_threads(int threads, const std::function<void()>& body);

// Threads a loop started here may use.
int thread_count();

// body(i) for every i in 0 .. count - 1, in any order, possibly at the same time. An exception
// thrown by a body stops the loop and is rethrown here.
void parallel_for(Index count, const std::function<void(Index)>& body);

}  // namespace hone
