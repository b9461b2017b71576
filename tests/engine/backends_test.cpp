// One training step gives the same numbers with either matrix product and any instruction set.
#include <gtest/gtest.h>

#include "hone/engine/loss.h"
#include "hone/engine/network.h"
#include "hone/engine/optimizer.h"

namespace hone {
namespace {

constexpr Index kRows = 100, kDataSize = 9, kThetaSize = 2, kCandidates = 3;

// Parameters after two steps from a fixed start.
template <typename T>
std::vector<T> two_steps(const NetworkOptions& options, GemmBackend backend, InstructionSet set) {
  const Network<T> network({options, kDataSize, kThetaSize}, backend, kernels<T>(set));
  const Index total = network.layout().total;
  AlignedBuffer<T> parameters{std::size_t(total)}, x{std::size_t(kRows * padded(kDataSize))},
      theta{std::size_t(kRows * kCandidates * kThetaSize)};
  network.initialize(parameters.data(), kThetaSize, Rng(1));
  Rng rng(2);
  for (Index i = 0; i < kRows; ++i) {
    for (Index j = 0; j < kDataSize; ++j) x.data()[i * padded(kDataSize) + j] = T(rng.normal());
  }
  for (T& value : theta.span()) value = T(rng.normal());
  Workspace<T> w(network.layout(), kThetaSize, kRows * kCandidates, kRows, true);
  // A large epsilon: steps follow the gradient's size instead of its sign.
  Optimizer<T> optimizer(network.layout().trained, {.epsilon = 0.1}, kernels<T>(set));
  const NetworkBatch<T> batch{x.data(), padded(kDataSize), theta.data(), kThetaSize,
                              kRows,    kCandidates};
  for (int step = 0; step < 2; ++step) {
    network.forward(w, parameters.data(), batch, 7);
    ratio_loss(w.dlogits.data(), w.logits.data(), kRows, kCandidates,
               {.kind = LossKind::nre_c, .negatives = 2});
    std::ranges::fill(w.gradient.span(), T(0));
    network.backward(w, parameters.data(), batch, nullptr);
    optimizer.step(parameters.data(), w.gradient.data(), 0.1);
  }
  return {parameters.data(), parameters.data() + total};
}

template <typename T>
void expect_agreement(double tolerance) {
  const NetworkOptions shapes[] = {{.hidden = 40, .depth = 2, .dropout = 0.2},
                                   {.kind = NetworkKind::mlp,
                                    .hidden = 33,
                                    .depth = 2,
                                    .activation = Activation::silu,
                                    .norm = Norm::layer}};
  for (const NetworkOptions& options : shapes) {
    const std::vector<T> expected =
        two_steps<T>(options, GemmBackend::eigen, InstructionSet::baseline);
    for (const InstructionSet set : supported_instruction_sets()) {
      for (const GemmBackend backend : {GemmBackend::eigen, best_gemm_backend()}) {
        const std::vector<T> actual = two_steps<T>(options, backend, set);
        double worst = 0;
        for (std::size_t i = 0; i < actual.size(); ++i) {
          worst = std::max(worst, std::abs(double(actual[i]) - double(expected[i])));
        }
        EXPECT_LT(worst, tolerance) << to_string(set) << ", backend " << int(backend);
      }
    }
  }
}

TEST(TrainingSteps, AgreeBetweenMatrixProductsAndInstructionSets) {
  expect_agreement<float>(1e-5);
  expect_agreement<double>(1e-12);
}

}  // namespace
}  // namespace hone
