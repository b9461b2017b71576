#pragma once

#include <span>
#include <string>
#include <vector>

#include "hone/core/matrix.h"
#include "hone/core/observer.h"
#include "hone/core/process_group.h"
#include "hone/core/rng.h"
#include "hone/metrics/classifier.h"

// The classifier two-sample test (C2ST): the accuracy with which a classifier tells two samples
// apart on rows it has not seen. 0.5: indistinguishable; 1: disjoint. As the sbibm benchmark
// (Lueckmann et al. 2021) defines it: both samples z-scored by mean and standard deviation of the
// first, a network with two hidden layers of 10 x dimension, the mean of 5 shuffled folds.
//
// With n draws per sample the value of two equal distributions scatters by c2st_noise(n) around a
// mean just below 0.5: what a fold holds out is missing among the rows it is trained on.

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
// finite, or a column that is constant in `a`. Observed as the stage "c2st". In a group every
// process trains its share of the folds, and all get all values.
std::vector<double> c2st(std::span<const SamplePair> pairs, const C2stOptions& options,
                         const Rng& rng, Observer& observer = silent_observer(),
                         ProcessGroup& group = single_process());
// The same number as for a list of this one pair.
double c2st(MatrixView<const double> a, MatrixView<const double> b, const C2stOptions& options,
            const Rng& rng);

// Standard deviation of the value if both distributions are equal. Guessing has sqrt(0.25 / (2 n));
// folds share their training rows, which makes it 1.2 to 1.4 times that (measured in 1 to 5
// dimensions, n = 1,000 and 5,000). The larger is used.
double c2st_noise(Index draws_per_sample);

}  // namespace hone
