// Gradients of networks and losses against central differences in double precision.
#include <tuple>

#include <gtest/gtest.h>

#include "engine/gradient_check.h"
#include "hone/engine/loss.h"
#include "hone/engine/network.h"

namespace hone {
namespace {

using test::gradient_error;
using test::kGradientTolerance;
using test::kWrongGradient;
using test::positions;

constexpr Index kRows = 70;  // more than one block of rows, and not whole blocks
constexpr Index kDataSize = 5;
constexpr int kHidden = 18;  // not a multiple of kLane
constexpr std::uint64_t kDropoutKey = 12345;

// A network with a loss, as a function of its parameters or of x.
struct Case {
  NetworkOptions options;
  LossOptions loss;
  Index theta_size = 1, candidates = 2;

  Network<double> network{{.options = options, .data_size = kDataSize, .theta_size = 3}};
  Workspace<double> workspace{network.layout(), 3, kRows* candidates, kRows, true};
  AlignedBuffer<double> parameters{std::size_t(network.layout().total)};
  AlignedBuffer<double> x{std::size_t(kRows * padded(kDataSize))};
  AlignedBuffer<double> theta{std::size_t(kRows * candidates * theta_size)};

  void draw(Rng rng) {
    network.initialize(parameters.data(), theta_size, rng.child("weights"));
    // Away from the special values of the start: identity norms, blocks near zero.
    for (const ParameterBlock& block : network.layout().blocks) {
      if (block.offset >= network.layout().trained) break;
      const bool theta_weights = block.offset == network.layout().weight_theta;
      for (const Index at : positions(block)) {
        const bool unused = theta_weights && at >= block.offset + theta_size * block.stride;
        if (!unused) parameters.data()[at] += 0.2 * rng.normal();
      }
    }
    for (Index i = 0; i < kRows; ++i) {
      for (Index j = 0; j < kDataSize; ++j) x.data()[i * padded(kDataSize) + j] = rng.normal();
    }
    for (double& value : theta.span()) value = rng.normal();
  }

  NetworkBatch<double> batch(const double* data) const {
    return {data, padded(kDataSize), theta.data(), theta_size, kRows, candidates};
  }
  double value(std::span<const double> at, const double* data) {
    AlignedBuffer<double> copy(at.size());
    std::ranges::copy(at, copy.data());
    network.forward(workspace, copy.data(), batch(data), kDropoutKey);
    return ratio_loss(workspace.dlogits.data(), workspace.logits.data(), kRows, candidates, loss);
  }
  // Gradient of the parameters in workspace.gradient; returns that of x.
  AlignedBuffer<double> gradient() {
    AlignedBuffer<double> dx(x.size());
    value(parameters.span(), x.data());
    std::ranges::fill(workspace.gradient.span(), 0.0);
    network.backward(workspace, parameters.data(), batch(x.data()), dx.data());
    return dx;
  }
  std::vector<std::vector<Index>> groups() const {
    std::vector<std::vector<Index>> result;
    for (const ParameterBlock& block : network.layout().blocks) {
      if (block.offset < network.layout().trained) result.push_back(positions(block));
    }
    return result;
  }
  double parameter_error(std::span<const double> gradient, Rng rng) {
    std::vector<double> full(parameters.size(), 0.0);
    std::ranges::copy(gradient, full.begin());
    return gradient_error([&](std::span<const double> at) { return value(at, x.data()); },
                          parameters.span(), full, groups(), rng);
  }
  double data_error(std::span<const double> dx, Rng rng) {
    const std::vector<std::vector<Index>> all{
        positions({"x", kRows, kDataSize, 0, padded(kDataSize)})};
    return gradient_error(
        [&](std::span<const double> at) {
          AlignedBuffer<double> data(at.size());
          std::ranges::copy(at, data.data());
          return value(parameters.span(), data.data());
        },
        x.span(), dx, all, rng);
  }
};

class NetworkGradient
    : public testing::TestWithParam<std::tuple<NetworkKind, Norm, Activation, double>> {};

TEST_P(NetworkGradient, AgreesWithCentralDifferences) {
  const auto [kind, norm, activation, dropout] = GetParam();
  for (const Index theta_size : {1, 2, 3}) {
    for (const Index candidates : {2, 4}) {
      Case c{.options = {.kind = kind,
                         .hidden = kHidden,
                         .depth = 3,
                         .activation = activation,
                         .norm = norm,
                         .dropout = dropout},
             .loss = {.kind = LossKind::nre_c, .gamma = 0.7, .balance = 2},
             .theta_size = theta_size,
             .candidates = candidates};
      const Rng rng = Rng(7).child("case", std::uint64_t(theta_size * 10 + candidates));
      c.draw(rng);
      const AlignedBuffer<double> dx = c.gradient();
      const std::vector<double> gradient(c.workspace.gradient.data(),
                                         c.workspace.gradient.data() + c.network.layout().trained);
      EXPECT_LT(c.parameter_error(gradient, rng.child("check")), kGradientTolerance)
          << "theta_size " << theta_size << " candidates " << candidates;
      EXPECT_LT(c.data_error(dx.span(), rng.child("check x")), kGradientTolerance);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, NetworkGradient,
                         testing::Combine(testing::Values(NetworkKind::resnet, NetworkKind::mlp),
                                          testing::Values(Norm::none, Norm::batch, Norm::layer),
                                          testing::Values(Activation::identity, Activation::relu,
                                                          Activation::silu),
                                          testing::Values(0.0, 0.3)));

TEST(NetworkGradientCheck, FailsForAGradientWithOneFlippedSignOrOneMissingTerm) {
  Case c{.options = {.hidden = kHidden, .depth = 2, .activation = Activation::silu}, .loss = {}};
  c.draw(Rng(3));
  c.gradient();
  const std::vector<double> right(c.workspace.gradient.data(),
                                  c.workspace.gradient.data() + c.network.layout().trained);
  ASSERT_LT(c.parameter_error(right, Rng(5)), kGradientTolerance);
  for (const ParameterBlock& block : c.network.layout().blocks) {
    if (block.offset >= c.network.layout().trained) break;
    // Batch norm removes whatever a bias adds, so these gradients are zero and have no sign.
    if (block.name.ends_with("bias") && block.name != "output.bias") continue;
    std::vector<double> flipped = right, dropped = right;
    for (const Index at : positions(block)) {
      flipped[std::size_t(at)] *= -1;
      dropped[std::size_t(at)] = 0;
    }
    EXPECT_GT(c.parameter_error(flipped, Rng(5)), kWrongGradient) << block.name;
    EXPECT_GT(c.parameter_error(dropped, Rng(5)), kWrongGradient) << block.name;
  }
}

TEST(NetworkGradient, IsZeroInPaddingAndForThetaColumnsThatAMemberDoesNotHave) {
  Case c{.options = {.hidden = kHidden}, .loss = {}, .theta_size = 2};
  c.draw(Rng(4));
  c.gradient();
  std::vector<char> real(std::size_t(c.network.layout().trained), 0);
  for (ParameterBlock block : c.network.layout().blocks) {
    if (block.offset >= c.network.layout().trained) break;
    if (block.name == "input.weight_theta") block.rows = 2;
    for (const Index at : positions(block)) real[std::size_t(at)] = 1;
  }
  for (std::size_t i = 0; i < real.size(); ++i) {
    if (real[i] == 0) {
      EXPECT_EQ(c.workspace.gradient.data()[i], 0.0) << i;
    }
  }
}

TEST(LossGradient, AgreesWithCentralDifferencesForEveryLoss) {
  constexpr Index kLossRows = 9;
  for (const LossKind kind : {LossKind::nre_a, LossKind::nre_b, LossKind::nre_c}) {
    for (const double balance : {0.0, 3.0}) {
      for (const Index candidates : {2, 4, 7}) {
        const LossOptions options{.kind = kind, .gamma = 1.7, .balance = balance};
        std::vector<double> logits(std::size_t(kLossRows * candidates)), gradient(logits.size());
        Rng rng(11);
        for (double& value : logits) value = 3 * rng.normal();
        ratio_loss(gradient.data(), logits.data(), kLossRows, candidates, options);
        const auto loss = [&](std::span<const double> at) {
          return ratio_loss<double>(nullptr, at.data(), kLossRows, candidates, options);
        };
        const std::vector<std::vector<Index>> all{
            positions({"logits", 1, kLossRows * candidates, 0, 0})};
        EXPECT_LT(gradient_error(loss, logits, gradient, all, rng), kGradientTolerance);
        gradient[3] *= -1;
        EXPECT_GT(gradient_error(loss, logits, gradient, all, rng), kWrongGradient);
      }
    }
  }
}

TEST(NetworkWithoutData, IsTheOneWhoseDataAreZero) {
  const NetworkOptions options{.kind = NetworkKind::mlp, .hidden = 10, .norm = Norm::none};
  const Network<double> with({.options = options, .data_size = 1, .theta_size = 2});
  const Network<double> without({.options = options, .data_size = 0, .theta_size = 2});
  const Index offset = with.layout().weight_theta - with.layout().weight_x;
  ASSERT_EQ(with.layout().total, without.layout().total + offset);

  AlignedBuffer<double> parameters(std::size_t(with.layout().total));
  AlignedBuffer<double> x(std::size_t(kRows * padded(1))), theta(std::size_t(kRows * 2));
  Rng rng(3);
  with.initialize(parameters.data(), 2, rng.child("weights"));
  for (double& value : theta.span()) value = rng.normal();
  Workspace<double> w_with(with.layout(), 2, kRows, kRows, true);
  Workspace<double> w_without(without.layout(), 2, kRows, kRows, true);
  const NetworkBatch<double> batch{x.data(), padded(1), theta.data(), 2, kRows, 1};
  const NetworkBatch<double> theta_alone{nullptr, 0, theta.data(), 2, kRows, 1};
  double* shared = parameters.data() + offset;

  with.forward(w_with, parameters.data(), batch, 0);
  without.forward(w_without, shared, theta_alone, 0);
  for (Index i = 0; i < kRows; ++i) {
    ASSERT_EQ(w_with.logits.data()[i], w_without.logits.data()[i]);
    w_with.dlogits.data()[i] = w_without.dlogits.data()[i] = rng.normal();
  }
  with.backward(w_with, parameters.data(), batch, nullptr);
  without.backward(w_without, shared, theta_alone, nullptr);
  for (Index i = 0; i < without.layout().trained; ++i) {
    ASSERT_EQ(w_with.gradient.data()[offset + i], w_without.gradient.data()[i]) << i;
  }
  std::vector<double> evaluated(std::size_t{kRows});
  without.evaluate(w_without, evaluated.data(), theta.data(), 2, nullptr, 0, kRows, shared);
  for (Index i = 0; i < kRows; ++i) {
    EXPECT_NEAR(evaluated[std::size_t(i)], w_with.logits.data()[i], 1e-12);
  }
}

}  // namespace
}  // namespace hone
