// Cosmology: six parameters of the standard model from the temperature and polarisation spectra of
// the cosmic microwave background, as an idealised Planck-like experiment would measure them.
//
// The noiseless part of a simulation, which a Boltzmann code would take seconds for, is C_ell by an
// emulator (cmb_emulator.h); instrument noise and cosmic variance are drawn afresh in every epoch
// (cmb_noise.h). The observation is the noiseless one of the fiducial model.

#include "hone/tasks/builtin.h"
#include "hone/tasks/cmb_emulator.h"
#include "hone/tasks/cmb_likelihood.h"
#include "hone/tasks/cmb_noise.h"
#include "hone/tasks/gaussian_noise.h"
#include "hone/tasks/reference.h"

namespace hone {
namespace {

constexpr const char* kName = "cmb";

Prior make_prior() {
  struct Name {
    const char *name, *label;
  };
  constexpr std::array<Name, kCmbParameters> kNames = {{
      {"omega_b", "$\\omega_b$"},
      {"omega_cdm", "$\\omega_{cdm}$"},
      {"theta_s_100", "$100\\,\\theta_s$"},
      {"logA", "$\\ln 10^{10} A_s$"},
      {"n_s", "$n_s$"},
      {"tau", "$\\tau$"},
  }};
  std::vector<Parameter> parameters;
  for (std::size_t d = 0; d < kNames.size(); ++d) {
    const double reach = CmbEmulator::kHalfWidth * CmbEmulator::kFisherSigma[d];
    const double centre = CmbEmulator::kCentre[d];
    parameters.push_back(
        {kNames[d].name, kNames[d].label,
         make_distribution({"uniform", {{"low", centre - reach}, {"high", centre + reach}}, {}})});
  }
  return Prior(std::move(parameters));
}

std::vector<double> fiducial_observation() {
  const std::span<const double> fiducial = CmbEmulator::instance().fiducial();
  std::vector<double> x(fiducial.begin(), fiducial.end());
  for (std::size_t j = 0; j < x.size(); ++j) x[j] += cmb_instrument_noise()[j];
  return x;
}

std::unique_ptr<Simulator> make_cmb_simulator() {
  return with_noise(
      make_simulator(kCmbValues, [](std::span<double> x, std::span<const double> theta,
                                    Rng) { CmbEmulator::instance().spectra(x, theta); }),
      make_cmb_noise());
}

ReferencePosterior make_reference(const Prior& prior) {
  ReferencePosterior reference;
  reference.log_likelihood = [](std::span<const double> x, std::span<const double> theta) {
    require_observation(x, kCmbValues, kName);
    return CmbLikelihood(x).log_density(theta);
  };
  reference.samples = [prior](std::span<const double> x, Index rows, const Rng& rng) {
    require_observation(x, kCmbValues, kName);
    const CmbLikelihood likelihood(x);
    const PosteriorSampler sampler(
        prior, [&](std::span<const double> theta) { return likelihood.log_ratio(theta); },
        rng.child("proposal"), {.draws = 2000, .components = 1});
    return draw_rows(rows, kCmbParameters, rng,
                     [&](std::span<double> theta, Rng& draw) { sampler.draw(theta, draw); });
  };
  return reference;
}

}  // namespace

Task cmb_task() {
  const Prior prior = make_prior();
  return {
      .name = kName,
      .description =
          "Six cosmological parameters from 7,497 values of microwave background spectra.",
      .prior = prior,
      .truth = {CmbEmulator::kCentre.begin(), CmbEmulator::kCentre.end()},
      .observation = fiducial_observation(),
      .budget = 5000,
      .preset = "spectra",
      .simulator = make_cmb_simulator,
      .reference = make_reference(prior),
  };
}

}  // namespace hone
