#pragma once

#include <span>
#include <vector>

#include "hone/inference/method.h"
#include "hone/posterior/sample_posterior.h"

// Approximate Bayesian computation: parameters whose simulated data lie near the observation are
// samples of the posterior, the better the nearer. What both methods of this kind share.

namespace hone {

// Simulations with how far their data are from the observation.
struct AbcSamples {
  Matrix<double> local;          // (n, parameters): local coordinates in the prior
  Matrix<double> x;              // (n, data size), divided by the scale of each column
  std::vector<double> distance;  // Euclidean, of these
  std::vector<double> weights;   // importance weights, not normalised

  Index rows() const { return local.rows(); }
};

// Distances of the data to the observation. scale (data size): of each column.
AbcSamples measure(const Dataset& data, std::span<const double> observation,
                   std::span<const double> scale);

// What the columns are divided by: 1, or the median absolute deviation of simulations from the
// prior (standard deviation where that is 0; 1 where that is 0 too).
std::vector<double> column_scale(const Dataset& data, const AbcOptions& options);

// These rows.
AbcSamples selected(const AbcSamples& samples, std::span<const Index> rows);
// Numbers of the nearest `count` rows, nearest first; of equals, the first.
std::vector<Index> nearest(const AbcSamples& samples, Index count);

// Linear regression adjustment (Beaumont et al. 2002): moves each sample by what a regression of
// the parameters on the data, in the neighbourhood of the observation, says about the difference
// between its data and the observed ones. Samples further away count less (Epanechnikov's kernel),
// in the regression and in the result. Parameters are regressed as log(local / (1 - local)), so
// that they stay inside the prior; a small ridge keeps the regression determined where columns are
// many.
void adjust_by_regression(AbcSamples& samples, std::span<const double> scaled_observation);

// The posterior that the samples show, in the run's journal.
InferenceResult abc_result(const InferenceRequest& request,
                           const std::function<AbcSamples()>& accept);

}  // namespace hone
