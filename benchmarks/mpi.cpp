// What handing out simulations over MPI costs. Run as `mpirun -n N bench_mpi`; rank 0 prints JSON:
//   uneven    simulations that sleep 10 ms to 1 s, log-uniform: how close to the ideal time
//   trivial   simulations of 10 numbers that take no time: how many per second, with and without
//             writing them into a store
//   wide      simulations of 10,000 numbers: megabytes per second, the same two ways
//   store     what a rank that trains needs of a store: time and memory to open a million rows of
//             10 parameters, megabytes per second to read wide rows in random order
//   shards    wide simulations into the store of rank 0, and into a store per rank
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <numeric>
#include <thread>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "hone/mpi/launch.h"
#include "hone/mpi/rank_executor.h"
#include "hone/mpi/serve_rank_zero.h"
#include "hone/store/simulation_store.h"

namespace {

using namespace hone;
using nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr Index kSmall = 10, kWide = 10000;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// theta: how long to sleep. As many numbers as the observation.
ThreadExecutors open_thread_executors(const RunSpec& spec, const LogSink&) {
  const auto simulate = [](std::span<double> x, std::span<const double> theta, Rng noise) {
    if (theta[0] > 0) std::this_thread::sleep_for(std::chrono::duration<double>(theta[0]));
    const double shift = noise.uniform();
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = shift + static_cast<double>(i);
  };
  ThreadExecutors simulators{make_simulator(std::ssize(spec.observation), simulate), {}};
  simulators.executors.push_back(make_thread_executor(*simulators.simulator, per_thread_options()));
  return simulators;
}

SimulationRequest make_request(const std::vector<double>& durations) {
  SimulationRequest request;
  request.theta = Matrix<double>(std::ssize(durations), 1);
  for (std::size_t i = 0; i < durations.size(); ++i) {
    request.ids.push_back(static_cast<std::int64_t>(i));
    request.seeds.push_back(i);
    request.theta(static_cast<Index>(i), 0) = durations[i];
  }
  return request;
}

RunSpec make_spec(Index data_size) {
  const json prior = {{"kind", "uniform"}, {"low", 0}, {"high", 1}};
  RunSpec spec{.name = "bench",
               .simulator = {},
               .prior = prior_from_json({{{"name", "seconds"}, {"prior", prior}}}),
               .observation = {},
               .marginals = {{0}},
               .options = {}};
  spec.observation.assign(static_cast<std::size_t>(data_size), 0.0);
  return spec;
}

// Into a store, with the numbers of the rows as ids.
void append(SimulationStore& store, const FinishedSimulations& finished) {
  SimulationRows rows(std::ssize(finished.rows), store.schema());
  for (std::size_t i = 0; i < finished.rows.size(); ++i) {
    rows.ids[i] = finished.rows[i];
    rows.u(Index(i), 0) = 0.5;
    rows.theta(Index(i), 0) = 0.5;
    std::ranges::copy(finished.x.row(Index(i)), rows.x.row(Index(i)).begin());
  }
  store.append(rows);
}

double measure(Transport& transport, Index data_size, const std::vector<double>& durations,
               bool with_store) {
  const SimulationRequest request = make_request(durations);
  const RunSpec spec = make_spec(data_size);
  OtherRanks others(transport, {.directory = "", .spec = spec, .threads = 1}, {});
  SimulatorThreads simulators(open_thread_executors(spec, {}));
  const auto executor =
      make_rank_executor(others, simulators, {.executor = {}, .data_size = data_size});
  const auto directory = std::filesystem::temp_directory_path() / "hone-bench-mpi";
  std::filesystem::remove_all(directory);
  std::optional<SimulationStore> store;
  if (with_store) store = SimulationStore::create(directory, {{"seconds"}, data_size});
  // The first simulations wait until all ranks are there; they are not measured.
  executor->run(make_request(std::vector<double>(4 * std::size_t(transport.size()), 0.05)),
                [](const FinishedSimulations&) {});
  const auto begin = Clock::now();
  executor->run(request, [&](const FinishedSimulations& finished) {
    if (store) append(*store, finished);
  });
  const double seconds = seconds_since(begin);
  std::filesystem::remove_all(directory);
  return seconds;
}

json uneven(Transport& transport, Index count) {
  std::vector<double> durations(static_cast<std::size_t>(count));
  Rng rng(1);
  for (double& d : durations) d = 0.01 * std::pow(100, rng.uniform());
  const double ideal = std::accumulate(durations.begin(), durations.end(), 0.0) / transport.size();
  const double seconds = measure(transport, kSmall, durations, false);
  return {{"simulations", count},
          {"ideal_seconds", ideal},
          {"seconds", seconds},
          {"efficiency", ideal / seconds}};
}

// The best of some: other processes only ever take time away.
json rate(Transport& transport, Index data_size, Index count, double unit) {
  json result = {{"simulations", count}};
  for (const bool with_store : {false, true}) {
    double best = 0;
    for (int repeat = 0; repeat < 3; ++repeat) {
      const std::vector<double> none(static_cast<std::size_t>(count), 0.0);
      const double seconds = measure(transport, data_size, none, with_store);
      best = std::max(best, static_cast<double>(count) / seconds);
    }
    result[with_store ? "per_second_into_store" : "per_second"] = best * unit;
  }
  return result;
}

std::filesystem::path fill_store(Index rows, Index data_size, std::size_t parameters) {
  const auto directory = std::filesystem::temp_directory_path() / "hone-bench-mpi";
  std::filesystem::remove_all(directory);
  StoreSchema schema{{}, data_size};
  for (std::size_t p = 0; p < parameters; ++p) schema.parameters.push_back("p" + std::to_string(p));
  auto store = SimulationStore::create(directory, schema);
  const Index most = std::min<Index>(65536, (Index{64} << 20) / (8 * data_size));
  for (Index begin = 0; begin < rows; begin += most) {
    SimulationRows batch(std::min(most, rows - begin), schema);
    for (Index i = 0; i < batch.rows(); ++i) batch.ids[std::size_t(i)] = begin + i;
    store.append(batch);
  }
  return directory;
}

double resident_bytes() {
  std::ifstream file("/proc/self/statm");
  double total = 0, resident = 0;
  file >> total >> resident;
  return resident * 4096;
}

json opening(Index rows) {
  const auto directory = fill_store(rows, kSmall, 10);
  const double before = resident_bytes();
  const auto begin = Clock::now();
  const auto store = SimulationStore::open(directory, SimulationStore::Access::read);
  const json result = {{"rows", rows},
                       {"seconds", seconds_since(begin)},
                       {"bytes_per_row", (resident_bytes() - before) / double(store.rows())}};
  std::filesystem::remove_all(directory);
  return result;
}

json reading(Index rows) {
  const auto directory = fill_store(rows, kWide, 1);
  const auto store = SimulationStore::open(directory, SimulationStore::Access::read);
  const auto ids = store.select([](const SimulationInfo&) { return true; });
  const auto x = store.x_rows(ids, Index{1} << 20);
  const std::vector<Index> order = Rng(1).permutation(rows);
  Matrix<float> batch(128, kWide);
  const auto begin = Clock::now();
  Index read = 0;
  for (; read + 128 <= rows; read += 128) {
    x->read(batch, std::span(order).subspan(static_cast<std::size_t>(read), 128));
  }
  const double megabytes = 4e-6 * double(kWide) * double(read);
  std::filesystem::remove_all(directory);
  return {{"rows", rows}, {"megabytes_per_second", megabytes / seconds_since(begin)}};
}

// Wide simulations that sleep: limited by the ranks, or by what rank 0 can write.
json limit(Transport& transport, double sleep) {
  const Index rows = 4000;
  const std::vector<double> durations(static_cast<std::size_t>(rows), sleep);
  const double seconds = measure(transport, kWide, durations, true);
  return {{"sleep_seconds", sleep},
          {"simulations", rows},
          {"seconds_if_ranks_limit", double(rows) * sleep / transport.size()},
          {"seconds", seconds},
          {"megabytes_per_second", 8e-6 * double(kWide * rows) / seconds}};
}

constexpr Index kShardRows = 8000;
double megabytes_per_second(double seconds) {
  return 8e-6 * double(kWide * kShardRows) / seconds;
}

// The longest time of all ranks; all of them wait for it.
double longest(Transport& transport, double seconds) {
  std::vector<double> all(static_cast<std::size_t>(transport.size()), seconds);
  std::vector<Transport::Part> parts;
  for (int r = 0; r < transport.size(); ++r) {
    parts.push_back({r, std::as_writable_bytes(std::span(all).subspan(std::size_t(r), 1))});
  }
  transport.share(parts);
  return *std::ranges::max_element(all);
}

// On every rank: its share of the simulations, no time each, into a store of its own.
double own_shard(Transport& transport) {
  const RunSpec spec = make_spec(kWide);
  const ThreadExecutors simulators = open_thread_executors(spec, {});
  const auto directory = std::filesystem::temp_directory_path() /
                         ("hone-bench-mpi-" + std::to_string(transport.rank()));
  std::filesystem::remove_all(directory);
  auto store = SimulationStore::create(directory, {{"seconds"}, kWide});
  const std::vector<double> none(static_cast<std::size_t>(kShardRows / transport.size()), 0.0);
  longest(transport, 0);  // together
  const auto begin = Clock::now();
  simulators.executors[0]->run(
      make_request(none), [&](const FinishedSimulations& finished) { append(store, finished); });
  const double seconds = longest(transport, seconds_since(begin));
  std::filesystem::remove_all(directory);
  return seconds;
}

double best_own_shard(Transport& transport) {
  double best = own_shard(transport);
  for (int repeat = 1; repeat < 3; ++repeat) best = std::min(best, own_shard(transport));
  return best;
}

json shards(Transport& transport, double own_seconds) {
  const std::vector<double> none(static_cast<std::size_t>(kShardRows), 0.0);
  double best = measure(transport, kWide, none, true);
  for (int repeat = 1; repeat < 3; ++repeat) {
    best = std::min(best, measure(transport, kWide, none, true));
  }
  return {{"simulations", kShardRows},
          {"megabytes_per_second_into_rank_0", megabytes_per_second(best)},
          {"megabytes_per_second_into_shards", megabytes_per_second(own_seconds)},
          {"shards_over_rank_0", best / own_seconds}};
}

int run(int count, char** arguments) {
  CLI::App program("Cost of handing out simulations over MPI; start with mpirun");
  Index simulations = 2000;
  bool only_uneven = false, only_limit = false, only_shards = false;
  program.add_option("--simulations", simulations, "that sleep");
  program.add_flag("--only-uneven", only_uneven);
  program.add_flag("--only-limit", only_limit, "wide simulations that sleep 20, 5, 2, 1 and 0 ms");
  program.add_flag("--only-shards", only_shards, "one writer against a writer per rank");
  CLI11_PARSE(program, count, arguments);
  if (!launched_by_mpi()) {
    std::cerr << "bench_mpi: start it with mpirun -n N\n";
    return 2;
  }
  const auto transport = join_mpi_job();
  double own_seconds = 0;
  if (only_shards) with_threads(1, [&] { own_seconds = best_own_shard(*transport); });
  if (transport->rank() > 0) {
    serve_rank_zero(*transport, open_thread_executors);
    transport->finish();
    return 0;
  }
  json result = {{"benchmark", "mpi"},
                 {"ranks", transport->size()},
                 {"hardware_threads", std::thread::hardware_concurrency()}};
  with_threads(1, [&] {
    if (only_shards) {
      result["shards"] = shards(*transport, own_seconds);
      return;
    }
    if (only_limit) {
      for (const double ms : {20, 5, 2, 1, 0}) {
        result["limit"].push_back(limit(*transport, ms * 1e-3));
      }
      return;
    }
    result["uneven"] = uneven(*transport, simulations);
    if (only_uneven) return;
    result["trivial"] = rate(*transport, kSmall, 400000, 1);
    result["store_opening"] = opening(1000000);
    result["store_reading"] = reading(8192);
    result["wide_megabytes"] = rate(*transport, kWide, 8000, 8e-6 * double(kWide));
  });
  end_other_ranks(*transport);
  transport->finish();
  std::cout << result.dump(2) << "\n";
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    return run(count, arguments);
  } catch (const std::exception& error) {
    std::cerr << "bench_mpi: " << error.what() << "\n";
    return 1;
  }
}
