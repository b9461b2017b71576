#include "hone/tasks/cmb_noise.h"

#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "hone/tasks/cmb_emulator.h"

namespace hone {
namespace {

constexpr Index kWishart = kCmbLastWishart - kCmbFirstMultipole + 1;
constexpr Index kGaussian = kCmbMultipoles - kWishart;

struct Channel {
  double beam;                       // full width at half maximum in arcmin
  double temperature, polarisation;  // white noise in micro-K arcmin
};
constexpr std::array kChannels = {Channel{10.0, 68.0, 109.0}, Channel{7.1, 42.6, 80.94}};

double noise_power(Index multipole, double Channel::*white) {
  constexpr double kArcmin = std::numbers::pi / (180 * 60);
  const double ell = static_cast<double>(multipole);
  double inverse = 0;
  for (const Channel& channel : kChannels) {
    const double beam = channel.beam * kArcmin, w = channel.*white * kArcmin;
    inverse += std::exp(-ell * (ell + 1) * beam * beam / (8 * std::numbers::ln2)) / (w * w);
  }
  return 1 / inverse;
}

std::vector<double> make_instrument_noise() {
  std::vector<double> noise(kCmbValues, 0.0);
  for (Index i = 0; i < kCmbMultipoles; ++i) {
    const Index multipole = kCmbFirstMultipole + i;
    noise[static_cast<std::size_t>(i)] = noise_power(multipole, &Channel::temperature);
    noise[static_cast<std::size_t>(i + 2 * kCmbMultipoles)] =
        noise_power(multipole, &Channel::polarisation);
  }
  return noise;
}

// The square root of a gamma variate with shape degrees / 2 and scale 2, by the method of Marsaglia
// and Tsang (2000). degrees >= 2
double draw_chi(double degrees, Rng& rng) {
  const double d = degrees / 2 - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  while (true) {
    const double z = rng.normal(), cube_root = 1 + c * z;
    if (cube_root <= 0) continue;
    const double v = cube_root * cube_root * cube_root;
    if (std::log(rng.uniform()) < z * z / 2 + d * (1 - v + std::log(v)))
      return std::sqrt(2 * d * v);
  }
}

// Lower triangles of the covariances of (TT, TE, EE) at the fiducial spectra, by multipole.
struct Factors {
  std::array<float, kGaussian> tt_0, te_0, te_1, ee_0, ee_1, ee_2;
};

Factors make_factors() {
  Factors f;
  const std::span<const double> c = CmbEmulator::instance().fiducial();
  const std::span<const double> noise = cmb_instrument_noise();
  for (std::size_t i = 0; i < kGaussian; ++i) {
    const std::size_t j = i + kWishart;
    const double n = cmb_modes(kCmbFirstMultipole + static_cast<Index>(j));
    const double tt = cmb_spectrum(c, 0)[j] + cmb_spectrum(noise, 0)[j];
    const double te = cmb_spectrum(c, 1)[j];
    const double ee = cmb_spectrum(c, 2)[j] + cmb_spectrum(noise, 2)[j];
    const double l00 = tt * std::sqrt(2 / n);
    const double l10 = 2 * tt * te / n / l00;
    const double l20 = 2 * te * te / n / l00;
    const double l11 = std::sqrt((te * te + tt * ee) / n - l10 * l10);
    const double l21 = (2 * te * ee / n - l20 * l10) / l11;
    const double l22 = std::sqrt(2 * ee * ee / n - l20 * l20 - l21 * l21);
    f.tt_0[i] = static_cast<float>(l00);
    f.te_0[i] = static_cast<float>(l10);
    f.te_1[i] = static_cast<float>(l11);
    f.ee_0[i] = static_cast<float>(l20);
    f.ee_1[i] = static_cast<float>(l21);
    f.ee_2[i] = static_cast<float>(l22);
  }
  return f;
}

class CmbNoise final : public NoiseModel {
 public:
  CmbNoise() : factors_(make_factors()) {
    const std::span<const double> noise = cmb_instrument_noise();
    instrument_.assign(noise.begin(), noise.end());
  }
  Index input_size() const override { return kCmbValues; }
  Index data_size() const override { return kCmbValues; }

  void apply(MatrixView<float> x, MatrixView<const float> noiseless,
             std::span<Rng> streams) const override {
    std::vector<float> normals(3 * kGaussian);
    for (Index i = 0; i < x.rows(); ++i) {
      Rng& stream = streams[static_cast<std::size_t>(i)];
      const std::span<float> row = x.row(i);
      const float* spectra = noiseless.row(i).data();
      for (std::size_t j = 0; j < kCmbValues; ++j) row[j] = spectra[j] + instrument_[j];
      for (Index j = 0; j < kWishart; ++j) draw_wishart(row, j, stream);
      stream.fill_normal(normals);
      add_gaussian(row.data(), normals.data());
    }
  }

  // A Wishart draw needs a positive definite matrix.
  Failure check(std::span<const double> c) const override {
    for (std::size_t j = 0; j < kWishart; ++j) {
      const double tt = cmb_spectrum(c, 0)[j], te = cmb_spectrum(c, 1)[j],
                   ee = cmb_spectrum(c, 2)[j];
      if (tt > 0 && ee > 0 && tt * ee > te * te) continue;
      return fmt::format(
          "TT = {:.3g}, TE = {:.3g}, EE = {:.3g} at multipole {}: TT EE - TE^2 must be positive",
          tt, te, ee, kCmbFirstMultipole + static_cast<Index>(j));
    }
    return std::nullopt;
  }

 private:
  // Bartlett: with V = L L^T and a lower triangle A of chi(n), a normal and chi(n - 1), the matrix
  // L A A^T L^T is a Wishart draw.
  static void draw_wishart(std::span<float> x, Index index, Rng& rng) {
    const std::size_t j = static_cast<std::size_t>(index);
    const double n = std::round(cmb_modes(kCmbFirstMultipole + index));
    float& tt = cmb_spectrum(x, 0)[j];
    float& te = cmb_spectrum(x, 1)[j];
    float& ee = cmb_spectrum(x, 2)[j];
    const double l00 = std::sqrt(static_cast<double>(tt)), l10 = static_cast<double>(te) / l00;
    const double l11 = std::sqrt(static_cast<double>(ee) - l10 * l10);
    const double a00 = draw_chi(n, rng), a10 = rng.normal(), a11 = draw_chi(n - 1, rng);
    const double b00 = l00 * a00, b10 = l10 * a00 + l11 * a10, b11 = l11 * a11;
    tt = static_cast<float>(b00 * b00 / n);
    te = static_cast<float>(b00 * b10 / n);
    ee = static_cast<float>((b10 * b10 + b11 * b11) / n);
  }

  // x: (3, kCmbMultipoles)  z: (3, kGaussian)
  void add_gaussian(float* x, const float* z) const {
    float* tt = x + kWishart;
    float* te = tt + kCmbMultipoles;
    float* ee = te + kCmbMultipoles;
    const float *z0 = z, *z1 = z + kGaussian, *z2 = z1 + kGaussian;
    const Factors& f = factors_;
    for (Index i = 0; i < kGaussian; ++i) tt[i] += f.tt_0[i] * z0[i];
    for (Index i = 0; i < kGaussian; ++i) te[i] += f.te_0[i] * z0[i] + f.te_1[i] * z1[i];
    for (Index i = 0; i < kGaussian; ++i) {
      ee[i] += f.ee_0[i] * z0[i] + f.ee_1[i] * z1[i] + f.ee_2[i] * z2[i];
    }
  }

  std::vector<float> instrument_;
  Factors factors_;
};

}  // namespace

std::span<const double> cmb_instrument_noise() {
  static const std::vector<double> noise = make_instrument_noise();
  return noise;
}

std::unique_ptr<NoiseModel> make_cmb_noise() {
  return std::make_unique<CmbNoise>();
}

}  // namespace hone
