// Gradients of every kind of embedding against central differences in double precision.
#include <limits>

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
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

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
      for (Index j = 0; j < options.output_size(); ++j) {
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
    // Estimates and traits are not trained with the rest.
    for (const ParameterBlock& block : embedding.blocks()) {
      const bool trained = !block.name.starts_with("embedding.estimates") &&
                           !block.name.starts_with("embedding.traits");
      if (trained) groups.push_back(positions(block));
    }
    return gradient_error([this](std::span<const double> at) { return value(at); },
                          parameters.span(), gradient, groups, Rng(17));
  }
};

// 24 + 20 + 12 + 5 values.
EmbeddingOptions mixed_blocks(Activation activation, bool missing) {
  EmbeddingOptions options{.kind = EmbeddingKind::blocks, .hidden = {}};
  options.blocks = {{.kind = DataKind::image,
                     .shape = {6, 4},
                     .channels = {5, 18},
                     .kernel = 2,
                     .stride = 1,
                     .features = 7},
                    {.kind = DataKind::series,
                     .shape = {10, 2},
                     .channels = {6, 17},
                     .kernel = 3,
                     .stride = 2,
                     .features = 4},
                    {.kind = DataKind::set, .shape = {4, 3}, .channels = {20, 9}, .features = 3},
                    {.kind = DataKind::vector, .shape = {5}, .channels = {}, .features = 0}};
  for (EncoderOptions& block : options.blocks) {
    block.activation = activation;
    block.missing = missing;
  }
  return options;
}

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
    kinds.push_back(mixed_blocks(activation, false));
    kinds.push_back(mixed_blocks(activation, true));
    kinds.push_back(mixed_blocks(activation, false));
    kinds.back().estimates = 4;  // neither these nor traits are trained
    kinds.back().traits = true;
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

// The features of row 0 of a case, whose data may have been changed.
std::vector<double> features_of(Case& c) {
  const double* f =
      c.embedding.forward(c.workspace, c.parameters.data(), c.x.data(), padded(kDataSize), kRows);
  return {f, f + c.embedding.options().output_size()};
}

// Columns 44 .. 55 are the set: four elements of three values.
void swap_elements(Case& c, Index a, Index b) {
  for (Index v = 0; v < 3; ++v) std::swap(c.x.data()[44 + 3 * a + v], c.x.data()[44 + 3 * b + v]);
}

TEST(Encoder, OfASetDoesNotSeeTheOrderOfItsElements) {
  Case c(mixed_blocks(Activation::silu, false), best_gemm_backend(), Rng(31));
  const std::vector<double> before = features_of(c);
  swap_elements(c, 0, 3);
  swap_elements(c, 1, 2);
  const std::vector<double> after = features_of(c);
  for (std::size_t j = 0; j < before.size(); ++j) EXPECT_NEAR(after[j], before[j], 1e-12);
  std::swap(c.x.data()[24], c.x.data()[40]);  // a series has an order
  EXPECT_GT(std::abs(features_of(c)[7] - before[7]), 1e-6);
}

TEST(Encoder, LeavesOutElementsThatAreMissingAndCountsTheOthers) {
  Case c(mixed_blocks(Activation::silu, true), best_gemm_backend(), Rng(31));
  for (Index v = 0; v < 3; ++v) c.x.data()[44 + 3 * 2 + v] = kNaN;
  const std::vector<double> third_missing = features_of(c);
  swap_elements(c, 2, 3);
  const std::vector<double> fourth_missing = features_of(c);
  for (std::size_t j = 11; j < 14; ++j) {
    EXPECT_TRUE(std::isfinite(third_missing[j]));
    EXPECT_NEAR(third_missing[j], fourth_missing[j], 1e-12);
  }
  for (Index v = 0; v < 3; ++v) c.x.data()[44 + v] = kNaN;
  EXPECT_GT(std::abs(features_of(c)[11] - third_missing[11]), 1e-6);
}

TEST(Encoder, TakesAMissingValueForANumberOfItsOwn) {
  Case c(mixed_blocks(Activation::silu, true), best_gemm_backend(), Rng(31));
  c.x.data()[3] = 0;
  const std::vector<double> zero = features_of(c);
  c.x.data()[3] = kNaN;
  c.x.data()[57] = kNaN;
  const std::vector<double> missing = features_of(c);
  for (const double value : missing) EXPECT_TRUE(std::isfinite(value));
  EXPECT_GT(std::abs(missing[0] - zero[0]), 1e-6);  // the image knows
  const std::size_t vector = 14;                    // values, then what is there
  EXPECT_EQ(missing[vector + 1], 0);
  EXPECT_EQ(missing[vector + 5 + 1], 0);
  EXPECT_EQ(missing[vector + 5 + 2], 1);
}

// Position (s, t) of a filter sees the values of lines s .. s + 1, columns t .. t + 1.
TEST(Encoder, ConvolutionOfAnImageEqualsItsDefinition) {
  EmbeddingOptions options{.kind = EmbeddingKind::blocks, .hidden = {}};
  options.blocks = {{.kind = DataKind::image,
                     .shape = {6, 5, 2},
                     .channels = {3},
                     .kernel = 2,
                     .stride = 2,
                     .features = 2,
                     .activation = Activation::relu,
                     .pooled = false},
                    {.kind = DataKind::vector, .shape = {1}, .channels = {}, .features = 0}};
  Case c(options, best_gemm_backend(), Rng(37));
  const std::vector<double> features = features_of(c);
  const auto& blocks = c.embedding.blocks();
  const auto weight = [&](std::size_t block, Index row, Index col) {
    const ParameterBlock& b = blocks[block];
    return c.parameters.data()[b.offset + row * b.stride + col];
  };
  for (Index f = 0; f < 2; ++f) {
    double feature = weight(3, 0, f);
    for (Index place = 0; place < 6; ++place) {
      for (Index channel = 0; channel < 3; ++channel) {
        double z = weight(1, 0, channel);
        for (Index k = 0; k < 8; ++k) {  // line, column, channel of the patch
          const Index line = place / 2 * 2 + k / 4, column = place % 2 * 2 + k / 2 % 2;
          z += c.x.data()[(line * 5 + column) * 2 + k % 2] * weight(0, k, channel);
        }
        feature += std::max(z, 0.0) * weight(2, place * padded(3) + channel, f);
      }
    }
    EXPECT_NEAR(features[std::size_t(f)], feature, 1e-12);
  }
}

}  // namespace
}  // namespace hone
