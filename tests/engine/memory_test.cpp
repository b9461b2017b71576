// The training step takes no memory; a run takes what it says, however many epochs it has.
#include <gtest/gtest.h>

#include "engine/allocation_counter.h"
#include "engine/problems.h"
#include "hone/core/parallel.h"
#include "hone/engine/member_trainer.h"
#include "hone/engine/trainer.h"

namespace hone {
namespace {

using test::GaussianProblem;

struct Bench {
  GaussianProblem problem{400, 100, Rng(1)};
  TrainingOptions options;
  Standardizer x_scores = fit_standardizer(problem.source, problem.training, "x");
  Standardizer theta_scores{{0, 0, 0}, {1, 1, 1}};
  Matrix<float> scores{400, padded(GaussianProblem::kDataSize)};

  Bench() {
    options.batch_size = 70;  // neither a multiple of a block of rows nor less than one
    options.weight_average = 0.9;
    options.optimizer.clip_norm = 1;
    x_scores.apply(scores, problem.x);
  }
  RatioStack stack(const NetworkOptions& network, const EmbeddingOptions& embedding = {}) const {
    return RatioStack({{{0}, 0}, {{0, 1}, 0}}, network, embedding, x_scores, theta_scores);
  }
  ThetaTable table() const { return {problem.theta, problem.training, problem.validation}; }
  Workspace<float> workspace(const RatioStack& stack) const {
    return Workspace<float>(stack.layout(), 2, options.batch_size * 5, options.batch_size, true);
  }
  std::span<const Index> batch_rows() const {
    return std::span(problem.training).first(std::size_t(options.batch_size));
  }
};

TEST(TrainingStep, TakesNoMemoryOnceWarm) {
  const Bench bench;
  for (const Norm norm : {Norm::none, Norm::batch, Norm::layer, Norm::alternate}) {
    for (const LossKind loss : {LossKind::nre_a, LossKind::nre_b, LossKind::nre_c}) {
      TrainingOptions options = bench.options;
      options.loss = {.kind = loss, .negatives = 3, .balance = 1};
      RatioStack stack = bench.stack({.hidden = 20, .norm = norm, .dropout = 0.1});
      RatioMemberTrainer trainer(stack, 1, bench.table(), options, Rng(2));
      Workspace<float> workspace = bench.workspace(stack);
      const auto work = [&] {
        trainer.start_epoch(1);
        trainer.step(workspace, bench.scores.view().rows(0, options.batch_size), bench.batch_rows(),
                     1e-3, nullptr);
        double sum = 0;
        trainer.start_validation();
        trainer.add_validation_loss(sum, workspace, bench.scores.view().rows(300, 100),
                                    bench.problem.validation);
      };
      work();
      const std::size_t before = test::allocations();
      for (int i = 0; i < 5; ++i) work();
      EXPECT_EQ(test::allocations(), before);
    }
  }
}

TEST(ValidationLoss, IsTheSameAtEveryCallSinceItsNegativesAreFrozen) {
  const Bench bench;
  RatioStack stack = bench.stack({.hidden = 20, .depth = 1});
  RatioMemberTrainer trainer(stack, 0, bench.table(), bench.options, Rng(2));
  Workspace<float> workspace = bench.workspace(stack);
  const auto loss = [&] {
    double sum = 0;
    trainer.start_validation();
    trainer.add_validation_loss(sum, workspace, bench.scores.view().rows(300, 100),
                                bench.problem.validation);
    return sum;
  };
  const double first = loss();
  EXPECT_EQ(loss(), first);
  trainer.start_epoch(1);
  trainer.step(workspace, bench.scores.view().rows(0, 70), bench.batch_rows(), 1e-3, nullptr);
  EXPECT_NE(loss(), first) << "it follows the weights";
}

// theta is its own row number, so that a batch tells which rows its negatives came from.
TEST(Negatives, AreOtherRowsOfTheTrainingSetAndNewInEveryEpoch) {
  Bench bench;
  for (Index i = 0; i < 400; ++i) bench.problem.theta(i, 0) = float(i);
  bench.options.loss.negatives = 4;
  RatioStack stack = bench.stack({.hidden = 8, .depth = 1});
  RatioMemberTrainer trainer(stack, 0, bench.table(), bench.options, Rng(2));
  Workspace<float> workspace = bench.workspace(stack);
  const Index batch = bench.options.batch_size;
  std::vector<float> previous;
  std::vector<int> seen(400, 0);
  for (int epoch = 1; epoch <= 40; ++epoch) {
    // The last rows too: the rule that avoids a row's own theta treats the last one apart.
    const auto rows = std::span(bench.problem.training).last(std::size_t(batch));
    trainer.start_epoch(epoch);
    trainer.step(workspace, bench.scores.view().rows(0, batch), rows, 1e-3, nullptr);
    const std::vector<float> drawn(workspace.theta.data(), workspace.theta.data() + 5 * batch);
    for (Index c = 0; c < 5; ++c) {
      for (Index i = 0; i < batch; ++i) {
        const Index row = Index(drawn[std::size_t(c * batch + i)]);
        if (c == 0) {
          EXPECT_EQ(row, rows[std::size_t(i)]);
          continue;
        }
        EXPECT_NE(row, rows[std::size_t(i)]);
        ASSERT_LT(row, 300) << "validation row";
        ++seen[std::size_t(row)];
      }
    }
    EXPECT_NE(drawn, previous);
    previous = drawn;
  }
  // 40 x 4 x 70 draws over 300 rows: 37 each.
  for (Index row = 0; row < 300; ++row) EXPECT_GT(seen[std::size_t(row)], 37 - 6 * 6) << row;
}

std::size_t peak_of_training(int members, int epochs, const EmbeddingOptions& embedding = {}) {
  const GaussianProblem problem(400, 100, Rng(1));
  TrainingOptions options;
  options.batch_size = 64;
  options.max_epochs = epochs;
  options.patience = 1000;
  options.weight_average = 0.9;
  std::size_t peak = 0;
  with_threads(1, [&] {
    test::forget_peak();
    const std::size_t before = test::live_bytes();
    train(problem.data(), test::one_dimensional(members), {.hidden = 64}, embedding, options,
          Rng(2));
    peak = test::peak_bytes() - before;
  });
  return peak;
}

TEST(PeakMemory, DoesNotDependOnTheNumberOfEpochs) {
  for (const EmbeddingOptions& embedding :
       {EmbeddingOptions{}, EmbeddingOptions{.kind = EmbeddingKind::linear, .hidden = {}}}) {
    peak_of_training(12, 2, embedding);
    const double few = double(peak_of_training(12, 2, embedding));
    const double many = double(peak_of_training(12, 20, embedding));
    EXPECT_NEAR(many / few, 1, 0.01);
  }
}

TEST(PeakMemory, GrowsByWhatIsStatedPerMember) {
  peak_of_training(10, 2);
  const double measured = double(peak_of_training(40, 2) - peak_of_training(10, 2)) / 30;
  const Bench bench;
  const RatioStack stack({{{0}, 0}}, {.hidden = 64}, {}, bench.x_scores, bench.theta_scores);
  const double stated = double(training_bytes_per_member(stack, bench.options));
  EXPECT_NEAR(measured / stated, 1, 0.1) << measured << " B, stated " << stated << " B";
}

// 7497 numbers per row made on demand: theta times a wave, plus noise. 90 MB as a table.
class WideRows final : public RowSource {
 public:
  explicit WideRows(const Matrix<float>& theta) : theta_(theta) {}
  Index rows() const override { return theta_.rows(); }
  Index cols() const override { return 7497; }
  void read(MatrixView<float> out, std::span<const Index> rows) const override {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::uint32_t state = std::uint32_t(rows[i]) * 2654435761U + 1;
      for (Index j = 0; j < cols(); ++j) {
        state = state * 1664525U + 1013904223U;
        const float noise = float(state >> 8) / float(1 << 23) - 1;
        out(Index(i), j) = theta_(rows[i], 0) * float(j % 100) / 100 + 3 * noise;
      }
    }
  }

 private:
  const Matrix<float>& theta_;
};

TEST(PeakMemory, IsAFractionOfATableThatStreamsThroughAnEmbedding) {
  const GaussianProblem problem(3000, 300, Rng(1));
  const WideRows rows(problem.theta);
  const TrainingData data{.x = rows,
                          .theta = problem.theta,
                          .training = problem.training,
                          .validation = problem.validation,
                          .segment_bytes = 1 << 20};
  TrainingOptions options;
  options.max_epochs = 5;
  options.optimizer.learning_rate = 0.0003;
  test::forget_peak();
  const std::size_t before = test::live_bytes();
  const TrainingResult result =
      train(data, {{{0}, 0}}, {.hidden = 16, .depth = 1},
            {.kind = EmbeddingKind::linear, .features = 10, .hidden = {}}, options, Rng(2));
  EXPECT_LT(double(test::peak_bytes() - before), 30e6);
  EXPECT_LT(result.histories[0].best_loss, 1.36);  // log 4 = 1.39 without data
}

}  // namespace
}  // namespace hone
