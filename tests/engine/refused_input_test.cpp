// What train() refuses, and that its message says what, which value and which limit.
#include <limits>

#include <gtest/gtest.h>

#include "engine/problems.h"
#include "hone/engine/trainer.h"

namespace hone {
namespace {

using test::GaussianProblem;

// A training run that would work, for a test to spoil.
struct Attempt {
  GaussianProblem problem{200, 40, Rng(1)};
  std::vector<MemberSpec> members{{{0}, 0}};
  NetworkOptions network{.hidden = 8, .depth = 1};
  EmbeddingOptions embedding;
  TrainingOptions options;

  Attempt() {
    options.batch_size = 32;
    options.max_epochs = 1;
  }
  void operator()() const { train(problem.data(), members, network, embedding, options, Rng(2)); }
};

// Runs and expects Error{input} whose message has all of `parts`.
void expect_refused(const Attempt& run, std::initializer_list<const char*> parts) {
  try {
    run();
    ADD_FAILURE() << "was accepted: " << *parts.begin();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    for (const char* part : parts) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos)
          << "'" << error.what() << "' lacks '" << part << "'";
    }
  }
}

template <typename F>
void expect_refused_after(F&& spoil, std::initializer_list<const char*> parts) {
  Attempt run;
  spoil(run);
  expect_refused(run, parts);
}

TEST(RefusedInput, IsNothingInAGoodRun) {
  EXPECT_NO_THROW(Attempt()());
}

TEST(RefusedInput, NamesTheRowAndColumnOfAValueThatIsNotFinite) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  expect_refused_after([&](Attempt& r) { r.problem.x(17, 4) = nan; },
                       {"x", "row 17", "column 4", "nan"});
  expect_refused_after([&](Attempt& r) { r.problem.x(190, 2) = -infinity; },
                       {"x", "row 190", "column 2", "-inf"});
  expect_refused_after([&](Attempt& r) { r.problem.theta(3, 1) = infinity; },
                       {"theta", "row 3", "column 1", "inf"});
  expect_refused_after([&](Attempt& r) { r.problem.theta(199, 0) = nan; },
                       {"theta", "row 199", "column 0"});
}

TEST(RefusedInput, LeavesOutRowsThatAreNeitherTrainedNorValidatedOn) {
  Attempt run;
  run.problem.x(0, 0) = std::numeric_limits<float>::quiet_NaN();
  std::erase(run.problem.training, 0);
  EXPECT_NO_THROW(run());
}

TEST(RefusedInput, IncludesTooFewRows) {
  expect_refused_after([](Attempt& r) { r.problem = GaussianProblem(0, 0, Rng(1)); },
                       {"0 training rows", "32"});
  expect_refused_after([](Attempt& r) { r.problem.training.resize(31); },
                       {"31 training rows", "batch of 32"});
  expect_refused_after([](Attempt& r) { r.problem.validation.clear(); }, {"0 validation rows"});
  expect_refused_after([](Attempt& r) { r.problem.validation.resize(1); }, {"1 validation rows"});
}

TEST(RefusedInput, IncludesMembersAndShapesThatDoNotFit) {
  expect_refused_after([](Attempt& r) { r.members.clear(); }, {"no members"});
  expect_refused_after([](Attempt& r) { r.members[0].columns.clear(); }, {"no columns"});
  expect_refused_after([](Attempt& r) { r.members[0].columns = {3}; }, {"column 3", "3 columns"});
  expect_refused_after([](Attempt& r) { r.members[0].columns = {-1}; }, {"column -1"});
  expect_refused_after([](Attempt& r) { r.members[0].replica = ~std::uint64_t{0}; }, {"replica"});
  expect_refused_after([](Attempt& r) { r.problem.theta = Matrix<float>(199, 3); }, {"200", "199"});
  expect_refused_after([](Attempt& r) { r.problem.training[5] = 200; }, {"row 200", "200 rows"});
  expect_refused_after([](Attempt& r) { r.problem.validation[0] = -1; }, {"row -1"});
}

TEST(RefusedInput, IncludesNetworkOptionsOutOfRange) {
  expect_refused_after([](Attempt& r) { r.network.hidden = 0; }, {"network.hidden = 0", "16384"});
  expect_refused_after([](Attempt& r) { r.network.hidden = 16385; }, {"network.hidden = 16385"});
  expect_refused_after([](Attempt& r) { r.network.depth = 0; }, {"network.depth = 0", "64"});
  expect_refused_after([](Attempt& r) { r.network.depth = 65; }, {"network.depth = 65"});
  expect_refused_after([](Attempt& r) { r.network.dropout = 1; },
                       {"network.dropout = 1", "[0, 1)"});
  expect_refused_after([](Attempt& r) { r.network.dropout = -0.5; }, {"network.dropout = -0.5"});
}

TEST(RefusedInput, IncludesEmbeddingOptionsOutOfRange) {
  const auto refused = [](const EmbeddingOptions& e, std::initializer_list<const char*> parts) {
    expect_refused_after([&](Attempt& r) { r.embedding = e; }, parts);
  };
  const EmbeddingKind linear = EmbeddingKind::linear, mlp = EmbeddingKind::mlp,
                      convolution = EmbeddingKind::convolution;
  refused({.kind = linear, .features = 0, .hidden = {}}, {"embedding.features = 0", "4096"});
  refused({.kind = linear, .features = 4097, .hidden = {}}, {"embedding.features = 4097"});
  refused({.kind = linear, .hidden = {4}}, {"embedding.hidden"});
  refused({.kind = mlp, .hidden = {}}, {"embedding.hidden: it is empty"});
  refused({.kind = mlp, .hidden = {0}}, {"embedding.hidden = 0", "16384"});
  refused({.kind = convolution, .hidden = {4}, .kernel = 0}, {"embedding.kernel = 0"});
  refused({.kind = convolution, .hidden = {4}, .stride = 0}, {"embedding.stride = 0"});
  refused({.kind = convolution, .hidden = {4, 4}, .kernel = 5},
          {"embedding.kernel = 5", "convolution 2"});
}

TEST(RefusedInput, IncludesLossAndTrainingOptionsOutOfRange) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto refused = [](auto&& spoil, std::initializer_list<const char*> parts) {
    expect_refused_after([&](Attempt& r) { spoil(r.options); }, parts);
  };
  using O = TrainingOptions;
  refused([](O& o) { o.loss.negatives = 0; }, {"loss.negatives = 0", "1 .. 4096"});
  refused([](O& o) { o.loss.negatives = 4097; }, {"loss.negatives = 4097"});
  refused([](O& o) { o.loss.gamma = 0; }, {"loss.gamma = 0", "greater than 0"});
  refused([&](O& o) { o.loss.gamma = nan; }, {"loss.gamma = nan"});
  refused([](O& o) { o.loss.balance = -1; }, {"loss.balance = -1"});
  refused([](O& o) { o.batch_size = 1; }, {"training.batch_size = 1", "2 or greater"});
  refused([](O& o) { o.batch_size = 65537; }, {"training.batch_size = 65537", "65536"});
  refused([](O& o) { o.max_epochs = 0; }, {"training.max_epochs = 0"});
  refused([](O& o) { o.patience = 0; }, {"training.patience = 0"});
  refused([](O& o) { o.validation_negatives = 0; }, {"training.validation_negatives = 0"});
  refused([](O& o) { o.column_shrinkage = -1; }, {"training.column_shrinkage = -1"});
  refused([&](O& o) { o.column_shrinkage = nan; }, {"training.column_shrinkage = nan"});
  refused([](O& o) { o.weight_average = 1; }, {"training.weight_average = 1", "[0, 1)"});
}

TEST(RefusedInput, IncludesOptimizerAndScheduleOptionsOutOfRange) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto refused = [](auto&& spoil, std::initializer_list<const char*> parts) {
    expect_refused_after([&](Attempt& r) { spoil(r.options.optimizer, r.options.schedule); },
                         parts);
  };
  using O = OptimizerOptions;
  using S = ScheduleOptions;
  refused([](O& o, S&) { o.learning_rate = 0; }, {"optimizer.learning_rate = 0"});
  refused([&](O& o, S&) { o.learning_rate = nan; }, {"optimizer.learning_rate = nan"});
  refused([](O& o, S&) { o.beta1 = 1; }, {"optimizer.beta1 = 1", "[0, 1)"});
  refused([](O& o, S&) { o.beta2 = -0.1; }, {"optimizer.beta2 = -0.1"});
  refused([](O& o, S&) { o.epsilon = 0; }, {"optimizer.epsilon = 0"});
  refused([](O& o, S&) { o.weight_decay = -1; }, {"optimizer.weight_decay = -1"});
  refused([](O& o, S&) { o.weight_decay = 0.1; }, {"optimizer.weight_decay = 0.1", "adamw"});
  refused([](O& o, S&) { o.clip_norm = -2; }, {"optimizer.clip_norm = -2"});
  refused([](O&, S& s) { s.plateau_factor = 1; }, {"schedule.plateau_factor = 1", "(0, 1)"});
  refused([](O&, S& s) { s.plateau_patience = 0; }, {"schedule.plateau_patience = 0"});
  refused([](O&, S& s) { s.cosine_floor = 1.5; }, {"schedule.cosine_floor = 1.5", "[0, 1]"});
}

}  // namespace
}  // namespace hone
