// Gradients of every kind of embedding against central differences in double precision.
#include <gtest/gtest.h>

#include "engine/gradient_check.h"
#include "hone/engine/embedding.h"

namespace hone {
namespace {

using test::gradient_error;
using test::kGradientTolerance;
using test::kWrongGradient;
using test::positions;

constexpr Index kRows = 37, kDataSize = 61;

// L = sum_ij c_ij F_ij + F_ij^2 / 2 over the features F: its gradient is c + F.
struct Case {
  Embedding<double> embedding;
  EmbeddingWorkspace<double> workspace = embedding.make_workspace(kRows, true);
  AlignedBuffer<double> parameters{std::size_t(embedding.parameters())};
  AlignedBuffer<double> x{std::size_t(kRows * padded(kDataSize))};
  AlignedBuffer<double> slopes{std::size_t(kRows * embedding.feature_stride())};

  Case(const EmbeddingOptions& options, GemmBackend backend, Rng rng)
      : embedding(kDataSize, options, backend) {
    embedding.initialize(parameters.data(), rng.child("weights"));
    for (Index i = 0; i < kRows; ++i) {
      for (Index j = 0; j < kDataSize; ++j) x.data()[i * padded(kDataSize) + j] = rng.normal();
      for (Index j = 0; j < options.features; ++j) {
        slopes.data()[i * embedding.feature_stride() + j] = rng.normal();
      }
    }
  }
  double value(std::span<const double> at) {
    AlignedBuffer<double> copy(at.size());
    std::ranges::copy(at, copy.data());
    const double* f = embedding.forward(workspace, copy.data(), x.data(), padded(kDataSize), kRows);
    double sum = 0;
    for (std::size_t i = 0; i < slopes.size(); ++i) {
      sum += slopes.data()[i] * f[i] + f[i] * f[i] / 2;
    }
    return sum;
  }
  std::vector<double> gradient() {
    const double* f =
        embedding.forward(workspace, parameters.data(), x.data(), padded(kDataSize), kRows);
    AlignedBuffer<double> d(slopes.size());
    for (std::size_t i = 0; i < d.size(); ++i) d.data()[i] = slopes.data()[i] + f[i];
    embedding.backward(workspace, parameters.data(), d.data(), x.data(), padded(kDataSize), kRows);
    return {workspace.gradient.span().begin(), workspace.gradient.span().end()};
  }
  double error(std::span<const double> gradient) {
    std::vector<std::vector<Index>> groups;
    for (const ParameterBlock& block : embedding.blocks()) groups.push_back(positions(block));
    return gradient_error([this](std::span<const double> at) { return value(at); },
                          parameters.span(), gradient, groups, Rng(17));
  }
};

std::vector<EmbeddingOptions> every_kind() {
  std::vector<EmbeddingOptions> kinds;
  for (const Activation activation : {Activation::relu, Activation::silu}) {
    kinds.push_back(
        {.kind = EmbeddingKind::linear, .features = 7, .hidden = {}, .activation = activation});
    kinds.push_back(
        {.kind = EmbeddingKind::mlp, .features = 7, .hidden = {20, 13}, .activation = activation});
    kinds.push_back({.kind = EmbeddingKind::convolution,
                     .features = 7,
                     .hidden = {5, 18},
                     .kernel = 5,
                     .stride = 2,
                     .activation = activation});
  }
  return kinds;
}

TEST(EmbeddingGradient, AgreesWithCentralDifferencesForEveryKindAndBothBackends) {
  for (const GemmBackend backend : {best_gemm_backend(), GemmBackend::eigen}) {
    for (const EmbeddingOptions& options : every_kind()) {
      Case c(options, backend, Rng(23));
      EXPECT_LT(c.error(c.gradient()), kGradientTolerance) << int(options.kind);
    }
  }
}

TEST(EmbeddingGradient, CheckFailsWhenOneTermIsDropped) {
  for (const EmbeddingOptions& options : every_kind()) {
    Case c(options, best_gemm_backend(), Rng(23));
    std::vector<double> gradient = c.gradient();
    for (const Index at : positions(c.embedding.blocks().front())) gradient[std::size_t(at)] = 0;
    EXPECT_GT(c.error(gradient), kWrongGradient);
  }
}

TEST(EmbeddingGradient, IsZeroInPadding) {
  for (const EmbeddingOptions& options : every_kind()) {
    Case c(options, best_gemm_backend(), Rng(23));
    std::vector<double> gradient = c.gradient();
    for (const ParameterBlock& block : c.embedding.blocks()) {
      for (const Index at : positions(block)) gradient[std::size_t(at)] = 0;
    }
    EXPECT_TRUE(std::ranges::all_of(gradient, [](double value) { return value == 0; }));
  }
}

// The plain definition: position t of a filter sees values t * stride .. t * stride + kernel - 1.
TEST(Embedding, ConvolutionEqualsItsDefinition) {
  const EmbeddingOptions options{
      .kind = EmbeddingKind::convolution, .features = 3, .hidden = {4}, .kernel = 5, .stride = 2};
  Case c(options, best_gemm_backend(), Rng(29));
  const double* features =
      c.embedding.forward(c.workspace, c.parameters.data(), c.x.data(), padded(kDataSize), kRows);
  const auto& blocks = c.embedding.blocks();
  const auto weight = [&](std::size_t block, Index row, Index col) {
    const ParameterBlock& b = blocks[block];
    return c.parameters.data()[b.offset + row * b.stride + col];
  };
  const Index length = (kDataSize - 5) / 2 + 1;
  for (Index i = 0; i < kRows; i += 6) {
    const double* row = c.x.data() + i * padded(kDataSize);
    for (Index f = 0; f < 3; ++f) {
      double feature = weight(3, 0, f);
      for (Index t = 0; t < length; ++t) {
        for (Index channel = 0; channel < 4; ++channel) {
          double z = weight(1, 0, channel);
          for (Index k = 0; k < 5; ++k) z += row[2 * t + k] * weight(0, k, channel);
          feature += std::max(z, 0.0) * weight(2, t * padded(4) + channel, f);
        }
      }
      EXPECT_NEAR(features[i * c.embedding.feature_stride() + f], feature, 1e-12);
    }
  }
}

}  // namespace
}  // namespace hone
