// What is chosen for which data, and that posteriors of data with a shape come out right.
#include "hone/estimate/encoder_choice.h"

#include <gtest/gtest.h>

#include "hone/core/parallel.h"
#include "hone/inference/method.h"
#include "hone/posterior/marginal_grid.h"
#include "inference/support.h"

namespace hone {
namespace {

DataSize sized(const DataDescription& data, Index columns = 0) {
  return {.rows = 1000,
          .training_rows = 900,
          .columns = data.declared() ? data.size() : columns,
          .parameters = 3,
          .data = data};
}

const DataDescription kMixture({{.name = "map", .kind = DataKind::image, .shape = {32, 32}},
                                {.name = "signal", .kind = DataKind::series, .shape = {300, 2}},
                                {.name = "draws", .kind = DataKind::set, .shape = {50}},
                                {.name = "numbers", .kind = DataKind::vector, .shape = {3}}});

TEST(ChosenEmbedding, IsNoneForShortVectors) {
  const InferenceOptions options;
  EXPECT_EQ(chosen_embedding(options, sized({}, 10)).kind, EmbeddingKind::none);
  const DataDescription short_series({{"x", DataKind::series, {6}}});
  EXPECT_EQ(chosen_embedding(options, sized(short_series)).kind, EmbeddingKind::none);
}

TEST(ChosenEmbedding, AddsEstimatesToLongVectors) {
  const EmbeddingOptions chosen = chosen_embedding({}, sized({}, 500));
  ASSERT_EQ(chosen.kind, EmbeddingKind::blocks);
  EXPECT_EQ(chosen.blocks.size(), 1U);
  EXPECT_EQ(chosen.blocks[0].features, 0);  // the numbers themselves
  EXPECT_EQ(chosen.estimates, 3 + 6);
  EXPECT_EQ(chosen.output_size(), 500 + 9);
  InferenceOptions random;
  random.training.embedding_start = EmbeddingStart::random;
  EXPECT_EQ(chosen_embedding(random, sized({}, 500)).kind, EmbeddingKind::none);
}

TEST(ChosenEmbedding, GivesEveryBlockWhatFitsItsKind) {
  const EmbeddingOptions chosen = chosen_embedding({}, sized(kMixture));
  ASSERT_EQ(chosen.blocks.size(), 4U);
  EXPECT_EQ(chosen.blocks[0].kind, DataKind::image);
  EXPECT_EQ(chosen.blocks[0].channels.size(), 2U);  // 32 -> 14 -> 5 places along each side
  EXPECT_EQ(chosen.blocks[1].kind, DataKind::series);
  EXPECT_EQ(chosen.blocks[1].channels.size(), 4U);  // 300 -> 148 -> 72 -> 34 -> 15
  EXPECT_EQ(chosen.blocks[2].kind, DataKind::set);
  EXPECT_EQ(chosen.blocks[3].features, 0);
  chosen.validate(kMixture.size());
  EXPECT_EQ(describe(chosen, kMixture),
            "map: convolutions of 16, 32 channels, 10 features; signal: convolutions of 16, 32, "
            "32, 32 channels, 10 features; draws: a network of 64, 64 units for every element, 10 "
            "features; numbers: as it is; 9 linear estimates of the parameters. Three inputs are "
            "tried in each training: the estimates alone, with landmarks of the data, with all of "
            "the above; the one with the lowest validation loss is used");
}

TEST(ChosenEmbedding, HasAFormWithoutWhatTheEstimatesCanDoAlone) {
  const EmbeddingOptions chosen = chosen_embedding({}, sized(kMixture));
  const std::vector<EmbeddingOptions> forms = embedding_forms(chosen);
  ASSERT_EQ(forms.size(), 3U);
  for (const EmbeddingOptions& form : forms) form.validate(kMixture.size());
  EXPECT_EQ(forms[0].output_size(), 10 + 3 + 9);  // the set, the numbers, the estimates
  EXPECT_EQ(forms[0].blocks[0].kind, DataKind::image);
  // Of the map 8 landmarks, of both channels of the signal 10.
  EXPECT_EQ(forms[1].output_size(), forms[0].output_size() + 8 + 20);
  EXPECT_EQ(forms[2].output_size(), 10 + 10 + 10 + 3 + 9);
  EXPECT_FALSE(forms[0].traits || forms[2].traits);
  const DataDescription vector({{"x", DataKind::vector, {500}}});
  EXPECT_EQ(embedding_forms(chosen_embedding({}, sized(vector))).size(), 2U);
  const DataDescription set({{"draws", DataKind::set, {50}}});
  EXPECT_EQ(embedding_forms(chosen_embedding({}, sized(set))).size(), 1U);
}

TEST(ChosenEmbedding, TakesWhatTheOptionsSay) {
  InferenceOptions options;
  options.embedding.hidden = {8};
  options.embedding.features = 4;
  options.embedding.kernel = 7;
  const EmbeddingOptions chosen = chosen_embedding(options, sized(kMixture));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(chosen.blocks[i].channels, std::vector<int>{8});
    EXPECT_EQ(chosen.blocks[i].features, 4);
  }
  EXPECT_EQ(chosen.blocks[0].kernel, 7);
  options.embedding.kind = EmbeddingKind::none;
  EXPECT_EQ(chosen_embedding(options, sized(kMixture)).kind, EmbeddingKind::none);
  // What was chosen is not chosen again.
  const InferenceOptions once = fitted({}, sized(kMixture));
  EXPECT_TRUE(fitted(once, sized(kMixture)).embedding == once.embedding);
}

TEST(ChosenEmbedding, IsDescribedOnlyForMethodsThatHaveOne) {
  InferenceOptions options;
  EXPECT_NE(describe_embedding(options, sized(kMixture)), "");
  EXPECT_EQ(describe_embedding(options, {.columns = 5, .parameters = 3}), "");
  options.method = "rej_abc";
  EXPECT_EQ(describe_embedding(options, sized(kMixture)), "");
}

// Sixteen draws of N(theta, 1), theta uniform on [-3, 3]: the posterior is N(mean, 1 / 16).
constexpr Index kDraws = 16;

InferenceResult infer_mean(const DataDescription& data, const std::vector<double>& observed,
                           std::uint64_t seed) {
  InferenceOptions options = test::small_options(3000);
  options.method = "mnre";
  options.embedding.kind = EmbeddingKind::automatic;
  test::Laboratory laboratory(
      test::uniform_prior(1, -3, 3), kDraws,
      [](auto x, auto theta, Rng noise) {
        for (double& value : x) value = theta[0] + noise.normal();
      },
      {}, data);
  Simulations simulations = laboratory.simulations(seed);
  return test::infer(simulations, observed, {{0}}, options, Rng(seed));
}

TEST(DataWithAShape, ASetGivesItsPosteriorWhateverTheOrderOfItsElements) {
  const DataDescription set({{.name = "draws", .kind = DataKind::set, .shape = {kDraws}}});
  std::vector<double> observed;
  Rng rng(8);
  for (Index i = 0; i < kDraws; ++i) observed.push_back(0.7 + rng.normal());
  const double mean = std::accumulate(observed.begin(), observed.end(), 0.0) / kDraws;
  const InferenceResult result = infer_mean(set, observed, 5);
  const auto grid_at = [&](const std::vector<double>& x) {
    return make_grid({*result.posterior.posterior, {0}, x}, 512);
  };
  const MarginalGrid grid = grid_at(observed);
  EXPECT_NEAR(grid_mean(grid), mean, 0.2 * 0.25);
  EXPECT_NEAR(grid_deviation(grid), 0.25, 0.15 * 0.25);
  EXPECT_GT(std::abs(grid_mean(grid) - mean - 0.25), 0.2 * 0.25);  // data one sigma away
  std::vector<double> reversed(observed.rbegin(), observed.rend());
  EXPECT_NEAR(grid_mean(grid_at(reversed)), grid_mean(grid), 1e-4);
}

TEST(DataWithAShape, HasTheSameBitsForAnyNumberOfThreads) {
  const DataDescription mixed({{.name = "signal", .kind = DataKind::series, .shape = {12}},
                               {.name = "draws", .kind = DataKind::set, .shape = {4}}});
  std::vector<std::vector<NamedArray>> arrays;
  for (const int threads : {1, 2, 4}) {
    with_threads(threads, [&] {
      const std::vector<double> observed(kDraws, 0.5);
      arrays.push_back(infer_mean(mixed, observed, 5).posterior.posterior->to_arrays());
    });
  }
  EXPECT_EQ(arrays[0], arrays[1]);
  EXPECT_EQ(arrays[0], arrays[2]);
}

}  // namespace
}  // namespace hone
