#pragma once

#include <string>
#include <vector>

#include "hone/check/checks.h"

// Do the data say anything? A simulator that ignores its parameters, or its random seed and its
// parameters, gives posteriors that are right, well calibrated, and no answer to any question.

namespace hone {

// Columns that have the same value in all of these rows, which are simulations with different
// parameters. (m, columns), (n, columns)
std::vector<Index> constant_columns(MatrixView<const float> reference, MatrixView<const float> x);

// Columns that change, but by so little that single precision does not resolve it: values below
// 1e-38 are 0 to the networks.
std::vector<Index> unresolved_columns(MatrixView<const float> reference);

// What is known of a parameter after a run.
struct ParameterInformation {
  std::string name = {};
  bool learned = true;    // some network of its 1-d posterior was better than chance
  double kept = 1;        // prior mass that the region has left of its axis
  double efficiency = 1;  // effective share of the region that its posterior fills; 1: all of it
  bool equals_prior() const;
};

// fail: no column changes, or some are unresolved; caution: some posterior equals its prior.
// Constant columns among others that change are only named: the networks leave them out.
CheckResult information_result(const std::vector<Index>& constant, Index columns,
                               const std::vector<ParameterInformation>& parameters,
                               const std::vector<Index>& unresolved = {});

}  // namespace hone
