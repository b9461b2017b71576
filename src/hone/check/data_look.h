#pragma once

#include <string>
#include <vector>

#include "hone/core/matrix.h"

// A first look at data, before a run: what a careful colleague would see in a few dozen
// simulations.

namespace hone {

// Simulations of a few parameter vectors, several times each with other seeds: row g repeats + r is
// repeat r of parameters g.
struct RepeatedSimulations {
  MatrixView<const double> x;  // (groups repeats, columns)
  Index repeats = 1;
};

struct Remark {
  std::string kind;  // stable word for scripts: "constant", "series", "gaussian", ...
  std::string seen;
  std::string advice;  // what to set; empty: nothing
};

// At least two groups; with fewer than four repeats nothing is said about the noise.
//   same       all data are equal: the simulator ignores its parameters and its seed
//   constant   some columns never change
//   scales     the spreads of columns differ by more than 1e6
//   no_noise   another seed gives the same data
//   image      neighbours are alike in both directions of a square
//   series     neighbours are alike
//   gaussian   the noise looks additive and Gaussian
//   poisson    the data look like counts with Poisson noise
std::vector<Remark> look_at_data(const RepeatedSimulations& simulations);

}  // namespace hone
