#pragma once

#include "hone/run/run_directory.h"
#include "hone/simulator/noise.h"

namespace hone {

// A posterior of a finished run that has the marginal of all parameters and can draw from it
// (AmortizedPosterior::joint_samples).
//
// It is that of the run's method where this learns all parameters together, or made of networks
// that were trained for `joint`. If there are none, densities with one and with four transforms are
// trained on the simulations of the final region, and the likelihoods that the run has are asked as
// well: the one that predicts held-out simulations best answers (joint_choice.h), and is kept
// (networks/joint). If a parameter is discrete, a ratio is trained. Takes the run's lock for that.
// Error{input} for more than kMostJoint parameters, for which so few simulations would not do.
constexpr int kMostJoint = 20;
SharedPosterior joint_posterior(const RunDirectory& run, Observer& observer,
                                const NoiseModel* simulator_noise = nullptr);

// What a joint posterior with this estimator() is, for people.
std::string describe_joint(const std::string& estimator);

// Parameters (n, parameters), and after them what is derived from them: (n, quantities).
Matrix<double> all_quantities(const Prior& prior, const Matrix<double>& theta);

// Draws of all quantities of the run (rows, quantities): parameters from the joint posterior for
// the data x, and what is derived from them.
Matrix<double> joint_draws(const RunDirectory& run, const AmortizedPosterior& joint,
                           std::span<const double> x, Index rows, const Rng& rng);

}  // namespace hone
