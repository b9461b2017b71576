// Posterior densities from simulations that do not follow the prior, by the atomic loss.
#include <cmath>

#include <gtest/gtest.h>

#include "engine/allocation_counter.h"
#include "hone/core/parallel.h"
#include "hone/engine/atomic_trainer.h"
#include "hone/engine/density_trainer.h"

namespace hone {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr double kNoise = 0.5;
const NetworkOptions kNetwork{
    .hidden = 24, .depth = 1, .activation = Activation::silu, .norm = Norm::none};

// Two parameters with a standard normal prior each, drawn from N(0.8, 0.5^2) instead but for every
// tenth; data are theta_0 and theta_0 + theta_1 with noise.
struct Proposed {
  explicit Proposed(Index rows, Rng rng) : theta(rows, 2), x(rows, 2) {
    for (Index i = 0; i < rows; ++i) {
      const bool prior = i % 10 == 0;
      from_prior.push_back(prior);
      double log = 0;
      for (Index d = 0; d < 2; ++d) {
        const double value = prior ? rng.normal() : 0.8 + 0.5 * rng.normal();
        theta(i, d) = float(value);
        log -= 0.5 * value * value;
      }
      log_prior.push_back(float(log));
      x(i, 0) = float(double(theta(i, 0)) + kNoise * rng.normal());
      x(i, 1) = float(double(theta(i, 0)) + double(theta(i, 1)) + kNoise * rng.normal());
      (i % 8 == 3 ? validation : training).push_back(i);
    }
  }

  DensityTraining densities(bool atomic) const {
    DensityTraining result{.components = 3,
                           .bounds = {std::vector(2, -kInfinity), std::vector(2, kInfinity)}};
    if (atomic) result.atomic = AtomicLoss{8, log_prior, from_prior};
    return result;
  }

  Matrix<float> theta, x;
  std::vector<float> log_prior;
  std::vector<bool> from_prior;
  std::vector<Index> training, validation;
};

TrainingOptions training_options(int epochs) {
  TrainingOptions options;
  options.optimizer = {.kind = OptimizerKind::adamw, .learning_rate = 5e-3, .clip_norm = 5};
  options.schedule.kind = ScheduleKind::cosine;
  options.batch_size = 64;
  options.max_epochs = options.patience = epochs;
  options.weight_average = 0.99;
  return options;
}

const std::vector<MemberSpec> kChain{{{0}}, {{0, 1}}},
    kTwoChains{{{0}}, {{0, 1}}, {{0}, 1}, {{0, 1}, 1}};

DensityResult trained(const Proposed& problem, bool atomic, int epochs,
                      const std::vector<MemberSpec>& members = kChain,
                      const EmbeddingOptions& embedding = {}) {
  const MatrixRows x(problem.x);
  return train_densities({x, problem.theta, problem.training, problem.validation}, members,
                         problem.densities(atomic), kNetwork, embedding, training_options(epochs),
                         Rng(2));
}

struct Moments {
  double mean[2]{}, deviation[2]{};
};

// Of q(theta | x), on a grid of all parameters.
Moments moments(const DensityStack& stack, float x0, float x1) {
  constexpr Index kSide = 120;
  Matrix<float> x(1, 2), theta(kSide * kSide, 2);
  x(0, 0) = x0;
  x(0, 1) = x1;
  for (Index i = 0; i < kSide * kSide; ++i) {
    const Index row = i / kSide;
    theta(i, 0) = -2.5F + 6 * (float(row) + 0.5F) / kSide;
    theta(i, 1) = -2.5F + 6 * (float(i % kSide) + 0.5F) / kSide;
  }
  const Matrix<float> features = stack.features(x), scores = stack.scores(theta);
  std::vector<float> log(std::size_t(theta.rows()), 0.0F);
  for (Index k = 0; k < stack.densities(); ++k) {
    stack.add_log_densities(log, k, {features, theta.rows(), scores, 1});
  }
  Moments result;
  for (Index d = 0; d < 2; ++d) {
    double sum = 0, first = 0, second = 0;
    for (Index i = 0; i < theta.rows(); ++i) {
      const double p = std::exp(double(log[std::size_t(i)])), t = double(theta(i, d));
      sum += p;
      first += p * t;
      second += p * t * t;
    }
    result.mean[d] = first / sum;
    result.deviation[d] = std::sqrt(second / sum - result.mean[d] * result.mean[d]);
  }
  return result;
}

// Normal prior N(m, s^2) of both, this likelihood: precision and its product with the mean.
Moments exact(double x0, double x1, double m, double s) {
  const double w = 1 / (kNoise * kNoise), p = 1 / (s * s);
  const double a = p + 2 * w, b = w, c = p + w;  // [[a, b], [b, c]]
  const double u = p * m + w * (x0 + x1), v = p * m + w * x1, det = a * c - b * b;
  return {{(c * u - b * v) / det, (a * v - b * u) / det}, {std::sqrt(c / det), std::sqrt(a / det)}};
}

// Of the posterior for x about 13,000 exp(-..) p(x) of all simulations tell: several hundred, so
// that a mean is known to 0.05 sigma and a width to 4 %; networks of this size come within twice
// that.
TEST(AtomicLoss, FindsThePosteriorOfAPriorThatSimulationsDoNotFollow) {
  const Proposed problem(16000, Rng(1));
  const Moments found = moments(trained(problem, true, 30).stack, 0.6F, 0.9F);
  const Moments plain = moments(trained(problem, false, 30).stack, 0.6F, 0.9F);
  const Moments truth = exact(0.6, 0.9, 0, 1), other = exact(0.6, 0.9, 0.8, 0.5);
  for (int d = 0; d < 2; ++d) {
    EXPECT_NEAR(found.mean[d], truth.mean[d], 0.2 * truth.deviation[d]) << d;
    EXPECT_NEAR(found.deviation[d] / truth.deviation[d], 1, 0.15) << d;
    // The controls: maximum likelihood takes the proposal for the prior.
    EXPECT_GT(std::abs(plain.deviation[d] / truth.deviation[d] - 1), 0.15) << d;
    EXPECT_NEAR(plain.mean[d], other.mean[d], 0.3 * other.deviation[d]) << d;
  }
  EXPECT_GT(std::abs(plain.mean[1] - truth.mean[1]), 0.3 * truth.deviation[1]);
}

// The same by a flow of both parameters.
TEST(AtomicLoss, FindsThatPosteriorAsAFlow) {
  const Proposed problem(16000, Rng(1));
  const MatrixRows x(problem.x);
  const auto found = [&](bool atomic) {
    DensityTraining densities = problem.densities(atomic);
    densities.transforms = 2;
    return moments(
        train_densities({x, problem.theta, problem.training, problem.validation}, {{{0, 1}}},
                        densities, kNetwork, {}, training_options(30), Rng(2))
            .stack,
        0.6F, 0.9F);
  };
  const Moments right = found(true), plain = found(false), truth = exact(0.6, 0.9, 0, 1);
  for (int d = 0; d < 2; ++d) {
    EXPECT_NEAR(right.mean[d], truth.mean[d], 0.2 * truth.deviation[d]) << d;
    EXPECT_NEAR(right.deviation[d] / truth.deviation[d], 1, 0.15) << d;
    EXPECT_GT(std::abs(plain.deviation[d] / truth.deviation[d] - 1), 0.15) << "the control " << d;
  }
}

TEST(AtomicLoss, LearnsBehindAnEmbedding) {
  const Proposed problem(8000, Rng(1));
  const DensityResult plain = trained(problem, true, 15);
  const DensityResult embedded = trained(
      problem, true, 15, kChain, {.kind = EmbeddingKind::linear, .features = 4, .hidden = {}});
  EXPECT_NEAR(embedded.histories[0].best_loss, plain.histories[0].best_loss, 0.05);
  EXPECT_LT(embedded.histories[0].best_loss, embedded.histories[0].validation_loss[0]);
}

TEST(AtomicLoss, HasTheSameBitsForAnyThreadsAndInAnyCompany) {
  const Proposed problem(800, Rng(1));
  const auto parameters = [&](int threads, const std::vector<MemberSpec>& members) {
    std::vector<float> result;
    with_threads(threads, [&] {
      const DensityResult one = trained(problem, true, 3, members);
      EXPECT_EQ(one.histories.size(), members.size() / 2) << "one for each chain";
      result.assign(one.stack.parameters(1).begin(), one.stack.parameters(1).end());
    });
    return result;
  };
  const std::vector<float> one = parameters(1, kTwoChains);
  EXPECT_EQ(one, parameters(2, kTwoChains));
  EXPECT_EQ(one, parameters(2, kChain));
  EXPECT_NE(one, parameters(2, {{{0}, 1}, {{0, 1}, 1}})) << "another replica is another chain";
}

// One chain, its workspace and a batch.
class Step {
 public:
  Step() { trainer_.start_epoch(1); }
  // The loss of the first epoch's first batch; the gradient of the last network is in gradient().
  double loss() {
    trainer_.start_epoch(1);
    return trainer_.step(workspace_, x_.view().rows(0, 64), std::span(rows_).first(64), 0, nullptr);
  }
  void validate() {
    double sum = 0;
    trainer_.start_validation();
    trainer_.add_validation_loss(sum, workspace_, x_.view().rows(64, 100),
                                 std::span(rows_).subspan(64, 100));
  }
  std::span<float> gradient() { return workspace_.gradient.span(); }
  std::span<float> parameters() { return stack_.parameters(1); }

 private:
  static std::vector<Index> numbers(Index count) {
    std::vector<Index> result;
    for (Index i = 0; i < count; ++i) result.push_back(i);
    return result;
  }

  Proposed problem_{400, Rng(1)};
  TrainingOptions options_ = training_options(1);
  DensityStack stack_ = trained(problem_, true, 2).stack;
  Matrix<float> x_ = stack_.features(problem_.x), theta_ = stack_.scores(problem_.theta);
  std::vector<Index> rows_ = numbers(400);
  AtomicLoss loss_ = *problem_.densities(true).atomic;
  AtomicTrainer trainer_{stack_, 0, 2, loss_, {theta_, rows_, rows_}, nullptr, options_, Rng(3)};
  Workspace<float> workspace_{stack_.layout(), 1, 64 * 8, 64 * 8, true};
};

// Along the gradient, where single precision sees most of it.
TEST(AtomicLoss, HasTheGradientOfCentralDifferences) {
  Step step;
  // Not where the density begins, for there hidden features say nothing.
  Rng rng(4);
  for (float& value : step.parameters()) value += 0.05F * float(rng.normal());
  step.loss();
  const std::vector<float> gradient(step.gradient().begin(), step.gradient().end());
  double square = 0;
  for (const float g : gradient) square += double(g) * double(g);
  const double norm = std::sqrt(square);
  const auto along = [&](double distance) {
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      step.parameters()[i] += float(distance * double(gradient[i]) / norm);
    }
    return step.loss();
  };
  constexpr double kStep = 0.01;
  const double up = along(kStep), down = along(-2 * kStep);
  EXPECT_NEAR((up - down) / (2 * kStep), norm, 0.01 * norm);
  EXPECT_GT(norm, 0.01) << "the control: there is something to compare";
}

TEST(AtomicLoss, TakesNoMemoryOnceWarm) {
  Step step;
  const auto work = [&] {
    step.loss();
    step.validate();
  };
  work();
  const std::size_t before = test::allocations();
  for (int i = 0; i < 5; ++i) work();
  EXPECT_EQ(test::allocations(), before);
}

}  // namespace
}  // namespace hone
