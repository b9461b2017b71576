#pragma once

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hone/core/matrix.h"

namespace hone {

// Posterior draws on their way into the formats of other programs.
struct ExportedSamples {
  struct Column {
    std::string name, label;
    double low, high;  // bounds of the region; may be infinite
  };
  std::vector<Column> columns;
  MatrixView<const double> theta;  // (draws, columns)
  // (draws), normalised, in units of the parameters; called by the formats that keep it.
  std::function<std::vector<double>()> log_density;
};

// Bytes of files, each with what its name adds to the one the user gave. Writing is the caller's.
using ExportedFiles = std::vector<std::pair<std::string, std::string>>;

// Adding a format: its file, a row of the table (export_formats.cpp).
struct ExportFormat {
  std::string name;     // of the option --format
  std::string summary;  // what it is, in a few words
  bool one_file;        // false: several, which need a name
  ExportedFiles (*make)(const ExportedSamples&);
};
const std::vector<ExportFormat>& export_formats();
const ExportFormat& find_export_format(
    const std::string& name);  // Error{input} with those there are

// CSV: a header of names, then numbers with full precision.
ExportedFiles export_csv(const ExportedSamples& samples);

// NumPy's .npy: the array (draws, columns).
ExportedFiles export_npy(const ExportedSamples& samples);

// NumPy's .npz: `samples` (draws, columns), `names`, `labels` (columns), `log_density` and
// `weights` (draws), all equal.
ExportedFiles export_npz(const ExportedSamples& samples);

// netCDF-4, which is HDF5, as ArviZ reads it (InferenceData): group `posterior` with a variable
// (chain, draw) for each column, group `sample_stats` with `lp`. One chain.
ExportedFiles export_netcdf(const ExportedSamples& samples);

// GetDist chains: weight, -log posterior, parameters in ROOT_1.txt; names with labels in
// ROOT.paramnames; bounds of the region in ROOT.ranges.
ExportedFiles export_getdist(const ExportedSamples& samples);

}  // namespace hone
