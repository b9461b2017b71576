#include "hone/engine/arithmetic.h"

#include <cmath>
#include <cstdint>
#include <cstring>

#include <fmt/format.h>
#if __has_include(<gnu/libc-version.h>)
#include <gnu/libc-version.h>
#endif

#include "hone/engine/gemm.h"

namespace hone {
namespace {

// FNV-1a: nothing depends on it but whether two processes have the same values.
template <typename T>
void mix(std::uint32_t& sum, T value) {
  unsigned char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  for (const unsigned char byte : bytes) sum = (sum ^ byte) * 16777619U;
}

// glibc chooses variants with or without FMA by the processor, and there is no asking which.
std::uint32_t values_of_functions() {
  std::uint32_t sum = 2166136261U;
  volatile double start = 0.0137;  // so that the compiler computes nothing beforehand
  for (double x = start; x < 12; x *= 1.01) {
    for (const double value :
         {std::exp(x), std::exp(-x), std::expm1(-x), std::log(x), std::log1p(x), std::pow(x, 0.7),
          std::sin(x), std::cos(x), std::tan(x), std::atan(x), std::tanh(x), std::erf(x / 3),
          std::erfc(x / 3), std::lgamma(x), std::cbrt(x)}) {
      mix(sum, value);
    }
    const auto y = static_cast<float>(x);
    for (const float value : {std::exp(-y), std::log(y), std::tanh(y), std::sin(y), std::cos(y)}) {
      mix(sum, value);
    }
  }
  return sum;
}

std::string mathematics_library() {
#if __has_include(<gnu/libc-version.h>)
  return std::string("glibc ") + gnu_get_libc_version();
#else
  return "the C library";
#endif
}

}  // namespace

const Arithmetic& this_arithmetic() {
  static const Arithmetic arithmetic{
      .kernels = to_string(used_instruction_set()),
      .products = describe_products(),
      .functions = fmt::format("{}, values {:08x}", mathematics_library(), values_of_functions())};
  return arithmetic;
}

std::string describe(const Arithmetic& arithmetic) {
  return fmt::format("{} kernels, products by {}, functions of {}", arithmetic.kernels,
                     arithmetic.products, arithmetic.functions);
}

}  // namespace hone
