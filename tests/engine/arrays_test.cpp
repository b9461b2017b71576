// A stack survives the way through named arrays bit by bit; damaged arrays are an error.
#include <algorithm>

#include <gtest/gtest.h>

#include "engine/problems.h"
#include "hone/engine/trainer.h"

namespace hone {
namespace {

using test::GaussianProblem;

const std::vector<MemberSpec> kMixed{{{0}, 0}, {{2, 1}, 3}, {{1}, 1}};

RatioStack trained(const NetworkOptions& network, const EmbeddingOptions& embedding) {
  static const GaussianProblem problem(300, 60, Rng(1));
  TrainingOptions options;
  options.batch_size = 64;
  options.max_epochs = 2;
  return train(problem.data(), kMixed, network, embedding, options, Rng(2)).stack;
}

std::vector<RatioStack> every_kind() {
  std::vector<RatioStack> stacks;
  stacks.push_back(trained({.hidden = 20, .depth = 2}, {}));
  stacks.push_back(trained({.kind = NetworkKind::mlp,
                            .hidden = 7,
                            .depth = 1,
                            .activation = Activation::silu,
                            .norm = Norm::layer,
                            .dropout = 0.2},
                           {.kind = EmbeddingKind::linear, .features = 3, .hidden = {}}));
  stacks.push_back(trained({.kind = NetworkKind::mlp, .hidden = 17, .depth = 3, .norm = Norm::none},
                           {.kind = EmbeddingKind::convolution,
                            .features = 20,
                            .hidden = {3},
                            .kernel = 3,
                            .stride = 1}));
  stacks.push_back(trained({.hidden = 20, .depth = 1, .norm = Norm::alternate}, {}));
  return stacks;
}

std::vector<float> some_log_ratios(const RatioStack& stack) {
  const GaussianProblem fresh(50, 0, Rng(9));
  std::vector<float> all;
  const Matrix<float> features = stack.features(fresh.x);
  for (Index k = 0; k < stack.size(); ++k) {
    Matrix<float> theta(50, Index(stack.member(k).columns.size()));
    Rng rng(10);
    for (Index i = 0; i < theta.rows() * theta.cols(); ++i) theta.data()[i] = float(rng.normal());
    std::vector<float> out(50);
    stack.log_ratio_pairs(out, k, features, theta);
    all.insert(all.end(), out.begin(), out.end());
  }
  return all;
}

TEST(Arrays, BringBackAStackThatEvaluatesToTheSameBits) {
  for (const RatioStack& stack : every_kind()) {
    const std::vector<NamedArray> arrays = stack.to_arrays();
    const RatioStack again = RatioStack::from_arrays(arrays);
    EXPECT_EQ(some_log_ratios(stack), some_log_ratios(again));
    EXPECT_EQ(again.to_arrays(), arrays);
    EXPECT_TRUE(std::ranges::equal(again.members(), stack.members()));
  }
}

TEST(Arrays, BringBackTraits) {
  EmbeddingOptions embedding{.kind = EmbeddingKind::blocks, .hidden = {}, .estimates = 9};
  embedding.blocks = {{.kind = DataKind::series, .shape = {6}, .channels = {}, .features = 0}};
  const RatioStack without = trained({.hidden = 20, .depth = 1}, embedding);
  embedding.traits = true;
  const RatioStack stack = trained({.hidden = 20, .depth = 1}, embedding);
  EXPECT_GT(stack.embedding()->options().output_size(),
            without.embedding()->options().output_size());
  EXPECT_EQ(some_log_ratios(RatioStack::from_arrays(stack.to_arrays())), some_log_ratios(stack));
  // Files from before there were traits have no such array.
  EXPECT_EQ(some_log_ratios(RatioStack::from_arrays(without.to_arrays())),
            some_log_ratios(without));
  for (const double nonsense : {0.0, 2.0, 0.5}) {
    std::vector<NamedArray> damaged = stack.to_arrays();
    std::ranges::find(damaged, "traits", &NamedArray::name)->values = std::vector{nonsense};
    EXPECT_THROW(RatioStack::from_arrays(damaged), Error);
  }
}

TEST(Arrays, HaveUniqueNamesWithoutSlashes) {
  for (const RatioStack& stack : every_kind()) {
    std::vector<std::string> names;
    for (const NamedArray& array : stack.to_arrays()) {
      names.push_back(array.name);
      EXPECT_EQ(array.name.find('/'), std::string::npos);
    }
    std::ranges::sort(names);
    EXPECT_TRUE(std::ranges::adjacent_find(names) == names.end());
  }
}

TEST(Arrays, KeepAReplicaOfAnySizeThatTrainingAccepts) {
  RatioStack stack({{{0}, std::uint64_t(kLargestReplica)}}, {.hidden = 4, .depth = 1}, {},
                   {{0.0F}, {1.0F}}, {{0.0F}, {1.0F}});
  EXPECT_EQ(RatioStack::from_arrays(stack.to_arrays()).member(0), stack.member(0));
}

TEST(DamagedArrays, AreRefusedWhenOneIsMissingHasAnotherShapeOrAnotherType) {
  for (const RatioStack& stack : every_kind()) {
    const std::vector<NamedArray> arrays = stack.to_arrays();
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      SCOPED_TRACE(arrays[i].name);
      std::vector<NamedArray> missing = arrays, reshaped = arrays, short_values = arrays,
                              retyped = arrays;
      missing.erase(missing.begin() + std::ptrdiff_t(i));
      EXPECT_THROW(RatioStack::from_arrays(missing), Error);
      reshaped[i].shape.push_back(1);
      EXPECT_THROW(RatioStack::from_arrays(reshaped), Error);
      std::visit([](auto& values) { values.pop_back(); }, short_values[i].values);
      EXPECT_THROW(RatioStack::from_arrays(short_values), Error);
      std::visit([](auto& values) { values.clear(); }, short_values[i].values);
      short_values[i].shape = std::vector<Index>(short_values[i].shape.size(), 0);
      EXPECT_THROW(RatioStack::from_arrays(short_values), Error);
      std::visit(
          [&](const auto& values) {
            if constexpr (std::is_same_v<decltype(values), const std::vector<float>&>) {
              retyped[i].values = std::vector<double>(values.begin(), values.end());
            } else {
              retyped[i].values = std::vector<float>(values.begin(), values.end());
            }
          },
          arrays[i].values);
      EXPECT_THROW(RatioStack::from_arrays(retyped), Error);
    }
  }
}

// Also numbers that ask for more memory than any machine has: the arrays do not fit them.
TEST(DamagedArrays, AreRefusedForAnyNonsenseInTheNumbersThatDescribeThem) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const RatioStack& stack : every_kind()) {
    const std::vector<NamedArray> arrays = stack.to_arrays();
    for (const std::size_t array : {std::size_t{0}, std::size_t{1}}) {  // shape, members
      const std::size_t count = std::get<std::vector<double>>(arrays[array].values).size();
      for (std::size_t i = 0; i < count; ++i) {
        for (const double nonsense : {nan, -2.0, 0.5, 3.0, 64.0, 4096.0, 16384.0, 1e300}) {
          std::vector<NamedArray> damaged = arrays;
          std::get<std::vector<double>>(damaged[array].values)[i] = nonsense;
          try {  // some are meaningful: another activation, replica or dropout
            some_log_ratios(RatioStack::from_arrays(damaged));
          } catch (const Error&) {
          }
        }
      }
    }
    std::vector<NamedArray> no_columns = arrays;
    std::get<std::vector<double>>(no_columns[1].values)[1] = -1;
    EXPECT_THROW(RatioStack::from_arrays(no_columns), Error);
  }
  EXPECT_THROW(RatioStack::from_arrays({}), Error);
}

}  // namespace
}  // namespace hone
