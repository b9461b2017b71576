#pragma once

// Requests to the program worker_program.cpp, which does what the first parameter says.

#include <chrono>
#include <string>
#include <vector>

#include "hone/simulator/worker_executor.h"
#include "simulator/executor_testing.h"
#include "simulator/worker_actions.h"

namespace hone {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

inline SimulationRequest request_of(const std::vector<WorkerAction>& actions) {
  SimulationRequest request;
  const auto rows = static_cast<Index>(actions.size());
  request.theta = Matrix<double>(rows, 2);
  for (Index i = 0; i < rows; ++i) {
    request.ids.push_back(100 + i);
    request.seeds.push_back(Rng(1).child("simulate", static_cast<std::uint64_t>(i)).bits64());
    request.theta(i, 0) = static_cast<double>(actions[static_cast<std::size_t>(i)]);
    request.theta(i, 1) = 0.1 * static_cast<double>(i);
  }
  return request;
}

inline WorkerOptions options_of(const std::string& mode, int workers = 2) {
  WorkerOptions options;
  options.command = {HONE_TEST_WORKER, mode, "2"};
  options.workers = workers;
  options.timeout_seconds = 10;
  options.retries = 0;
  return options;
}

}  // namespace hone
