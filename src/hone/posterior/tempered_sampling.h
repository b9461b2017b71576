#pragma once

#include <functional>
#include <vector>

#include "hone/core/matrix.h"
#include "hone/core/rng.h"

namespace hone {

struct TemperedOptions {
  Index particles = 1024;  // even; as many draws come out
  double step = 0.5;       // one rise of the power leaves this part of the particles effective
  Index moves = 8;         // after each rise
  Index last_moves = 24;   // with the density itself
};

struct TemperedSamples {
  Matrix<double> points;  // (particles, dimensions), equally weighted
  double log_mean = 0;    // estimated log of the density's integral over the cube
  double acceptance = 0;  // of the last moves
  Index distinct = 0;     // points that differ
  int powers = 0;         // rises from the uniform distribution to the density
};

// Draws from a density on the open unit cube, given up to a constant, by sequential Monte Carlo:
// particles begin uniform, and follow density^power while the power rises from 0 to 1 as fast as
// their weights allow. Between two rises they are resampled and moved along differences of other
// particles (differential evolution), in all coordinates or in some: the size and the direction of
// the moves follow the density, and a difference between two modes leads from one to the other.
//
// log_density answers for all rows of a matrix at once; -infinity is allowed, but not everywhere.
// Throws Error{numerical} if no point has a finite density, or one is NaN.
TemperedSamples tempered_samples(
    const std::function<std::vector<double>(const Matrix<double>&)>& log_density, Index dimensions,
    const Rng& rng, const TemperedOptions& options = {});

}  // namespace hone
