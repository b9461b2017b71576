// Marginals that are trained after the run, on its simulations.

#include <gtest/gtest.h>

#include "hone/posterior/sampling.h"
#include "hone/run/execute_run.h"
#include "hone/run/finished_run.h"
#include "inference/support.h"

namespace hone {
namespace {

using test::additive_noise, test::small_options, test::uniform_prior;

RunSpec spec(std::vector<Marginal> marginals) {
  InferenceOptions options = small_options(800);
  options.ensemble = 2;
  options.training.max_epochs = 5;
  return {.name = "test",
          .simulator = {},
          .seed = 7,
          .prior = uniform_prior(3, -1, 1),
          .observation = {0.1, 0.2, 0.3},
          .marginals = std::move(marginals),
          .options = options};
}

RunDirectory execute(const std::filesystem::path& path, std::vector<Marginal> marginals) {
  RunDirectory run = RunDirectory::create(path, spec(std::move(marginals)));
  const auto simulator = make_simulator(3, additive_noise(0.1));
  const auto executor = make_thread_executor(*simulator);
  execute_run(run, {*executor});
  return run;
}

Matrix<double> draws(const RunDirectory& run, const Marginal& marginal) {
  const auto posteriors = run.posteriors();
  return sample_posterior(find_posterior(posteriors, marginal, run.spec().observation), 200, Rng(1))
      .theta;
}

TEST(TrainMore, GivesTheSameBitsAsTrainingAtOnce) {
  TemporaryDirectory directory;
  const RunDirectory at_once = execute(directory.path() / "once", {{0}, {1, 2}, {0, 1, 2}});
  RunDirectory later = execute(directory.path() / "later", {{0}});
  train_more(later, {{1, 2}, {0}}, silent_observer());
  train_more(later, {{0, 1, 2}}, silent_observer());
  EXPECT_EQ(later.posteriors().size(), 3u);
  for (const Marginal& marginal : {Marginal{0}, Marginal{1, 2}, Marginal{0, 1, 2}}) {
    const Matrix<double> a = draws(at_once, marginal), b = draws(later, marginal);
    for (Index d = 0; d < a.cols(); ++d) EXPECT_EQ(test::column(a, d), test::column(b, d));
  }
  EXPECT_EQ(later.store()->rows(), 800);
}

TEST(TrainMore, WantsAFinishedRun) {
  TemporaryDirectory directory;
  RunDirectory run = RunDirectory::create(directory.path() / "run", spec({{0}}));
  const auto text =
      error_text([&] { train_more(run, {{1}}, silent_observer()); }, ErrorKind::input);
  EXPECT_TRUE(contains(text, "hone resume")) << text;
}

}  // namespace
}  // namespace hone
