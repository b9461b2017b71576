#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hone/core/observer.h"
#include "hone/metrics/c2st.h"
#include "hone/metrics/mmd.h"
#include "hone/prior/marginals.h"

namespace hone {

enum class Metric { c2st, c2st_1d, c2st_2d, kl, wasserstein, mmd };

// All, in the order of the enum: "c2st", "c2st-1d", "c2st-2d", "kl", "wasserstein", "mmd".
const std::vector<std::string>& metric_names();
Metric parse_metric(const std::string& name);  // Error{input} with the nearest name

// A distance, and how large it is between equal distributions at this number of draws.
struct Distance {
  double value = 0;
  double if_equal = 0;
};

struct MarginalC2st {
  Marginal columns;
  double value = 0;
};

// What was asked for; the rest is empty.
struct Comparison {
  Index draws = 0;                      // of each sample
  std::optional<double> c2st;           // of all columns together
  std::vector<MarginalC2st> c2st_1d;    // of every column
  std::vector<MarginalC2st> c2st_2d;    // of every pair of columns
  std::vector<Distance> kl;             // of every column, KL(a || b) by histograms
  std::optional<Distance> wasserstein;  // sliced, on z-scores by a
  std::optional<Mmd> mmd;               // on z-scores by a
};

// Compares two samples in several ways. Of samples of different size the first min(n_a, n_b) rows
// of each are used; rows must be in random order, for the scale of KL and Wasserstein comes from
// comparing two halves of a. Throws Error{input} for samples that cannot be compared, before any
// work. Observed as the stage "c2st", whose classifiers a group shares out.
Comparison compare_samples(MatrixView<const double> a, MatrixView<const double> b,
                           const std::vector<Metric>& metrics, const Rng& rng,
                           Observer& observer = silent_observer(),
                           ProcessGroup& group = single_process());

// Mean over the marginals: C2ST-ddm. 0 for none.
double mean_c2st(const std::vector<MarginalC2st>& marginals);

}  // namespace hone
