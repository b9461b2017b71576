// Rows that are random: a fresh realisation in every epoch, the same one in every validation.
#include <cstring>
#include <map>
#include <mutex>
#include <set>

#include <gtest/gtest.h>

#include "engine/problems.h"
#include "hone/core/parallel.h"
#include "hone/engine/trainer.h"

namespace hone {
namespace {

using test::GaussianProblem;

// The problem's rows plus noise, and a book of who was read in which realisation.
class NoisyTable final : public RowSource {
 public:
  NoisyTable(const GaussianProblem& problem, float sigma) : problem_(problem), sigma_(sigma) {}
  Index rows() const override { return problem_.source.rows(); }
  Index cols() const override { return problem_.source.cols(); }
  bool random() const override { return true; }
  void read(MatrixView<float> out, std::span<const Index> rows) const override {
    read_realisation(out, rows, 0);
  }
  void read_realisation(MatrixView<float> out, std::span<const Index> rows,
                        std::uint64_t realisation) const override {
    problem_.source.read(out, rows);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      Rng rng = Rng(8).child("row", static_cast<std::uint64_t>(rows[i])).child("r", realisation);
      for (float& value : out.row(static_cast<Index>(i))) {
        value += sigma_ * static_cast<float>(rng.normal());
      }
    }
    const std::scoped_lock lock(mutex_);
    for (const Index row : rows) read_[row].insert(realisation);
  }
  std::set<std::uint64_t> realisations_of(Index row) const { return read_[row]; }

 private:
  const GaussianProblem& problem_;
  float sigma_;
  mutable std::mutex mutex_;
  mutable std::map<Index, std::set<std::uint64_t>> read_;
};

const GaussianProblem& problem() {
  static const GaussianProblem result(500, 120, Rng(1));
  return result;
}

TrainingResult trained(const RowSource& rows, int threads, Index segment_bytes) {
  const TrainingData given = problem().data();
  const TrainingData data{.x = rows,
                          .theta = given.theta,
                          .training = given.training,
                          .validation = given.validation,
                          .segment_bytes = segment_bytes};
  TrainingOptions options;
  options.batch_size = 20;  // all rows of an epoch fill a batch
  options.max_epochs = 3;
  std::optional<TrainingResult> result;
  with_threads(threads, [&] {
    result.emplace(
        train(data, {{{0}, 0}, {{1, 2}, 0}}, {.hidden = 24, .depth = 1}, {}, options, Rng(2)));
  });
  return std::move(*result);
}

bool same_weights(const TrainingResult& a, const TrainingResult& b) {
  const auto x = a.stack.parameters(1), y = b.stack.parameters(1);
  return std::memcmp(x.data(), y.data(), x.size_bytes()) == 0;
}

constexpr Index kRoom = Index{64} << 20, kLittleRoom = 2000;

TEST(RandomRows, AreDrawnAfreshInEveryEpochAndFrozenInValidation) {
  const NoisyTable table(problem(), 0.5F);
  trained(table, 2, kRoom);
  // 0 is for the standard scores; every row misses at most the batches it did not fit into.
  std::size_t drawn = 0;
  for (const Index row : problem().data().training) {
    const auto realisations = table.realisations_of(row);
    EXPECT_TRUE(realisations.contains(0));
    drawn += realisations.size() - 1;
  }
  EXPECT_EQ(drawn, 3 * problem().data().training.size());
  for (const Index row : problem().data().validation) {
    EXPECT_EQ(table.realisations_of(row), std::set<std::uint64_t>{0});
  }
}

TEST(RandomRows, GiveTheSameBitsForAnyThreadsAndSegments) {
  const NoisyTable table(problem(), 0.5F), quiet(problem(), 0);
  const TrainingResult one = trained(table, 1, kRoom);
  EXPECT_TRUE(same_weights(one, trained(table, 2, kRoom)));
  EXPECT_TRUE(same_weights(one, trained(table, 4, kLittleRoom)));
  // Without noise they are what rows that are not random are.
  const TrainingResult plain = trained(problem().source, 1, kRoom);
  EXPECT_TRUE(same_weights(plain, trained(quiet, 2, kRoom)));
  EXPECT_FALSE(same_weights(plain, one));
}

}  // namespace
}  // namespace hone
