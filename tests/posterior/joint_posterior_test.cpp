// Projections of a joint posterior that several networks estimate.
#include "hone/posterior/joint_posterior.h"

#include <cmath>

#include <gtest/gtest.h>

#include "inference/support.h"

namespace hone {
namespace {

// Two networks of two parameters: normal densities around 0.3 and around 0.7 in local coordinates,
// the second with a constant of its own. The data say nothing.
class TwoOpinions final : public AmortizedPosterior {
 public:
  TwoOpinions(double constant, bool normalized)
      : AmortizedPosterior(TruncatedPrior(test::uniform_prior(2), Region::whole(2)), {{0, 1}}, 2,
                           {0.5, 0.5}),
        constant_(constant),
        normalized_(normalized) {}

  std::string estimator() const override { return "opinions"; }
  bool normalized() const override { return normalized_; }
  Index data_size() const override { return 1; }
  using AmortizedPosterior::features;
  Matrix<float> features(MatrixView<const float> x) const override {
    return Matrix<float>(x.rows(), 1);
  }
  Matrix<float> log_densities(Index, const Matrix<float>&,
                              MatrixView<const float> local) const override {
    Matrix<float> out(2, local.rows());
    for (int e = 0; e < 2; ++e) {
      const auto log = test::gaussian({e == 0 ? 0.3 : 0.7, 0.5}, 0.05);
      for (Index i = 0; i < local.rows(); ++i) {
        const std::vector<double> at{double(local(i, 0)), double(local(i, 1))};
        out(e, i) = float(log(at) + e * constant_);
      }
    }
    return out;
  }
  std::vector<Matrix<float>> log_density_blocks(Index, MatrixView<const float>,
                                                MatrixView<const float>) const override {
    return {};
  }
  std::vector<NamedArray> to_arrays() const override { return {}; }

 private:
  double constant_;
  bool normalized_;
};

// Part of the joint samples that lies near the second network's mode.
double part_of_second(double constant, bool normalized, Index rows) {
  const JointPosterior posterior(std::make_shared<const TwoOpinions>(constant, normalized),
                                 {{0}, {1}});
  const auto samples = posterior.joint_samples(std::vector{0.0}, rows, Rng(1)).value();
  double count = 0;
  for (Index i = 0; i < rows; ++i) count += samples(i, 0) > 0.5;
  return count / double(rows);
}

// Half of the weight is each network's, whatever its constant: the draw of a network is a fair
// coin.
TEST(JointPosterior, AveragesNetworksWhoseConstantsDiffer) {
  constexpr Index kRows = 4000;
  const double error = 0.5 / std::sqrt(double(kRows));
  EXPECT_NEAR(part_of_second(0, false, kRows), 0.5, 4 * error);
  EXPECT_NEAR(part_of_second(30, false, kRows), 0.5, 4 * error);
  EXPECT_NEAR(part_of_second(-30, false, kRows), 0.5, 4 * error);
  // The control: taken for normalised, the louder one leaves nothing to sample of the other.
  EXPECT_GT(std::abs(part_of_second(30, true, kRows) - 0.5), 8 * error);
}

}  // namespace
}  // namespace hone
