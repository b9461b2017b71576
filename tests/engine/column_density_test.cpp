// Densities of one variable in an interval, mixtures and splines, and networks that say them.
#include "hone/engine/column_density.h"

#include <cmath>
#include <numbers>
#include <numeric>

#include <gtest/gtest.h>

#include "engine/gradient_check.h"
#include "hone/engine/network.h"

namespace hone {
namespace {

using test::gradient_error, test::kGradientTolerance, test::kWrongGradient, test::positions;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<double> some_outputs(Index components, Rng rng) {
  std::vector<double> outputs(std::size_t(3 * components));
  for (double& value : outputs) value = 0.5 * rng.normal();
  return outputs;
}

// Trapezoids of exp(log p) over a wide range.
double integral(const std::vector<double>& outputs, const DensityShape& shape) {
  constexpr Index kPoints = 40001;
  const double low = std::max(shape.lower, -40.0), high = std::min(shape.upper, 40.0);
  std::vector<double> y(kPoints), log(kPoints);
  for (Index i = 0; i < kPoints; ++i)
    y[std::size_t(i)] = low + (high - low) * double(i) / (kPoints - 1);
  log_densities(log.data(), outputs.data(), y.data(), kPoints, shape);
  double sum = 0;
  for (Index i = 0; i < kPoints; ++i) {
    sum += std::exp(log[std::size_t(i)]) * (i == 0 || i == kPoints - 1 ? 0.5 : 1);
  }
  return sum * (high - low) / (kPoints - 1);
}

class ColumnDensity : public testing::TestWithParam<DensityForm> {
 protected:
  static DensityShape shape(Index components, double lower = -kInfinity, double upper = kInfinity) {
    return {GetParam(), components, 3 * components, lower, upper};
  }
  // Where a mixture has its first mean, and a spline its only one.
  static std::size_t first_mean(Index components) {
    return GetParam() == DensityForm::mixture ? std::size_t(components) : 0;
  }
};

TEST_P(ColumnDensity, HasUnitMassInItsIntervalWhereverItsMeansAre) {
  for (int i = 0; i < 20; ++i) {
    std::vector<double> outputs = some_outputs(4, Rng(3).child("case", std::uint64_t(i)));
    EXPECT_NEAR(integral(outputs, shape(4)), 1, 1e-5);
    EXPECT_NEAR(integral(outputs, shape(4, -1, 0.5)), 1, 1e-6);
    EXPECT_NEAR(integral(outputs, shape(4, 0.3)), 1, 1e-4);
    outputs[first_mean(4)] = -35;  // far outside
    EXPECT_NEAR(integral(outputs, shape(4, -1, 0.5)), 1, 2e-4);
  }
}

TEST(Mixture, OfOneWideOutputIsTheNormalDensity) {
  const double r = std::log(2.0);  // far above the narrowest scale, log s = r
  const std::vector<double> outputs{0.7, 1.5, r};
  const double y = 0.25;
  double log = 0;
  log_density(&log, outputs.data(), &y, 1, {.components = 1, .stride = 3});
  const double t = (y - 1.5) / 2;
  EXPECT_NEAR(log, -0.5 * t * t - std::log(2 * std::sqrt(2 * std::numbers::pi)), 1e-3);
}

// With zeros for its knots it bends nothing; with others the mass between two points moves as the
// heights and widths of the bins say: half of it below the middle knot, wherever that lies.
TEST(Spline, BendsTheDistributionOfItsGaussian) {
  const DensityShape shape{.form = DensityForm::spline, .components = 3, .stride = 9};
  std::vector<double> outputs{1.5, std::log(2.0), 0, 0, 0, 0, 0, 0, 0};
  const double y = 0.25, t = (y - 1.5) / 2;
  double log = 0;
  log_density(&log, outputs.data(), &y, 1, shape);
  EXPECT_NEAR(log, -0.5 * t * t - std::log(2 * std::sqrt(2 * std::numbers::pi)), 1e-3);

  outputs[2] = std::log(3.0);  // widths 3 : 1, heights 1 : 1
  const double half = 0.5;
  double middle = 0;
  density_draws(&middle, outputs.data(), &half, 1, shape);
  const double quarter = 0.67448975;  // Phi(0.6745) = 0.75
  EXPECT_NEAR(middle, 1.5 + 2 * quarter, 0.01);
  EXPECT_GT(std::abs(middle - 1.5), 1) << "the control: the median of the Gaussian";
}

TEST_P(ColumnDensity, DrawsFollowIt) {
  const DensityShape shape = this->shape(3, -1, 2);
  const std::vector<double> one = some_outputs(3, Rng(5));
  constexpr Index kRows = 20000;
  for (const double wider : {1.0, 2.0}) {
    std::vector<double> outputs, uniform, y(kRows), at;
    Rng rng(6);
    for (Index i = 0; i < kRows; ++i) {
      outputs.insert(outputs.end(), one.begin(), one.end());
      uniform.push_back(rng.uniform());
    }
    density_draws(y.data(), outputs.data(), uniform.data(), kRows, shape, wider);
    // Mass below -0.6 by the density and by the draws.
    double below = 0, mass = 0;
    for (const double value : y) below += value < -0.6;
    for (Index i = 0; i < kRows; ++i) at.push_back(-1 + 0.4 * (double(i) + 0.5) / kRows);
    std::vector<double> log(kRows);
    log_density(log.data(), outputs.data(), at.data(), kRows, shape, wider);
    for (const double value : log) mass += std::exp(value) * 0.4 / kRows;
    const double error = std::sqrt(mass * (1 - mass) / kRows);
    EXPECT_NEAR(below / kRows, mass, 4 * error) << wider;
    if (wider == 1) continue;
    // The control: not the density that is not wider.
    log_density(log.data(), outputs.data(), at.data(), kRows, shape);
    double narrow = 0;
    for (const double value : log) narrow += std::exp(value) * 0.4 / kRows;
    EXPECT_GT(std::abs(below / kRows - narrow), 4 * error);
  }
}

// A network with a density, as a function of its parameters or of x.
struct DensityCase {
  DensityForm form;
  Index theta_size;
  double lower, upper;
  static constexpr Index kRows = 70, kDataSize = 5, kComponents = 4;

  Network<double> network{
      {.options = {.hidden = 18, .activation = Activation::silu, .norm = Norm::none},
       .data_size = kDataSize,
       .theta_size = 3,
       .outputs = 3 * kComponents}};
  DensityShape shape{form, kComponents, network.layout().output_width, lower, upper};
  Workspace<double> workspace{network.layout(), 3, kRows, kRows, true};
  AlignedBuffer<double> parameters{std::size_t(network.layout().total)};
  AlignedBuffer<double> x{std::size_t(kRows * padded(kDataSize))};
  std::vector<double> theta = std::vector<double>(std::size_t(kRows * theta_size)),
                      y = std::vector<double>(kRows);

  void draw(Rng rng) {
    network.initialize(parameters.data(), theta_size, rng.child("weights"));
    for (const std::vector<Index>& block : groups()) {
      for (const Index at : block) parameters.data()[at] += 0.2 * rng.normal();
    }
    for (Index i = 0; i < kRows; ++i) {
      for (Index j = 0; j < kDataSize; ++j) x.data()[i * padded(kDataSize) + j] = rng.normal();
      y[std::size_t(i)] = std::clamp(rng.normal(), lower, upper);
    }
    for (double& value : theta) value = rng.normal();
  }
  // Without the rows of theta's weights that this case does not use.
  std::vector<std::vector<Index>> groups() const {
    std::vector<std::vector<Index>> result;
    const NetworkLayout& layout = network.layout();
    for (ParameterBlock block : layout.blocks) {
      if (block.offset == layout.weight_theta || block.offset == layout.skip_theta) {
        block.rows = theta_size;
      }
      if (block.rows > 0) result.push_back(positions(block));
    }
    return result;
  }
  NetworkBatch<double> batch(const double* data) const {
    return {data, padded(kDataSize), theta.data(), theta_size, kRows, 1};
  }
  double value(std::span<const double> at, const double* data) {
    AlignedBuffer<double> copy(at.size());
    std::ranges::copy(at, copy.data());
    network.forward(workspace, copy.data(), batch(data), 0);
    return density_loss(workspace.dlogits.data(), workspace.logits.data(), y.data(), kRows, shape);
  }
};

TEST_P(ColumnDensity, HasTheGradientsOfCentralDifferences) {
  for (const Index theta_size : {0, 1, 3}) {
    for (const auto& [lower, upper] :
         {std::pair{-kInfinity, kInfinity}, {-1.2, 0.9}, {-0.5, kInfinity}}) {
      DensityCase c{.form = GetParam(), .theta_size = theta_size, .lower = lower, .upper = upper};
      const Rng rng = Rng(7).child("case", std::uint64_t(theta_size));
      c.draw(rng);
      AlignedBuffer<double> dx(c.x.size());
      c.value(c.parameters.span(), c.x.data());
      std::ranges::fill(c.workspace.gradient.span(), 0.0);
      c.network.backward(c.workspace, c.parameters.data(), c.batch(c.x.data()), dx.data());
      std::vector<double> gradient(c.workspace.gradient.data(),
                                   c.workspace.gradient.data() + c.network.layout().trained);
      const auto loss = [&](std::span<const double> at) { return c.value(at, c.x.data()); };
      const auto groups = c.groups();
      EXPECT_LT(gradient_error(loss, c.parameters.span(), gradient, groups, rng.child("check")),
                kGradientTolerance)
          << theta_size << " " << lower;
      const std::vector<std::vector<Index>> all{positions(
          {"x", DensityCase::kRows, DensityCase::kDataSize, 0, padded(DensityCase::kDataSize)})};
      const auto loss_of_x = [&](std::span<const double> at) {
        AlignedBuffer<double> data(at.size());
        std::ranges::copy(at, data.data());
        return c.value(c.parameters.span(), data.data());
      };
      EXPECT_LT(gradient_error(loss_of_x, c.x.span(), dx.span(), all, rng.child("check x")),
                kGradientTolerance);
      // The control: a gradient without the skip's part of x, or of another bias, is wrong.
      gradient[std::size_t(c.network.layout().units.back().bias)] += 0.1;
      EXPECT_GT(gradient_error(loss, c.parameters.span(), gradient, groups, rng.child("check")),
                kWrongGradient);
    }
  }
}

// With a factor of its own for every row, as a loss needs it that ties several densities together.
TEST_P(ColumnDensity, GoesBackWithTheFactorOfEachRow) {
  constexpr Index kRows = 6;
  const DensityShape shape = this->shape(4, -1, 2);
  std::vector<double> outputs, y, factors;
  Rng rng(9);
  for (Index i = 0; i < kRows; ++i) {
    const std::vector<double> row = some_outputs(4, rng.child("row", std::uint64_t(i)));
    outputs.insert(outputs.end(), row.begin(), row.end());
    y.push_back(-1 + 3 * rng.uniform());
    factors.push_back(rng.normal());
  }
  std::vector<double> gradient(outputs.size());
  density_backward(gradient.data(), factors.data(), outputs.data(), y.data(), kRows, shape);
  const auto sum = [&](std::span<const double> at) {
    std::vector<double> log(kRows);
    log_density(log.data(), at.data(), y.data(), kRows, shape);
    return std::inner_product(log.begin(), log.end(), factors.begin(), 0.0);
  };
  std::vector<std::vector<Index>> rows(kRows);
  for (Index i = 0; i < std::ssize(outputs); ++i) rows[std::size_t(i / 12)].push_back(i);
  EXPECT_LT(gradient_error(sum, outputs, gradient, rows, rng.child("check")), kGradientTolerance);
  gradient[0] *= 1.1;
  gradient[first_mean(4)] *= 1.1;
  EXPECT_GT(gradient_error(sum, outputs, gradient, rows, rng.child("check")), kWrongGradient);
}

INSTANTIATE_TEST_SUITE_P(Forms, ColumnDensity,
                         testing::Values(DensityForm::mixture, DensityForm::spline),
                         [](const auto& form) {
                           return form.param == DensityForm::mixture ? "mixture" : "spline";
                         });

}  // namespace
}  // namespace hone
