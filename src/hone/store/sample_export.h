#pragma once

#include <span>
#include <string>
#include <vector>

#include "hone/core/matrix.h"

namespace hone {

// Posterior draws in the formats of other programs. Bytes out: files are the caller's.
struct ExportedSamples {
  std::vector<std::string> names, labels;  // (columns)
  MatrixView<const double> theta;          // (draws, columns)
  std::span<const double> log_density;     // (draws), normalised, in units of the parameters
};

// NumPy's .npz: `samples` (draws, columns), `names`, `labels` (columns), `log_density` and
// `weights` (draws), all equal.
std::string npz_bytes(const ExportedSamples& samples);

// netCDF-4, which is HDF5, as ArviZ reads it (InferenceData): group `posterior` with a variable
// (chain, draw) for each column, group `sample_stats` with `lp`. One chain.
std::string netcdf_bytes(const ExportedSamples& samples);

}  // namespace hone
