// The kernels without an activation, at every instruction set, against plain loops.
#include <vector>

#include <gtest/gtest.h>

#include "engine/kernel_twin.h"
#include "hone/core/rng.h"
#include "hone/engine/gemm.h"
#include "hone/engine/kernels.h"

namespace hone {
namespace {

template <typename T>
AlignedBuffer<T> drawn(Index count, std::uint64_t seed) {
  AlignedBuffer<T> result{std::size_t(count)};
  Rng rng(seed);
  for (T& value : result.span()) value = T(2 * rng.uniform() - 1);
  return result;
}

template <typename T>
constexpr double kTolerance = sizeof(T) == sizeof(float) ? 3e-5 : 1e-12;

template <typename T>
class LinearKernelsOf : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(LinearKernelsOf, Precisions);

constexpr Index kRows = 37, kWidth = 48;

TYPED_TEST(LinearKernelsOf, DotProductsAndSumsEqualPlainLoops) {
  using T = TypeParam;
  for (const InstructionSet set : supported_instruction_sets()) {
    SCOPED_TRACE(to_string(set));
    const Kernels<T>& k = kernels<T>(set);
    const auto a = drawn<T>(kRows * kWidth, 1), w = drawn<T>(kWidth, 2), dout = drawn<T>(kRows, 3);
    const auto start = drawn<T>(kWidth, 4);
    AlignedBuffer<T> out(kRows), da(kRows * kWidth),
        dw = drawn<T>(kWidth, 4), sums = drawn<T>(kWidth, 4), total = drawn<T>(kWidth, 4);
    k.row_dot(out.data(), a.data(), w.data(), T(0.5), kRows, kWidth);
    k.row_dot_backward(da.data(), dw.data(), dout.data(), a.data(), w.data(), kRows, kWidth);
    k.column_sums(sums.data(), a.data(), kRows, kWidth);
    k.add(total.data(), w.data(), kWidth);
    for (Index i = 0; i < kRows; ++i) {
      double dot = 0.5;
      for (Index j = 0; j < kWidth; ++j) {
        dot += double(a.data()[i * kWidth + j]) * double(w.data()[j]);
        EXPECT_EQ(da.data()[i * kWidth + j], dout.data()[i] * w.data()[j]);
      }
      EXPECT_NEAR(double(out.data()[i]), dot, kTolerance<T>);
    }
    for (Index j = 0; j < kWidth; ++j) {
      double outer = double(start.data()[j]), sum = outer;
      for (Index i = 0; i < kRows; ++i) {
        outer += double(dout.data()[i]) * double(a.data()[i * kWidth + j]);
        sum += double(a.data()[i * kWidth + j]);
      }
      EXPECT_NEAR(double(dw.data()[j]), outer, kTolerance<T>);
      EXPECT_NEAR(double(sums.data()[j]), sum, kTolerance<T>);
      EXPECT_EQ(total.data()[j], start.data()[j] + w.data()[j]);
    }
  }
}

TYPED_TEST(LinearKernelsOf, TransposeNormAverageAndAdamEqualPlainLoops) {
  using T = TypeParam;
  for (const InstructionSet set : supported_instruction_sets()) {
    SCOPED_TRACE(to_string(set));
    const Kernels<T>& k = kernels<T>(set);
    constexpr Index kTall = 32, kCount = kTall * kWidth;
    const auto a = drawn<T>(kCount, 1), gradient = drawn<T>(kCount, 2);
    AlignedBuffer<T> transposed(kCount), average = drawn<T>(kCount, 3);
    const auto before = drawn<T>(kCount, 3);
    k.transpose(transposed.data(), a.data(), kTall, kWidth);
    k.average(average.data(), a.data(), T(0.9), kCount);
    double square = 0;
    for (Index i = 0; i < kCount; ++i) {
      EXPECT_EQ(transposed.data()[i % kWidth * kTall + i / kWidth], a.data()[i]);
      EXPECT_NEAR(double(average.data()[i]),
                  0.9 * double(before.data()[i]) + 0.1 * double(a.data()[i]), kTolerance<T>);
      square += double(a.data()[i]) * double(a.data()[i]);
    }
    EXPECT_NEAR(k.square_norm(a.data(), kCount), square, 1e-5 * square);

    auto shorter = drawn<T>(kCount, 4);
    const auto whole = drawn<T>(kCount, 4);
    const double length = std::sqrt(k.square_norm(whole.data(), kWidth));  // of row 0
    k.shorten_rows(shorter.data(), length, kTall, kWidth);
    for (Index i = 0; i < kCount; ++i) {
      const double norm = std::sqrt(k.square_norm(whole.data() + i / kWidth * kWidth, kWidth));
      EXPECT_NEAR(double(shorter.data()[i]),
                  double(whole.data()[i]) * std::max(0.0, 1 - length / norm), kTolerance<T>);
    }

    auto w = drawn<T>(kCount, 5), m = drawn<T>(kCount, 6), v = drawn<T>(kCount, 7);
    for (T& value : v.span()) value = std::abs(value);
    AlignedBuffer<T> twin_w(kCount), twin_m(kCount), twin_v(kCount);
    std::ranges::copy(w.span(), twin_w.data());
    std::ranges::copy(m.span(), twin_m.data());
    std::ranges::copy(v.span(), twin_v.data());
    const AdamStep step{.rate = 0.01,
                        .beta1 = 0.9,
                        .beta2 = 0.999,
                        .epsilon = 1e-8,
                        .decay = 0.1,
                        .correction1 = 0.271,
                        .correction2 = 0.003,
                        .gradient_scale = 0.3};
    k.adam(w.data(), m.data(), v.data(), gradient.data(), kCount, step);
    test::twin_adam(twin_w.data(), twin_m.data(), twin_v.data(), gradient.data(), kCount, step);
    for (std::size_t i = 0; i < kCount; ++i) {
      EXPECT_NEAR(double(w.data()[i]), double(twin_w.data()[i]), kTolerance<T>);
      EXPECT_NEAR(double(m.data()[i]), double(twin_m.data()[i]), kTolerance<T>);
      EXPECT_NEAR(double(v.data()[i]), double(twin_v.data()[i]), kTolerance<T>);
    }
  }
}

TYPED_TEST(LinearKernelsOf, DropoutMasksAreTheSameEverywhereAndKeepTheMean) {
  using T = TypeParam;
  constexpr Index kCount = 1 << 16;
  AlignedBuffer<T> first(kCount), mask(kCount), other(kCount);
  kernels<T>(InstructionSet::baseline).dropout_mask(first.data(), 99, 0.3, kCount);
  for (const InstructionSet set : supported_instruction_sets()) {
    const Kernels<T>& k = kernels<T>(set);
    k.dropout_mask(mask.data(), 99, 0.3, kCount);
    EXPECT_TRUE(std::ranges::equal(mask.span(), first.span())) << to_string(set);
  }
  double dropped = 0, both = 0;
  kernels<T>(InstructionSet::baseline).dropout_mask(other.data(), 100, 0.3, kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    const bool zero = first.data()[i] == T(0);
    EXPECT_TRUE(zero || first.data()[i] == T(1 / 0.7));
    dropped += zero ? 1.0 / kCount : 0;
    both += zero && other.data()[i] == T(0) ? 1.0 / kCount : 0;
  }
  EXPECT_NEAR(dropped, 0.3, 4 * std::sqrt(0.3 * 0.7 / kCount));
  EXPECT_NEAR(both, 0.09, 4 * std::sqrt(0.09 * 0.91 / kCount)) << "keys must be independent";
}

TYPED_TEST(LinearKernelsOf, MatrixProductsEqualTheTripleLoopForBothBackends) {
  using T = TypeParam;
  const std::vector<GemmShape> shapes{
      {.rows = 64, .cols = 64, .inner = 64, .lda = 64, .ldb = 64, .ldc = 64},
      {.rows = 37, .cols = 32, .inner = 5, .lda = 16, .ldb = 32, .ldc = 32},
      {.rows = 3, .cols = 16, .inner = 1, .lda = 1, .ldb = 16, .ldc = 16},
      {.rows = 29, .cols = 16, .inner = 5, .lda = 2, .ldb = 16, .ldc = 16},  // overlapping patches
      {.rows = 48,
       .cols = 32,
       .inner = 37,
       .lda = 48,
       .ldb = 32,
       .ldc = 32,
       .transpose_a = true,
       .accumulate = true},
      {.rows = 2,
       .cols = 16,
       .inner = 64,
       .lda = 2,
       .ldb = 16,
       .ldc = 16,
       .transpose_a = true,
       .accumulate = true},
      {.rows = 5,
       .cols = 16,
       .inner = 29,
       .lda = 2,
       .ldb = 16,
       .ldc = 16,
       .transpose_a = true,
       .accumulate = true}};
  for (const GemmShape& s : shapes) {
    const auto a = drawn<T>(8192, 1), b = drawn<T>(8192, 2);
    auto expected = drawn<T>(8192, 3);
    test::twin_gemm(expected.data(), a.data(), b.data(), s);
    const auto check = [&](auto&& product) {
      auto c = drawn<T>(8192, 3);
      product(c.data());
      for (std::size_t i = 0; i < c.size(); ++i) {
        ASSERT_NEAR(double(c.data()[i]), double(expected.data()[i]), kTolerance<T>)
            << s.rows << " x " << s.cols << " x " << s.inner << " at " << i;
      }
    };
    check([&](T* c) { Gemm<T>(s, best_gemm_backend())(c, a.data(), b.data()); });
    check([&](T* c) { Gemm<T>(s, GemmBackend::eigen)(c, a.data(), b.data()); });
    for (const InstructionSet set : supported_instruction_sets()) {
      check([&](T* c) { kernels<T>(set).gemm(c, a.data(), b.data(), s); });
    }
  }
}

}  // namespace
}  // namespace hone
