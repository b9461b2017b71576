#pragma once

// Inside tasks/ only: what an idealised Planck-like experiment adds to the spectra.

#include <memory>
#include <span>

#include "hone/simulator/noise.h"

namespace hone {

constexpr double kCmbSkyFraction = 0.6;
constexpr Index kCmbLastWishart = 50;  // cosmic variance is Gaussian beyond this multipole

// Modes that measure a multipole: f_sky (2 ell + 1).
constexpr double cmb_modes(Index multipole) {
  return kCmbSkyFraction * static_cast<double>(2 * multipole + 1);
}

// N_ell of two channels with Gaussian beams theta_i and white noise w_i, combined:
//
//   1 / N_ell = sum_i exp(-ell (ell + 1) theta_i^2 / (8 ln 2)) / w_i^2
//
// in micro-K^2: (kCmbValues), as it is added to TT, TE (nothing) and EE.
std::span<const double> cmb_instrument_noise();

// Data from spectra without noise: instrument noise and cosmic variance.
//   ell <= 50: the matrix (TT TE; TE EE) is a Wishart draw with round(n) degrees of freedom, over
//              round(n), n = cmb_modes(ell), around the spectra with instrument noise
//   ell > 50:  Gaussian around them, with the covariance at the fiducial spectra:
//              Cov(TT, TT) = 2 TT^2 / n,  Cov(TE, TE) = (TE^2 + TT EE) / n, Cov(EE, EE) = 2 EE^2 /
//              n, Cov(TT, TE) = 2 TT TE / n, Cov(TT, EE) = 2 TE^2 / n,         Cov(TE, EE) = 2 TE
//              EE / n
std::unique_ptr<NoiseModel> make_cmb_noise();

}  // namespace hone
