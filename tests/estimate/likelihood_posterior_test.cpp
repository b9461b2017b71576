// What posteriors from weighted draws remember: it must save work and change no number.
#include "hone/estimate/likelihood_posterior.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "hone/estimate/proposal_draws.h"
#include "inference/support.h"

namespace hone {
namespace {

constexpr float kNoise = 0.1F;

// Three parameters uniform on (0, 1), each measured with normal noise; draws are even points.
class Measured final : public LikelihoodPosterior {
 public:
  explicit Measured(int& proposals)
      : LikelihoodPosterior({test::uniform_prior(3), Region::whole(3)},
                            {{0}, {1}, {2}, {0, 1}, {1, 2}}, 1, std::vector<double>(5, 1.0)),
        proposals_(proposals) {}

  std::string estimator() const override { return "measured"; }
  Index data_size() const override { return 3; }
  Matrix<float> features(MatrixView<const float> x) const override {
    Matrix<float> result(x.rows(), x.cols());
    for (Index i = 0; i < x.rows(); ++i) std::ranges::copy(x.row(i), result.row(i).begin());
    return result;
  }
  Matrix<float> log_joint(MatrixView<const float> features,
                          MatrixView<const float> local) const override {
    Matrix<float> out(1, local.rows());
    const Index each = local.rows() / features.rows();
    for (Index i = 0; i < local.rows(); ++i) {
      for (Index d = 0; d < 3; ++d) {
        const float z = (local(i, d) - features(i / each, d)) / kNoise;
        out(0, i) -= z * z / 2;
      }
    }
    return out;
  }
  std::optional<Matrix<double>> log_evidence(MatrixView<const float>) const override {
    return std::nullopt;
  }
  SharedPosterior of_all_parameters() const override { return nullptr; }
  std::vector<NamedArray> to_arrays() const override { return {}; }

 private:
  bool can_propose() const override { return true; }
  ProposalDraws propose(MatrixView<const float> features, Index each) const override {
    ++proposals_;
    const Matrix<double> points = even_points(each, 3);
    ProposalDraws draws{Matrix<float>(features.rows() * each, 3),
                        std::vector<float>(static_cast<std::size_t>(features.rows() * each), 0.0F)};
    for (Index i = 0; i < draws.local.rows(); ++i) {
      for (Index d = 0; d < 3; ++d) draws.local(i, d) = float(points(i % each, d));
    }
    return draws;
  }
  Index draws_of_many() const override { return 512; }

  int& proposals_;
};

Matrix<float> measurements(Index rows) {
  Matrix<float> x(rows, 3);
  Rng rng(1);
  for (Index i = 0; i < rows; ++i) {
    for (float& value : x.row(i)) value = 0.3F + 0.4F * float(rng.uniform());
  }
  return x;
}

Matrix<float> places(Index rows, Index dimensions) {
  Matrix<float> local(rows, dimensions);
  Rng rng(2);
  for (Index i = 0; i < rows; ++i) {
    for (float& value : local.row(i)) value = float(rng.uniform());
  }
  return local;
}

TEST(LikelihoodPosterior, DrawsOnceForAllMarginalsAndKeepsAnObservationWhileOthersAreAsked) {
  int proposals = 0;
  const Measured posterior(proposals);
  const Matrix<float> observed = measurements(1), many = measurements(6);
  const auto ask_one = [&] {
    for (Index m = 0; m < 5; ++m) {
      posterior.log_densities(m, observed, places(20, m < 3 ? 1 : 2));
    }
  };
  ask_one();
  EXPECT_EQ(proposals, 1);
  for (Index m = 0; m < 5; ++m) {
    posterior.log_density_blocks(m, many, places(6 * 20, m < 3 ? 1 : 2));
  }
  EXPECT_EQ(proposals, 2);
  posterior.log_density_blocks(0, observed, places(20, 1));  // with the few draws of many
  EXPECT_EQ(proposals, 3);
  ask_one();
  EXPECT_EQ(proposals, 3);
  posterior.log_densities(0, places(1, 3), places(20, 1));
  EXPECT_EQ(proposals, 4) << "the control: other data";
}

TEST(LikelihoodPosterior, SaysTheSameWhateverItWasAskedBefore) {
  int proposals = 0;
  const Measured fresh(proposals), used(proposals);
  const Matrix<float> many = measurements(6), others = places(6, 3), local = places(6 * 20, 2);
  used.log_density_blocks(3, others, local);
  used.log_density_blocks(3, many, local);
  const auto before = used.log_density_blocks(4, many, local);
  const auto alone = fresh.log_density_blocks(4, many, local);
  const auto other = fresh.log_density_blocks(4, others, local);
  Index different = 0;
  for (Index i = 0; i < 6 * 20; ++i) {
    EXPECT_EQ(before[0].data()[i], alone[0].data()[i]);
    different += before[0].data()[i] != other[0].data()[i];
  }
  EXPECT_GT(different, 60) << "the control: other data";
}

}  // namespace
}  // namespace hone
