#include "hone/tasks/cmb_likelihood.h"

#include <cmath>
#include <numbers>

#include "hone/core/error.h"
#include "hone/tasks/cmb_emulator.h"
#include "hone/tasks/cmb_noise.h"

namespace hone {
namespace {

// Sum over multipoles of ln p(S) - ln L of a 2 x 2 Wishart draw over its n degrees of freedom, but
// for -3/2 ln |S|.
double log_constant() {
  double sum = 0;
  for (Index j = 0; j < kCmbMultipoles; ++j) {
    const double n = cmb_modes(kCmbFirstMultipole + j);
    const double log_gamma =
        0.5 * std::log(std::numbers::pi) + std::lgamma(n / 2) + std::lgamma((n - 1) / 2);
    sum += n * (std::log(n / 2) - 1) - log_gamma;
  }
  return sum;
}

}  // namespace

CmbLikelihood::CmbLikelihood(std::span<const double> x) : x_(x.begin(), x.end()) {
  HONE_ASSERT(std::ssize(x) == kCmbValues);
  for (std::size_t j = 0; j < kCmbMultipoles; ++j) {
    const Index multipole = kCmbFirstMultipole + static_cast<Index>(j);
    const double tt = cmb_spectrum(x, 0)[j], te = cmb_spectrum(x, 1)[j], ee = cmb_spectrum(x, 2)[j];
    const double determinant = tt * ee - te * te;
    if (!(tt > 0 && ee > 0 && determinant > 0)) {
      fail(ErrorKind::input,
           "observation: TT = {:.4g}, TE = {:.4g}, EE = {:.4g} at multipole {}: TT, EE and "
           "TT EE - TE^2 must be positive",
           tt, te, ee, multipole);
    }
    determinant_.push_back(determinant);
    normalisation_ -= 1.5 * std::log(determinant);
  }
  static const double constant = log_constant();
  normalisation_ += constant;
}

double CmbLikelihood::log_ratio(std::span<const double> theta) const {
  std::vector<double> c(kCmbValues);
  CmbEmulator::instance().spectra(c, theta);
  const std::span<const double> noise = cmb_instrument_noise();
  const std::span<const double> x = x_;
  const double *tt = c.data(), *te = tt + kCmbMultipoles, *ee = te + kCmbMultipoles;
  const double *tt_x = x.data(), *te_x = tt_x + kCmbMultipoles, *ee_x = te_x + kCmbMultipoles;
  const double *tt_n = noise.data(), *ee_n = tt_n + 2 * kCmbMultipoles;
  double sum = 0;
  for (Index j = 0; j < kCmbMultipoles; ++j) {
    const double t = tt[j] + tt_n[j], e = ee[j] + ee_n[j];
    const double determinant = t * e - te[j] * te[j];
    if (!(determinant > 0 && t > 0)) return -HUGE_VAL;
    const double mix = tt_x[j] * e + t * ee_x[j] - 2 * te_x[j] * te[j];
    const double log_ratio = std::log(determinant / determinant_[static_cast<std::size_t>(j)]);
    sum += cmb_modes(kCmbFirstMultipole + j) * (mix / determinant + log_ratio - 2);
  }
  return -sum / 2;
}

}  // namespace hone
