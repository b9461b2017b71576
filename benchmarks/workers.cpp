// The cost of the external-worker door. Prints JSON: simulations per second of a trivial simulator
// of 10 numbers called in process and through workers, and megabytes per second of large data in
// binary frames. The workers are this program again, as `bench_workers --serve DATA_SIZE`.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "hone/core/parallel.h"
#include "hone/simulator/executor.h"
#include "hone/simulator/worker_executor.h"

namespace {

using hone::Index;
using nlohmann::json;

constexpr Index kBinaryFrom = 1000;  // values; shorter data go as text

void fill(std::span<double> x, double theta, std::uint64_t seed) {
  hone::Rng noise(seed);
  const double shift = noise.uniform();
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = theta + shift * static_cast<double>(i);
}

// A worker as somebody might write it in C: scanf-like reading, printf-like writing.
int serve(Index data_size) {
  std::vector<double> x(static_cast<std::size_t>(data_size));
  char* line = nullptr;
  std::size_t room = 0;
  while (getline(&line, &room, stdin) > 0) {
    const long long id = std::atoll(std::strstr(line, "\"id\": ") + 6);
    const double theta = std::atof(std::strstr(line, "[") + 1);
    fill(x, theta, std::strtoull(std::strstr(line, "\"seed\": ") + 8, nullptr, 10));
    if (data_size >= kBinaryFrom) {
      std::printf("{\"id\": %lld, \"binary\": \"float64\", \"count\": %zu}\n", id, x.size());
      std::fwrite(x.data(), sizeof(double), x.size(), stdout);
    } else {
      std::printf("{\"id\": %lld, \"x\": [%.17g", id, x[0]);
      for (std::size_t i = 1; i < x.size(); ++i) std::printf(", %.17g", x[i]);
      std::printf("]}\n");
    }
    std::fflush(stdout);
  }
  std::free(line);
  return 0;
}

hone::SimulationRequest make_request(Index rows) {
  hone::SimulationRequest request;
  request.theta = hone::Matrix<double>(rows, 10);
  hone::Rng rng(1);
  for (Index i = 0; i < rows; ++i) {
    request.ids.push_back(i);
    request.seeds.push_back(rng.bits64());
    for (double& value : request.theta.row(i)) value = rng.uniform();
  }
  return request;
}

struct Rate {
  double median = 0, lowest = 0, highest = 0;
};

// Simulations per second of several runs after one that warms up.
Rate measure(hone::Executor& executor, Index rows) {
  const auto request = make_request(rows);
  std::vector<double> rates;
  for (int repeat = 0; repeat < 6; ++repeat) {
    const auto begin = std::chrono::steady_clock::now();
    Index finished = 0;
    executor.run(request, [&](const hone::FinishedSimulations& f) { finished += f.x.rows(); });
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    if (finished != rows) std::abort();
    if (repeat > 0) rates.push_back(static_cast<double>(rows) / seconds.count());
  }
  std::ranges::sort(rates);
  return {rates[rates.size() / 2], rates.front(), rates.back()};
}

json to_json(const Rate& rate, double factor = 1) {
  return {{"median", rate.median * factor},
          {"lowest", rate.lowest * factor},
          {"highest", rate.highest * factor}};
}

Rate through_workers(Index rows, Index data_size, int workers) {
  hone::WorkerOptions options;
  options.command = {"/proc/self/exe", "--serve", std::to_string(data_size)};
  options.workers = workers;
  return measure(*hone::make_worker_executor(options, data_size), rows);
}

}  // namespace

int main(int count, char** arguments) {
  if (count == 3 && std::string(arguments[1]) == "--serve") return serve(std::atol(arguments[2]));
  const int workers = count > 1 ? std::atoi(arguments[1]) : 2;
  const Index small = 10, large = 131072;  // 1 MiB of float64
  const auto simulator =
      hone::make_simulator(small, [](std::span<double> x, std::span<const double> theta,
                                     hone::Rng noise) { fill(x, theta[0], noise.bits64()); });
  json result = {{"benchmark", "workers"},
                 {"workers", workers},
                 {"hardware_threads", std::thread::hardware_concurrency()}};
  hone::with_threads(workers, [&] {
    result["in_process_simulations_per_second"] =
        to_json(measure(*hone::make_thread_executor(*simulator), 400000));
  });
  result["worker_simulations_per_second"] = to_json(through_workers(100000, small, workers));
  result["worker_megabytes_per_second"] =
      to_json(through_workers(600, large, workers), 8e-6 * static_cast<double>(large));
  std::cout << result.dump(2) << "\n";
}
