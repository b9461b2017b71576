// Runs whose noise is drawn by the training, on disk.
#include <gtest/gtest.h>

#include "files/forgery.h"
#include "hone/core/parallel.h"
#include "hone/posterior/sampling.h"
#include "hone/run/ask_tell.h"
#include "hone/run/execute_run.h"
#include "hone/run/finished_run.h"
#include "inference/support.h"

namespace hone {
namespace {

using test::small_options, test::uniform_prior;

RunSpec spec(NoiseSpec noise) {
  InferenceOptions options = small_options(400);
  options.max_rounds = 2;
  options.training.max_epochs = 5;
  return {.name = "noisy",
          .simulator = {},
          .noise = std::move(noise),
          .seed = 7,
          .prior = uniform_prior(2, 1, 3),
          .observation = {1.5, 2.5},
          .marginals = {{0}, {1}},
          .options = options};
}

const NoiseSpec kGaussian{
    .kind = NoiseKind::gaussian, .sigma = {0.1, 0.3}, .covariance = {}, .library = {}};
const NoiseSpec kCorrelated{
    .kind = NoiseKind::gaussian, .sigma = {}, .covariance = {0.02, 0.01, 0.01, 0.1}, .library = {}};

void identity(std::span<double> x, std::span<const double> theta, Rng) {
  std::ranges::copy(theta, x.begin());
}

std::string posterior_of(const RunDirectory& run) {
  return content_of(run.path() / "posterior" / "posterior.h5");
}

// The second time with fewer of its results left and on more threads.
std::string run_twice(const std::filesystem::path& path, const NoiseSpec& noise) {
  const auto simulator = make_simulator(2, identity);
  const auto executor = make_thread_executor(*simulator);
  RunDirectory run = RunDirectory::create(path, spec(noise));
  with_threads(1, [&] { execute_run(run, {*executor}); });
  const std::string once = posterior_of(run);
  std::filesystem::remove_all(path / "networks");
  std::filesystem::remove_all(path / "posterior");
  std::filesystem::remove(path / "rounds" / "round-02.json");
  RunDirectory again = RunDirectory::open(path);
  EXPECT_EQ(again.spec().noise, noise);
  with_threads(4, [&] { execute_run(again, {*executor}); });
  EXPECT_EQ(posterior_of(again), once);
  return once;
}

TEST(NoisyRun, HasTheSameBitsWhateverTheThreadsAndAfterAnInterruption) {
  TemporaryDirectory directory;
  const std::string none = run_twice(directory.path() / "none", {});
  const std::string gaussian = run_twice(directory.path() / "gaussian", kGaussian);
  const std::string correlated = run_twice(directory.path() / "correlated", kCorrelated);
  EXPECT_NE(none, gaussian);
  EXPECT_NE(correlated, gaussian);
  EXPECT_TRUE(std::filesystem::exists(directory.path() / "correlated" / "noise.h5"));
}

TEST(NoisyRun, KeepsTheNoiselessPart) {
  TemporaryDirectory directory;
  run_twice(directory.path() / "run", kGaussian);
  const auto store = RunDirectory::open(directory.path() / "run").store();
  const auto theta = store->info(3).theta;
  const std::vector<double> x = store->read_x(3);
  for (std::size_t d = 0; d < 2; ++d) EXPECT_EQ(x[d], static_cast<double>(float(theta[d])));
}

TEST(NoisyRun, CountsAsFailedWhatCannotHaveItsNoise) {
  const auto negative = [](std::span<double> x, std::span<const double> theta, Rng) {
    x[0] = theta[0] - 1.2;
    x[1] = theta[1];
  };
  TemporaryDirectory directory;
  const auto simulator = make_simulator(2, negative);
  const auto executor = make_thread_executor(*simulator);
  RunDirectory run = RunDirectory::create(
      directory.path() / "run",
      spec({.kind = NoiseKind::poisson, .sigma = {}, .covariance = {}, .library = {}}));
  execute_run(run, {*executor});
  const auto store = run.store();
  EXPECT_GT(store->failed_rows(), 10);
  EXPECT_TRUE(contains(store->failure_reasons().begin()->second, "mean of Poisson noise"));
}

// A simulator of one value whose noise makes two of it.
std::unique_ptr<Simulator> own_noise() {
  return with_noise(
      make_simulator(
          1, [](std::span<double> x, std::span<const double> theta, Rng) { x[0] = theta[0]; }),
      make_noise(1, 2, [](std::span<double> x, std::span<const double> noiseless, Rng& noise) {
        for (double& value : x) value = noiseless[0] + 0.1 * noise.normal();
      }));
}

TEST(NoisyRun, TakesTheNoiseThatTheSimulatorBringsAndRemembersIt) {
  TemporaryDirectory directory;
  const auto simulator = own_noise();
  const auto executor = make_thread_executor(*simulator);
  RunDirectory run = RunDirectory::create(directory.path() / "run", spec({}));
  execute_run(run, {*executor});
  EXPECT_EQ(run.store()->schema().data_size, 1);
  RunDirectory opened = RunDirectory::open(directory.path() / "run");
  EXPECT_EQ(opened.spec().noise.kind, NoiseKind::simulator);

  // Marginals trained later need it too, and come out as if trained at once.
  const auto text = error_text(
      [&] {
        train_more(opened, {{0, 1}}, silent_observer());
      },
      ErrorKind::input);
  EXPECT_TRUE(contains(text, "the simulator has no noise")) << text;
  train_more(opened, {{0, 1}}, silent_observer(), simulator->noise());
  RunSpec all = spec({});
  all.marginals.push_back({0, 1});
  RunDirectory at_once = RunDirectory::create(directory.path() / "once", all);
  execute_run(at_once, {*executor});
  const auto draw = [&](const RunDirectory& one) {
    const auto posteriors = one.posteriors();
    return test::column(
        sample_posterior(find_posterior(posteriors, {0, 1}, all.observation), 100, Rng(1)).theta,
        1);
  };
  EXPECT_EQ(draw(opened), draw(at_once));
}

TEST(NoisyRun, WantsOneNoiseNotTwo) {
  TemporaryDirectory directory;
  const auto simulator = own_noise();
  const auto executor = make_thread_executor(*simulator);
  RunDirectory run = RunDirectory::create(directory.path() / "run", spec(kGaussian));
  const auto text = error_text([&] { execute_run(run, {*executor}); }, ErrorKind::input);
  EXPECT_TRUE(contains(text, "brings its own noise")) << text;
  EXPECT_FALSE(run.store());
}

TEST(NoisyRun, MayBeSimulatedElsewhere) {
  TemporaryDirectory directory;
  const auto simulator = make_simulator(2, identity);
  const auto executor = make_thread_executor(*simulator);
  RunDirectory here = RunDirectory::create(directory.path() / "here", spec(kGaussian));
  execute_run(here, {*executor});
  RunSpec by_hand = spec(kGaussian);
  by_hand.simulator.kind = SimulatorKind::by_hand;
  RunDirectory there = RunDirectory::create(directory.path() / "there", by_hand);
  while (true) {
    const AskedSimulations asked = ask(there, 1000);
    if (asked.waiting == 0) break;
    ToldResults results;
    for (Index i = 0; i < asked.request.rows(); ++i) {
      const auto theta = asked.request.theta.row(i);
      results[asked.request.ids[static_cast<std::size_t>(i)]].x.assign(theta.begin(), theta.end());
    }
    tell(there, results);
  }
  EXPECT_EQ(posterior_of(there), posterior_of(here));
}

}  // namespace
}  // namespace hone
