#pragma once

// Inside tasks/ only: spectra of the cosmic microwave background by a fitted polynomial, which
// takes the place of a Boltzmann code.

#include <array>
#include <span>
#include <vector>

#include "hone/core/matrix.h"

namespace hone {

// Multipoles ell = 2 .. 2500; data are TT, then TE, then EE, each by ell.
constexpr Index kCmbFirstMultipole = 2;
constexpr Index kCmbMultipoles = 2499;
constexpr Index kCmbValues = 3 * kCmbMultipoles;
constexpr Index kCmbParameters = 6;

// One spectrum of three: 0 is TT, 1 TE, 2 EE.
template <typename T>
std::span<T> cmb_spectrum(std::span<T> values, int which) {
  return values.subspan(static_cast<std::size_t>(which * kCmbMultipoles), kCmbMultipoles);
}

// Lensed spectra C_ell in micro-K^2, without l (l + 1) / 2 pi and without instrument noise:
//
//   C = C_fid + sigma sum_k a_k(y) P_k,   y_d = (theta_d - centre_d) / half_width_d in [-1, 1],
//
// a_k a polynomial of degree 3 (4 where tau enters squared), P_k one of 30 principal components and
// sigma the cosmic variance at the centre. Fitted to 375 runs of CLASS 3.0.1, a Boltzmann code; on
// 64 others it is off by 0.0002 sigma in the mean square and 0.0054 sigma at worst. The numbers are
// in cmb_emulator.bin; components are kept in 16 bits, which changes a spectrum by at most 0.0001
// sigma.
class CmbEmulator {
 public:
  static const CmbEmulator& instance();

  // c: (kCmbValues)  theta: (kCmbParameters), inside the prior
  void spectra(std::span<double> c, std::span<const double> theta) const;
  std::span<const double> fiducial() const { return fiducial_; }  // (kCmbValues), at the centre

  static constexpr std::array<double, kCmbParameters> kCentre = {0.0224, 0.12,  1.0411,
                                                                 3.0753, 0.965, 0.054};
  // Of a Fisher forecast; the prior and the fit reach 5 of them to both sides.
  static constexpr std::array<double, kCmbParameters> kFisherSigma = {
      0.00015421594746486337, 0.00141918642761579,  0.0003323580629839107,
      0.008657057005849051,   0.003970490256904045, 0.00427804661869904};
  static constexpr double kHalfWidth = 5;  // in sigma

 private:
  CmbEmulator();
  std::vector<float> amplitudes(std::span<const double> theta) const;  // a_k

  std::vector<std::array<int, kCmbParameters>> exponents_;
  Matrix<float> coefficients_;  // (monomials, components)
  Matrix<float> components_;    // (components, kCmbValues)
  std::vector<double> fiducial_, sigma_;
};

}  // namespace hone
