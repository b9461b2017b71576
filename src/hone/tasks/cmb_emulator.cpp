#include "hone/tasks/cmb_emulator.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "hone/core/error.h"
#include "hone/tasks/cmb_emulator_data.h"

namespace hone {
namespace {

constexpr Index kMonomials = 105, kComponents = 30;

// Takes `count` numbers off the front of the file.
template <typename T>
std::vector<T> take(std::span<const std::byte>& data, Index count) {
  std::vector<T> values(static_cast<std::size_t>(count));
  const std::size_t bytes = values.size() * sizeof(T);
  HONE_ASSERT(data.size() >= bytes);
  std::memcpy(values.data(), data.data(), bytes);
  data = data.subspan(bytes);
  return values;
}

std::vector<double> take_doubles(std::span<const std::byte>& data, Index count) {
  const std::vector<float> values = take<float>(data, count);
  return {values.begin(), values.end()};
}

// out += sum of 6 components with their factors. Several at a time: each loads and stores out once.
constexpr Index kTogether = 6;
static_assert(kComponents % kTogether == 0);

void add_components(float* out, const Matrix<float>& components, const float* factor, Index first) {
  const float* p[kTogether];
  float a[kTogether];
  for (Index k = 0; k < kTogether; ++k) {
    p[k] = components.row(first + k).data();
    a[k] = factor[first + k];
  }
  for (Index j = 0; j < kCmbValues; ++j) {
    out[j] += a[0] * p[0][j] + a[1] * p[1][j] + a[2] * p[2][j] + a[3] * p[3][j] + a[4] * p[4][j] +
              a[5] * p[5][j];
  }
}

}  // namespace

const CmbEmulator& CmbEmulator::instance() {
  static const CmbEmulator emulator;
  return emulator;
}

CmbEmulator::CmbEmulator()
    : coefficients_(kMonomials, kComponents), components_(kComponents, kCmbValues) {
  std::span<const std::byte> data = cmb_emulator_data();
  std::ranges::copy(take<float>(data, kMonomials * kComponents), coefficients_.data());
  const std::vector<float> unit = take<float>(data, kComponents);
  fiducial_ = take_doubles(data, kCmbValues);
  sigma_ = take_doubles(data, kCmbValues);
  for (Index k = 0; k < kComponents; ++k) {
    const std::vector<std::int16_t> steps = take<std::int16_t>(data, kCmbValues);
    std::ranges::transform(steps, components_.row(k).begin(), [&](std::int16_t step) {
      return unit[static_cast<std::size_t>(k)] * static_cast<float>(step);
    });
  }
  for (Index m = 0; m < kMonomials; ++m) {
    const std::vector<std::uint8_t> powers = take<std::uint8_t>(data, kCmbParameters);
    std::ranges::copy(powers, exponents_.emplace_back().begin());
  }
  HONE_ASSERT(data.empty());
}

std::vector<float> CmbEmulator::amplitudes(std::span<const double> theta) const {
  constexpr std::size_t kLargestPower = 4;
  double power[kCmbParameters][kLargestPower + 1];
  for (std::size_t d = 0; d < kCmbParameters; ++d) {
    const double y = (theta[d] - kCentre[d]) / (kHalfWidth * kFisherSigma[d]);
    power[d][0] = 1;
    for (std::size_t i = 1; i <= kLargestPower; ++i) power[d][i] = power[d][i - 1] * y;
  }
  std::vector<double> sums(kComponents, 0.0);
  for (Index m = 0; m < kMonomials; ++m) {
    double monomial = 1;
    for (std::size_t d = 0; d < kCmbParameters; ++d) {
      monomial *= power[d][exponents_[static_cast<std::size_t>(m)][d]];
    }
    const float* row = coefficients_.row(m).data();
    for (std::size_t k = 0; k < kComponents; ++k) sums[k] += monomial * static_cast<double>(row[k]);
  }
  std::vector<float> result;
  for (const double sum : sums) result.push_back(static_cast<float>(sum));
  return result;
}

void CmbEmulator::spectra(std::span<double> c, std::span<const double> theta) const {
  HONE_ASSERT(std::ssize(c) == kCmbValues && std::ssize(theta) == kCmbParameters);
  const std::vector<float> factors = amplitudes(theta);
  std::vector<float> sum(kCmbValues, 0.0F);
  for (Index k = 0; k < kComponents; k += kTogether) {
    add_components(sum.data(), components_, factors.data(), k);
  }
  for (std::size_t j = 0; j < c.size(); ++j) {
    c[j] = fiducial_[j] + sigma_[j] * static_cast<double>(sum[j]);
  }
}

}  // namespace hone
