#pragma once

#include <functional>
#include <vector>

#include "hone/core/matrix.h"
#include "hone/core/rng.h"

namespace hone {

struct EnsembleMcmcOptions {
  Index walkers = 256;  // even
  Index burn_in = 300;  // sweeps thrown away
  Index thin = 10;      // sweeps between samples kept
  double stretch = 2;   // scale of the stretch move
};

struct EnsembleMcmcResult {
  Matrix<double> points;  // (rows, dimensions)
  double acceptance = 0;
  double effective_size = 0;  // of the worst coordinate
};

// Affine-invariant ensemble sampling (Goodman & Weare 2010) of a density on the open unit cube. The
// two halves of the walkers move in turn, each with the other as its guide, so that a half sweep is
// one call of log_density. Walkers: (EnsembleMcmcOptions::walkers, dimensions), all of finite
// density.
EnsembleMcmcResult ensemble_mcmc(
    const std::function<std::vector<double>(const Matrix<double>&)>& log_density,
    Matrix<double> walkers, Index rows, const Rng& rng, const EnsembleMcmcOptions& options = {});

}  // namespace hone
