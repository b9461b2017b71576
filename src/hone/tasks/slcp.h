#pragma once

// Inside tasks/ only: the model that slcp and slcp_distractors share.

#include <span>

#include "hone/prior/prior.h"
#include "hone/tasks/task.h"

namespace hone::slcp {

constexpr int kParameters = 5;
constexpr int kData = 8;

// Simple likelihood, complex posterior: four points in the plane from a Gaussian with mean
// (theta_0, theta_1), standard deviations theta_2^2 and theta_3^2 and correlation tanh(theta_4).
void simulate(std::span<double> x, std::span<const double> theta, Rng& noise);  // x: (8)
double log_likelihood(std::span<const double> x, std::span<const double> theta);

Prior prior();  // uniform on [-3, 3]
Matrix<double> reference_samples(std::span<const double> x, Index rows, const Rng& rng);

}  // namespace hone::slcp
