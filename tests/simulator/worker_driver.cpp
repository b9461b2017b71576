// Runs simulations that never end through external workers, until somebody kills it.
//
//   worker_driver PROGRAM
//
// Prints a line "pid N" for every worker it has started.
#include <cstdio>

#include "hone/simulator/worker_executor.h"
#include "simulator/worker_actions.h"

int main(int count, char** arguments) {
  if (count != 2) return 2;
  hone::WorkerOptions options;
  options.command = {arguments[1], "pid", "2"};
  options.workers = 3;
  options.log = [](int, std::string_view line) {
    std::printf("%.*s\n", static_cast<int>(line.size()), line.data());
    std::fflush(stdout);
  };
  hone::SimulationRequest request;
  request.theta = hone::Matrix<double>(3, 2);
  for (int i = 0; i < 3; ++i) {
    request.ids.push_back(i);
    request.seeds.push_back(1);
    request.theta(i, 0) = static_cast<double>(hone::WorkerAction::hang);
  }
  hone::make_worker_executor(options, 2)->run(request, [](const auto&) {});
}
