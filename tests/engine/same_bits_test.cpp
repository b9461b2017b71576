// Weights do not depend on threads, on company or on how the rows arrive.
#include <cstring>

#include <gtest/gtest.h>

#include "engine/problems.h"
#include "hone/core/parallel.h"
#include "hone/engine/trainer.h"

namespace hone {
namespace {

using test::GaussianProblem;

const GaussianProblem& problem() {
  static const GaussianProblem result(700, 150, Rng(1));
  return result;
}

TrainingOptions few_epochs() {
  TrainingOptions options;
  options.batch_size = 64;
  options.max_epochs = 4;
  return options;
}
const NetworkOptions kNetwork{.hidden = 24, .depth = 1, .dropout = 0.1};
const EmbeddingOptions kNone, kMlp{.kind = EmbeddingKind::mlp, .features = 5, .hidden = {40}};
const std::vector<MemberSpec> kSeven{{{0}, 0}, {{1}, 0},    {{2}, 0},      {{0, 1}, 0},
                                     {{0}, 1}, {{2, 0}, 0}, {{0, 1, 2}, 0}};

bool same_bits(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

TrainingResult trained(int threads, const std::vector<MemberSpec>& members,
                       const EmbeddingOptions& embedding, Index segment_bytes = Index{64} << 20) {
  TrainingData data = problem().data();
  data.segment_bytes = segment_bytes;
  std::optional<TrainingResult> result;
  with_threads(threads, [&] {
    result.emplace(train(data, members, kNetwork, embedding, few_epochs(), Rng(2)));
  });
  return std::move(*result);
}

void expect_same(const TrainingResult& a, const TrainingResult& b) {
  for (Index k = 0; k < a.stack.size(); ++k) {
    EXPECT_TRUE(same_bits(a.stack.parameters(k), b.stack.parameters(k)))
        << a.stack.member(k).name();
    const std::size_t member = std::size_t(k);
    EXPECT_EQ(a.histories[member].validation_loss, b.histories[member].validation_loss);
    EXPECT_EQ(a.histories[member].training_loss, b.histories[member].training_loss);
  }
  EXPECT_TRUE(same_bits(a.stack.embedding_parameters(), b.stack.embedding_parameters()));
}

TEST(SameBits, ForOneTwoAndFourThreads) {
  const TrainingResult one = trained(1, kSeven, kNone);
  expect_same(one, trained(2, kSeven, kNone));
  expect_same(one, trained(4, kSeven, kNone));
}

TEST(SameBits, ForOneTwoAndFourThreadsWithASharedEmbedding) {
  const TrainingResult one = trained(1, kSeven, kMlp);
  expect_same(one, trained(2, kSeven, kMlp));
  expect_same(one, trained(4, kSeven, kMlp));
}

TEST(SameBits, ForAMemberAloneAndInCompany) {
  const TrainingResult all = trained(2, kSeven, kNone);
  for (Index k = 0; k < all.stack.size(); ++k) {
    const TrainingResult alone = trained(1, {kSeven[std::size_t(k)]}, kNone);
    EXPECT_TRUE(same_bits(all.stack.parameters(k), alone.stack.parameters(0)));
    EXPECT_EQ(all.histories[std::size_t(k)].validation_loss, alone.histories[0].validation_loss);
  }
}

TEST(SameBits, ForMembersThatDifferInNothingButTheirReplicaAreNot) {
  const TrainingResult all = trained(2, kSeven, kNone);
  EXPECT_FALSE(same_bits(all.stack.parameters(0), all.stack.parameters(4)));
}

// Norm::alternate: even replicas are trained as without norm, odd ones are not.
TEST(SameBits, ForEvenReplicasOfAnAlternatingEnsembleAndNetworksWithoutNorm) {
  const std::vector<MemberSpec> ensemble{{{0}, 0}, {{0}, 1}, {{0}, 2}, {{0}, 3}};
  const auto losses = [&](Norm norm) {
    const NetworkOptions network{.hidden = 24, .depth = 1, .norm = norm, .dropout = 0.1};
    return train(problem().data(), ensemble, network, kNone, few_epochs(), Rng(2)).histories;
  };
  const auto alternate = losses(Norm::alternate), none = losses(Norm::none);
  for (std::size_t k = 0; k < ensemble.size(); ++k) {
    EXPECT_EQ(alternate[k].validation_loss == none[k].validation_loss, k % 2 == 0);
  }
}

// A source that is not a matrix in memory.
class StreamedRows final : public RowSource {
 public:
  explicit StreamedRows(const RowSource& rows) : rows_(rows) {}
  Index rows() const override { return rows_.rows(); }
  Index cols() const override { return rows_.cols(); }
  void read(MatrixView<float> out, std::span<const Index> rows) const override {
    rows_.read(out, rows);
  }

 private:
  const RowSource& rows_;
};

TEST(SameBits, WhenRowsStreamInSmallSegments) {
  const TrainingResult whole = trained(1, kSeven, kNone);
  const TrainingResult whole_embedded = trained(1, kSeven, kMlp);
  // 16 padded columns of 4 bytes: two batches of 64 rows, or as few as there can be.
  for (const Index bytes : {Index{2 * 64 * 64}, Index{1}}) {
    expect_same(whole, trained(2, kSeven, kNone, bytes));
    expect_same(whole_embedded, trained(2, kSeven, kMlp, bytes));
  }
  const StreamedRows streamed(problem().source);
  const TrainingData data{.x = streamed,
                          .theta = problem().theta,
                          .training = problem().training,
                          .validation = problem().validation,
                          .segment_bytes = 2 * 64 * 64};
  expect_same(whole, train(data, kSeven, kNetwork, kNone, few_epochs(), Rng(2)));
}

TEST(Evaluation, OfAGridEqualsThatOfItsPairsOnAnyNumberOfThreads) {
  for (const EmbeddingOptions& embedding : {kNone, kMlp}) {
    const TrainingResult result = trained(1, kSeven, embedding);
    const Matrix<float> features = result.stack.features(problem().x);
    for (const Index k : {0, 3, 6}) {
      const Index cols = Index(kSeven[std::size_t(k)].columns.size());
      for (const auto& [data_rows, grid_rows] : {std::pair<Index, Index>{5, 1300}, {300, 7}}) {
        Matrix<float> theta(grid_rows, cols), grid(data_rows, grid_rows);
        Rng rng(3);
        for (Index i = 0; i < grid_rows * cols; ++i) theta.data()[i] = float(rng.normal());
        Matrix<float> x_pairs(data_rows * grid_rows, features.cols());
        Matrix<float> theta_pairs(data_rows * grid_rows, cols);
        for (Index i = 0; i < data_rows * grid_rows; ++i) {
          std::ranges::copy(features.row(i / grid_rows), x_pairs.row(i).begin());
          std::ranges::copy(theta.row(i % grid_rows), theta_pairs.row(i).begin());
        }
        result.stack.log_ratios(grid, k, features.view().rows(0, data_rows), theta);
        std::vector<float> first;
        for (const int threads : {1, 2, 4}) {
          std::vector<float> pairs(std::size_t(data_rows * grid_rows));
          Matrix<float> again(data_rows, grid_rows);
          with_threads(threads, [&] {
            result.stack.log_ratio_pairs(pairs, k, x_pairs, theta_pairs);
            result.stack.log_ratios(again, k, features.view().rows(0, again.rows()), theta);
          });
          for (std::size_t i = 0; i < pairs.size(); ++i) {
            ASSERT_NEAR(pairs[i], grid.data()[i], 1e-4 * (1 + std::abs(pairs[i])));
          }
          EXPECT_TRUE(same_bits({again.data(), pairs.size()}, {grid.data(), pairs.size()}));
          if (first.empty()) first = pairs;
          EXPECT_EQ(first, pairs);
        }
      }
    }
  }
}

}  // namespace
}  // namespace hone
