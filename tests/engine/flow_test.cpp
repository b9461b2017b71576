// Densities of several columns as transforms one after the other.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "engine/allocation_counter.h"
#include "engine/gradient_check.h"
#include "hone/core/parallel.h"
#include "hone/engine/column_transform.h"
#include "hone/engine/cut_normal.h"
#include "hone/engine/density_trainer.h"
#include "hone/engine/flow_pass.h"
#include "hone/engine/flow_trainer.h"

namespace hone {
namespace {

using test::gradient_error, test::kGradientTolerance, test::kWrongGradient, test::positions;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class Transform : public testing::TestWithParam<DensityForm> {};

// By its own density: dz / dy = p(y) / phi(z), between ends and without.
TEST_P(Transform, TakesItsDensityToAStandardNormalOne) {
  for (const auto& [lower, upper] : {std::pair{-kInfinity, kInfinity}, {-1.0, 0.8}}) {
    for (const Index components : {2, 4}) {
      const DensityShape shape{GetParam(), components, 3 * components, lower, upper};
      std::vector<double> outputs(std::size_t(3 * components));
      Rng rng = Rng(3).child("case", std::uint64_t(components));
      for (double& value : outputs) value = 0.5 * rng.normal();
      const auto score = [&](double y) {
        double z = 0, log = 0;
        transform_forward(&z, &log, outputs.data(), &y, 1, 1, shape);
        return std::pair{z, log};
      };
      for (const double y : {-0.9, -0.3, 0.2, 0.7}) {
        const auto [z, log] = score(y);
        constexpr double kStep = 1e-5;
        const double slope = (score(y + kStep).first - score(y - kStep).first) / (2 * kStep);
        EXPECT_NEAR(std::log(slope), log, 1e-5) << y;
        double back = 0;
        transform_inverse(&back, outputs.data(), &z, 1, 1, shape);
        EXPECT_NEAR(back, y, 1e-7) << y;
      }
    }
  }
}

// A flow in double precision, as a function of its parameters and of the context.
struct FlowCase {
  DensityForm form;
  Index columns, transforms;
  static constexpr Index kRows = 40, kData = 5, kComponents = 3, kHidden = 12;

  Network<double> network{{.options = {.hidden = kHidden,
                                       .depth = 1,
                                       .activation = Activation::silu,
                                       .norm = Norm::none},
                           .data_size = kData,
                           .theta_size = columns,
                           .outputs = columns * 3 * kComponents}};
  AlignedBuffer<double> mask =
      flow_mask<double>(network.layout(), kHidden, columns, 3 * kComponents);
  Workspace<double> workspace{network.layout(), columns, kRows, kRows, true};
  FlowPass<double> pass{make_transforms(), kRows};
  AlignedBuffer<double> x{std::size_t(kRows * padded(kData))};
  std::vector<double> y = std::vector<double>(std::size_t(kRows * columns));
  std::vector<double> factors = std::vector<double>(kRows);
  // (transforms, layout.total)
  std::vector<double> parameters =
      std::vector<double>(std::size_t(transforms * network.layout().total));

  std::vector<FlowTransform<double>> make_transforms() {
    std::vector<FlowTransform<double>> result;
    for (Index t = 0; t < transforms; ++t) {
      if (t > 0) workspace.others.emplace_back(network.layout(), columns, kRows, kRows, true);
      FlowTransform<double> one{&network, {}, {}};
      for (Index i = 0; i < columns; ++i) {
        one.shapes.push_back(
            {.form = form, .components = kComponents, .stride = network.layout().output_width});
        // The first column of the table has ends.
        if (t == 0 && i == 0) one.shapes.back().lower = -1.5;
        if (t == 0 && i == 0) one.shapes.back().upper = 1.5;
        one.source.push_back(t == 0 ? i : columns - 1 - i);
      }
      result.push_back(std::move(one));
    }
    return result;
  }
  // Weights with which no score lies in the tails, where rounding spoils differences.
  void draw(Rng rng) {
    for (Index t = 0; t < transforms; ++t) {
      double* p = parameters.data() + t * network.layout().total;
      network.initialize(p, columns, rng.child("weights", std::uint64_t(t)));
      for (const std::vector<Index>& block : blocks(0)) {
        for (const Index at : block) p[at] += 0.06 * rng.normal();
      }
      for (std::size_t i = 0; i < mask.size(); ++i) p[i] *= mask.data()[i];
    }
    for (Index i = 0; i < kRows; ++i) {
      for (Index j = 0; j < kData; ++j) x.data()[i * padded(kData) + j] = rng.normal();
      for (Index j = 0; j < columns; ++j) {
        y[std::size_t(i * columns + j)] = j == 0 ? -1.4 + 2.8 * rng.uniform() : rng.normal();
      }
      factors[std::size_t(i)] = rng.normal();
    }
  }
  // Free parameters of transform t, block by block.
  std::vector<std::vector<Index>> blocks(Index t) const {
    std::vector<std::vector<Index>> result;
    for (const ParameterBlock& block : network.layout().blocks) {
      std::vector<Index> free;
      for (const Index at : positions(block)) {
        if (mask.data()[at] != 0) free.push_back(t * network.layout().total + at);
      }
      if (!free.empty()) result.push_back(std::move(free));
    }
    return result;
  }
  std::vector<double*> pointers(std::vector<AlignedBuffer<double>>& copies,
                                std::span<const double> at) const {
    std::vector<double*> result;
    const Index total = network.layout().total;
    for (Index t = 0; t < transforms; ++t) {
      copies.emplace_back(std::size_t(total));
      std::copy_n(at.begin() + t * total, total, copies.back().data());
      result.push_back(copies.back().data());
    }
    return result;
  }
  // Sum of factor times log p(y) over the rows; goes back if it is given where to.
  double value(std::span<const double> at, const double* data, double* dcontext = nullptr,
               bool back = false) {
    std::vector<AlignedBuffer<double>> copies;
    const std::vector<double*> p = pointers(copies, at);
    const std::vector<std::uint64_t> keys(std::size_t(transforms), 0);
    std::ranges::copy(y, pass.inputs());
    const FlowContext<const double> context{data, padded(kData), kRows};
    pass.forward(workspace, p, keys, context);
    double sum = 0;
    for (Index i = 0; i < kRows; ++i) {
      sum += factors[std::size_t(i)] * pass.log_density()[std::size_t(i)];
    }
    if (!back) return sum;
    for (Index t = 0; t < transforms; ++t) std::ranges::fill(gradient(t).span(), 0.0);
    pass.backward(workspace, p, factors.data(), context, {dcontext, padded(kData), kRows});
    return sum;
  }
  AlignedBuffer<double>& gradient(Index t) {
    return t == 0 ? workspace.gradient : workspace.others[std::size_t(t - 1)].gradient;
  }
};

TEST_P(Transform, OfAFlowHaveTheGradientsOfCentralDifferences) {
  for (const Index columns : {1, 2, 3}) {
    FlowCase c{.form = GetParam(), .columns = columns, .transforms = 3};
    const Rng rng = Rng(7).child("case", std::uint64_t(columns));
    c.draw(rng);
    AlignedBuffer<double> dx(c.x.size());
    c.value(c.parameters, c.x.data(), dx.data(), true);
    const Index total = c.network.layout().total;
    std::vector<double> gradient(c.parameters.size(), 0.0);
    std::vector<std::vector<Index>> groups;
    for (Index t = 0; t < c.transforms; ++t) {
      const auto own = c.gradient(t).span();
      for (std::size_t i = 0; i < c.mask.size(); ++i) {
        gradient[std::size_t(t * total) + i] = own[i] * c.mask.data()[i];
      }
      for (std::vector<Index>& block : c.blocks(t)) groups.push_back(std::move(block));
    }
    const auto loss = [&](std::span<const double> at) { return c.value(at, c.x.data()); };
    EXPECT_LT(gradient_error(loss, c.parameters, gradient, groups, rng.child("check")),
              kGradientTolerance)
        << columns;
    const std::vector<std::vector<Index>> all{
        positions({"x", FlowCase::kRows, FlowCase::kData, 0, padded(FlowCase::kData)})};
    const auto loss_of_x = [&](std::span<const double> at) {
      AlignedBuffer<double> data(at.size());
      std::ranges::copy(at, data.data());
      return c.value(c.parameters, data.data());
    };
    EXPECT_LT(gradient_error(loss_of_x, c.x.span(), dx.span(), all, rng.child("check x")),
              kGradientTolerance)
        << columns;
    // The control: a gradient of the first transform that is 10 % off.
    for (Index i = 0; i < total; ++i) gradient[std::size_t(i)] *= 1.1;
    EXPECT_GT(gradient_error(loss, c.parameters, gradient, groups, rng.child("check")),
              kWrongGradient);
  }
}

// On a grid of both columns: what no network may see would add or lose mass.
TEST_P(Transform, OfAFlowKeepUnitMass) {
  FlowCase c{.form = GetParam(), .columns = 2, .transforms = 3};
  c.draw(Rng(5));
  const auto mass = [&] {
    std::vector<AlignedBuffer<double>> copies;
    const std::vector<double*> p = c.pointers(copies, c.parameters);
    // The first column by normal quantiles, for the density may rise to its ends.
    constexpr Index kFirst = 150, kSecond = 600;
    constexpr double kWide = 6.5, kFar = 15;
    double sum = 0;
    std::vector<double> slope(FlowCase::kRows);
    for (Index cell = 0; cell < kFirst * kSecond; cell += FlowCase::kRows) {
      for (Index r = 0; r < FlowCase::kRows; ++r) {
        const Index i = (cell + r) / kSecond, j = (cell + r) % kSecond;
        const double w = kWide * (2 * (double(i) + 0.5) / kFirst - 1);
        c.pass.inputs()[2 * r] = -1.5 + 3 * normal_probability(w);
        c.pass.inputs()[2 * r + 1] = kFar * (2 * (double(j) + 0.5) / kSecond - 1);
        slope[std::size_t(r)] = 3 * std::exp(-0.5 * w * w - kHalfLogTwoPi);
        std::copy_n(c.x.data(), padded(FlowCase::kData), c.x.data() + r * padded(FlowCase::kData));
      }
      c.pass.evaluate(c.workspace, p, {c.x.data(), padded(FlowCase::kData), FlowCase::kRows});
      for (Index r = 0; r < FlowCase::kRows; ++r) {
        sum += std::exp(c.pass.log_density()[std::size_t(r)]) * slope[std::size_t(r)];
      }
    }
    return sum * (2 * kWide / kFirst) * (2 * kFar / kSecond);
  };
  EXPECT_NEAR(mass(), 1, 2e-3);
  // The control: without the mask columns would depend on themselves.
  Rng rng(6);
  for (double& value : c.parameters) value += 0.2 * rng.normal();
  EXPECT_GT(std::abs(mass() - 1), 0.02);
}

INSTANTIATE_TEST_SUITE_P(Forms, Transform,
                         testing::Values(DensityForm::mixture, DensityForm::spline),
                         [](const auto& form) {
                           return form.param == DensityForm::mixture ? "mixture" : "spline";
                         });

}  // namespace
}  // namespace hone
