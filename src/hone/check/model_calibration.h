#pragma once

#include <span>
#include <string>
#include <vector>

#include "hone/check/checks.h"
#include "hone/core/matrix.h"

namespace hone {

// Held-out simulations that were given a similar probability to be of a model.
struct ReliabilityBin {
  double low = 0, high = 1;        // probabilities of this bin
  Index draws = 0;                 // of all models
  double predicted = 0, real = 0;  // mean probability, and the fraction that is of the model
};

// Of one model against all others. With logit p the log odds that were predicted, the best fit of
//
//   real log odds = bias + slope logit p
//
// is (0, 1) where probabilities are right: a slope below 1 means that they are too extreme.
struct ModelReliability {
  int model = 0;
  std::vector<ReliabilityBin> bins = {};  // without those that hold nothing
  double bias = 0, slope = 1;
  double bias_error = 0, slope_error = 0;  // standard errors
  double probability = 1;  // of fits this far from (0, 1) by chance (score test, chi^2 of 2)
};

struct ModelCalibration {
  Index draws = 0;
  double in_doubt = 0;  // sum of p (1 - p), the largest of a model: draws that can tell
  std::vector<ModelReliability> models = {};  // of two models the first: the other is its mirror
  Status status = Status::pass;
  std::string reason = {};
};

// log_odds (n, models): log p(x | model) of simulations of known models, up to a function of x.
// Their frequencies among these are the prior probabilities of the test.
ModelCalibration test_reliability(MatrixView<const double> log_odds, std::span<const int> model);

}  // namespace hone
