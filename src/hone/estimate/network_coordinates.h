#pragma once

#include "hone/engine/density_stack.h"
#include "hone/prior/marginals.h"
#include "hone/prior/truncated_prior.h"

namespace hone {

// What networks see of a parameter. Between finite bounds it is the local coordinate; without them
// the normal quantile of u, in which a normal or lognormal posterior is a parabola also far out,
// where u has no resolution left (docs/decisions/0003-default-preset.md has the gain). Of whole
// numbers it is the middle of what the value owns of the local coordinate: what networks say is the
// same in all of it.
float network_coordinate(const TruncatedPrior& prior, int d, float local);
float local_coordinate(const TruncatedPrior& prior, int d, float coordinate);  // back again
// log of d coordinate / d local.
double log_coordinate_slope(const TruncatedPrior& prior, int d, float coordinate);

// What polynomials see of it: u of the whole prior, in which the gaps of a region are as wide as
// they are, or without finite bounds its normal quantile.
double prior_coordinate(const TruncatedPrior& prior, int d, double local);

// Local coordinates (n, marginal) as the networks see them.
Matrix<float> network_coordinates(const TruncatedPrior& prior, const Marginal& marginal,
                                  MatrixView<const float> local);
// Where all parameters lie in these coordinates.
ColumnBounds coordinate_bounds(const TruncatedPrior& prior);

Marginal all_parameters(const TruncatedPrior& prior);

// Two numbers for each parameter, local coordinate and normal score, for networks that must know a
// parameter at the edges of its range as well as in the middle. (n, 2 parameters)
Matrix<float> parameter_features(const TruncatedPrior& prior, MatrixView<const float> local);

}  // namespace hone
