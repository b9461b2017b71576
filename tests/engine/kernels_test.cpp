// Every kernel at every instruction set of this machine against its scalar twin (kernel_twin.h).
#include "hone/engine/kernels.h"

#include <gtest/gtest.h>

#include "engine/kernel_twin.h"
#include "hone/core/rng.h"
#include "hone/engine/gemm.h"

namespace hone {
namespace {

constexpr Index kRows = 37, kWidth = 48, kFeatures = 41;
constexpr Activation kActivations[] = {Activation::identity, Activation::relu, Activation::silu};

// Scratch arrays of random numbers, in two equal copies: one for the kernel, one for its twin.
template <typename T>
class Arrays {
 public:
  explicit Arrays(std::uint64_t seed) : rng_(seed) {}
  struct Pair {
    AlignedBuffer<T> kernel, twin;
    T* operator()(bool twin_side) { return twin_side ? twin.data() : kernel.data(); }
  };
  Pair draw(Index count, double low = -1, double high = 1) {
    Pair pair{AlignedBuffer<T>(std::size_t(count)), AlignedBuffer<T>(std::size_t(count))};
    for (std::size_t i = 0; i < std::size_t(count); ++i) {
      pair.kernel.data()[i] = pair.twin.data()[i] = T(low + (high - low) * rng_.uniform());
    }
    return pair;
  }
  Pair columns() { return draw(kWidth); }
  Pair table() { return draw(kRows * kWidth, -2, 2); }

 private:
  Rng rng_;
};

template <typename T>
void expect_close(const typename Arrays<T>::Pair& pair, const char* what) {
  const double tolerance = sizeof(T) == sizeof(float) ? 3e-5 : 1e-12;
  for (std::size_t i = 0; i < pair.kernel.size(); ++i) {
    const double twin = double(pair.twin.data()[i]);
    ASSERT_NEAR(double(pair.kernel.data()[i]), twin, tolerance * (1 + std::abs(twin)))
        << what << " at " << i;
  }
}

template <typename T>
class KernelsOf : public testing::Test {
 protected:
  // check(kernels) at each instruction set
  template <typename F>
  void at_every_set(F&& check) {
    for (const InstructionSet set : supported_instruction_sets()) {
      SCOPED_TRACE(to_string(set));
      check(kernels<T>(set));
    }
  }
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(KernelsOf, Precisions);

TYPED_TEST(KernelsOf, ActivationsAndTheirGradientsEqualTheirTwin) {
  using T = TypeParam;
  this->at_every_set([](const Kernels<T>& k) {
    for (const Activation kind : kActivations) {
      for (const bool masked : {false, true}) {
        Arrays<T> draw(1);
        auto a = draw.table(), z = draw.table(), scale = draw.columns(), shift = draw.columns(),
             mask = draw.table(), sum = draw.columns(), sum_z = draw.columns(),
             center = draw.columns();
        const T* m = masked ? mask.kernel.data() : nullptr;
        k.activate(a(false), z(false), scale(false), shift(false), m, kRows, kWidth, kind);
        test::twin_activate(a(true), z(true), scale(true), shift(true), m, kRows, kWidth, kind);
        expect_close<T>(a, "activate");
        k.activate_backward(a(false), sum(false), sum_z(false), z(false), scale(false),
                            shift(false), center(false), m, kRows, kWidth, kind);
        test::twin_activate_backward(a(true), sum(true), sum_z(true), z(true), scale(true),
                                     shift(true), center(true), m, kRows, kWidth, kind);
        expect_close<T>(a, "activate_backward");
        expect_close<T>(sum, "activate_backward sum_d");
        expect_close<T>(sum_z, "activate_backward sum_dz");
      }
    }
  });
}

TYPED_TEST(KernelsOf, SiluIsRightFarFromZeroAndNotANumberStaysVisible) {
  using T = TypeParam;
  this->at_every_set([](const Kernels<T>& k) {
    Arrays<T> draw(2);
    auto a = draw.columns(), z = draw.draw(kWidth, -200, 200), one = draw.draw(kWidth, 1, 1),
         zero = draw.draw(kWidth, 0, 0);
    k.activate(a(false), z(false), one(false), zero(false), nullptr, 1, kWidth, Activation::silu);
    test::twin_activate<T>(a(true), z(true), one(true), zero(true), nullptr, 1, kWidth,
                           Activation::silu);
    expect_close<T>(a, "silu");
    z(false)[5] = std::numeric_limits<T>::quiet_NaN();
    for (const Activation kind : kActivations) {
      k.activate(a(false), z(false), one(false), zero(false), nullptr, 1, kWidth, kind);
      EXPECT_TRUE(std::isnan(a(false)[5]));
    }
  });
}

TYPED_TEST(KernelsOf, LinearEndsAndColumnNormsEqualTheirTwin) {
  using T = TypeParam;
  this->at_every_set([](const Kernels<T>& k) {
    for (const Index stride :
         {Index{-1}, Index{0}, kWidth}) {  // no skip, one row for all, a row each
      Arrays<T> draw(3);
      auto z = draw.table(), y = draw.table(), skip = draw.table(), sum = draw.columns(),
           square = draw.columns(), bias = draw.columns(), center = draw.columns(),
           scale = draw.columns();
      const T* s = stride < 0 ? nullptr : skip.kernel.data();
      k.finish_linear(y(false), bias(false), s, stride, kRows, kWidth);
      test::twin_finish_linear<T>(y(true), nullptr, nullptr, bias(true), s, stride, nullptr, kRows,
                                  kWidth);
      expect_close<T>(y, "finish_linear");
      k.finish_linear_moments(z(false), sum(false), square(false), bias(false), s, stride,
                              center(false), kRows, kWidth);
      test::twin_finish_linear(z(true), sum(true), square(true), bias(true), s, stride,
                               center(true), kRows, kWidth);
      expect_close<T>(z, "finish_linear_moments");
      expect_close<T>(sum, "finish_linear_moments sum");
      expect_close<T>(square, "finish_linear_moments square");
      if (stride == 0) continue;
      k.column_norm_backward(y(false), sum(false), z(false), scale(false), bias(false),
                             center(false), s, kRows, kWidth);
      test::twin_column_norm_backward(y(true), sum(true), z(true), scale(true), bias(true),
                                      center(true), s, kRows, kWidth);
      expect_close<T>(y, "column_norm_backward");
      expect_close<T>(sum, "column_norm_backward sum");
    }
  });
}

TYPED_TEST(KernelsOf, LayerNormAndItsGradientEqualTheirTwin) {
  using T = TypeParam;
  this->at_every_set([](const Kernels<T>& k) {
    for (const Activation kind : kActivations) {
      for (const bool masked : {false, true}) {
        Arrays<T> draw(4);
        auto a = draw.table(), z = draw.table(), mask = draw.table(), scale = draw.columns(),
             shift = draw.columns(), mean = draw.draw(kRows), inverse = draw.draw(kRows),
             dscale = draw.columns(), dshift = draw.columns();
        for (Index i = 0; i < kRows * kWidth; ++i) {
          if (i % kWidth >= kFeatures) z(false)[i] = z(true)[i] = T(0);  // padding
        }
        for (Index j = kFeatures; j < kWidth; ++j) {
          scale(false)[j] = scale(true)[j] = shift(false)[j] = shift(true)[j] = T(0);
        }
        const T* m = masked ? mask.kernel.data() : nullptr;
        k.row_norm_activate(a(false), mean(false), inverse(false), z(false), scale(false),
                            shift(false), m, kRows, kWidth, kFeatures, T(1e-5), kind);
        test::twin_row_norm_activate(a(true), mean(true), inverse(true), z(true), scale(true),
                                     shift(true), m, kRows, kWidth, kFeatures, T(1e-5), kind);
        expect_close<T>(a, "row_norm_activate");
        expect_close<T>(mean, "row_norm_activate mean");
        expect_close<T>(inverse, "row_norm_activate inverse");
        k.row_norm_backward(a(false), dscale(false), dshift(false), z(false), mean(false),
                            inverse(false), scale(false), shift(false), m, kRows, kWidth, kFeatures,
                            kind);
        test::twin_row_norm_backward(a(true), dscale(true), dshift(true), z(true), mean(true),
                                     inverse(true), scale(true), shift(true), m, kRows, kWidth,
                                     kFeatures, kind);
        expect_close<T>(a, "row_norm_backward");
        expect_close<T>(dscale, "row_norm_backward dscale");
        expect_close<T>(dshift, "row_norm_backward dshift");
      }
    }
  });
}

}  // namespace
}  // namespace hone
