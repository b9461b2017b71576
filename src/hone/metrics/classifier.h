#pragma once

#include <span>

#include "hone/core/matrix.h"
#include "hone/core/rng.h"
#include "hone/engine/network.h"

namespace hone {

// A multilayer perceptron that tells two classes apart, trained as scikit-learn's MLPClassifier
// does by default: ReLU, Glorot uniform weights and biases, log loss + l2 / 2 |W|^2 / rows, Adam,
// new batches in every epoch, no validation set. Training ends when the training loss has not
// fallen by `tolerance` for more than `patience` epochs in a row.
struct ClassifierOptions {
  int hidden = 10;              // features of each of the hidden layers; >= 1
  int layers = 2;               // hidden layers; >= 1
  double learning_rate = 1e-3;  // > 0
  Index batch_size = 200;       // >= 1
  double l2 = 1e-4;             // penalty on weights, not on biases; >= 0
  double tolerance = 1e-4;      // >= 0
  int patience = 10;            // >= 1
  int max_epochs = 10000;       // >= 0; 0 leaves the initial weights

  void validate() const;
};

// x (n, d), in the order of magnitude of 1; labels (n): 0 or 1.
struct LabelledRows {
  MatrixView<const float> x;
  std::span<const float> labels;
};

// Trains on `training` and returns the fraction of rows of `held_out` it labels correctly. One
// network on the calling thread; same bits for the same rng.
double held_out_accuracy(const LabelledRows& training, const LabelledRows& held_out,
                         const ClassifierOptions& options, const Rng& rng);

}  // namespace hone
