#pragma once

#include <span>
#include <string>
#include <vector>

#include "hone/core/matrix.h"
#include "hone/core/observer.h"
#include "hone/core/rng.h"
#include "hone/metrics/classifier.h"

// The classifier two-sample test (C2ST): the accuracy with which a classifier tells two samples
// apart on rows it has not seen. 0.5: indistinguishable; 1: disjoint. As the sbibm benchmark
// (Lueckmann et al. 2021) defines it: both samples z-scored by mean and standard deviation of the
// first, a network with two hidden layers of 10 x dimension, the mean of 5 shuffled folds.
//
// With n draws per sample the value of two equal distributions scatters around 0.5 by about
// c2st_noise(n); the scatter of one fold's training adds little to that.

namespace hone {

struct C2stOptions {
  int folds = 5;                  // >= 2
  int hidden_per_dimension = 10;  // features of a hidden layer, per column; >= 1
  ClassifierOptions classifier;   // `hidden` is replaced

  void validate() const;  // throws Error{input} naming the field, the value and the limit
};

// Rows are draws. Of samples of different size only the first min(n_a, n_b) rows of each are used,
// so that 0.5 always means indistinguishable; rows should therefore be in random order.
struct SamplePair {
  Matrix<double> a, b;
};

// One value per pair. All folds of all pairs train in parallel, each on one core; same bits for any
// number of threads, and a pair's value depends on rng and its position only. Throws Error{input}
// before any work for samples with different columns, fewer rows than folds, values that are not
// finite, or a column that is constant in `a`. Observed as the stage "c2st".
std::vector<double> c2st(std::span<const SamplePair> pairs, const C2stOptions& options,
                         const Rng& rng, Observer& observer = silent_observer());
// The same number as for a list of this one pair.
double c2st(MatrixView<const double> a, MatrixView<const double> b, const C2stOptions& options,
            const Rng& rng);

// Standard deviation of the accuracy of guessing: sqrt(0.25 / (2 n)).
double c2st_noise(Index draws_per_sample);

}  // namespace hone
