// The executor and the store together: what a run does, and what kill -9 does to it.

#include <csignal>
#include <random>
#include <thread>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files/test_files.h"
#include "hone/core/parallel.h"
#include "hone/simulator/executor.h"
#include "hone/store/simulation_store.h"

namespace hone {
namespace {

constexpr std::int64_t kSimulations = 400;
const StoreSchema kSchema{{"a"}, 2, Precision::float64};

double theta_of(std::int64_t id) {
  return 0.01 * static_cast<double>(id);
}
std::uint64_t seed_of(std::int64_t id) {
  return Rng(5).child("simulate", static_cast<std::uint64_t>(id)).bits64();
}

void simulate(std::span<double> x, std::span<const double> theta, Rng noise) {
  std::this_thread::sleep_for(std::chrono::microseconds(500));
  x[0] = theta[0] + noise.normal();
  x[1] = noise.uniform();
  if (x[1] < 0.1) throw std::runtime_error("unlucky");
}

SimulationRequest pending_in(const SimulationStore& store) {
  SimulationRequest request;
  for (std::int64_t id = 0; id < kSimulations; ++id) {
    if (!store.contains(id)) request.ids.push_back(id);
  }
  request.theta = Matrix<double>(request.rows(), 1);
  for (Index i = 0; i < request.rows(); ++i) {
    const std::int64_t id = request.ids[static_cast<std::size_t>(i)];
    request.theta(i, 0) = theta_of(id);
    request.seeds.push_back(seed_of(id));
  }
  request.finished_before = store.rows();
  request.failed_before = store.failed_rows();
  return request;
}

SimulationRows rows_of(const FinishedSimulations& finished, const SimulationRequest& request) {
  SimulationRows rows(finished.x.rows(), kSchema);
  for (std::size_t i = 0; i < finished.rows.size(); ++i) {
    const auto from = static_cast<std::size_t>(finished.rows[i]);
    const auto to = static_cast<Index>(i);
    rows.ids[i] = request.ids[from];
    rows.seeds[i] = request.seeds[from];
    rows.theta(to, 0) = request.theta(finished.rows[i], 0);
    rows.failures[i] = finished.failures[i];
    std::ranges::copy(finished.x.row(to), rows.x.row(to).begin());
  }
  return rows;
}

void run_what_is_missing(const std::filesystem::path& directory) {
  SimulationStore store = SimulationStore::open(directory, SimulationStore::Access::write);
  const SimulationRequest request = pending_in(store);
  const auto simulator = make_simulator(2, simulate);
  ExecutorOptions options;
  options.flush_seconds = 0.005;
  with_threads(2, [&] {
    make_thread_executor(*simulator, options)
        ->run(request, [&](const FinishedSimulations& finished) {
          store.append(rows_of(finished, request));
        });
  });
}

// True if it came to its end before it was killed.
bool run_for(const std::filesystem::path& directory, int milliseconds) {
  const pid_t child = ::fork();
  if (child == 0) {
    run_what_is_missing(directory);
    ::_exit(0);
  }
  ::usleep(static_cast<useconds_t>(1000 * milliseconds));
  ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(Resume, EndsWithTheRowsOfAnUndisturbedRun) {
  const TemporaryDirectory directory;
  SimulationStore::create(directory.path(), kSchema);
  std::mt19937 random(11);
  int kills = 0;
  // Every life is longer than the last, so that the end is reached on a slow machine, too.
  while (!run_for(directory.path(), static_cast<int>(20 + 5 * kills + random() % 30))) {
    ASSERT_LT(++kills, 200);
  }
  EXPECT_GE(kills, 1);
  const auto store = SimulationStore::open(directory.path(), SimulationStore::Access::read);
  ASSERT_EQ(store.rows(), kSimulations);
  for (std::int64_t id = 0; id < kSimulations; ++id) {
    std::vector<double> x(2);
    const std::vector<double> theta = {theta_of(id)};
    bool failed = false;
    try {
      simulate(x, theta, Rng(seed_of(id)));
    } catch (const std::runtime_error&) {
      failed = true;
    }
    ASSERT_EQ(store.info(id).failed, failed);
    ASSERT_EQ(store.info(id).seed, seed_of(id));
    if (!failed) {
      ASSERT_EQ(store.read_x(id), x);
    }
  }
}

}  // namespace
}  // namespace hone
