#pragma once

#include <functional>
#include <string>
#include <vector>

#include "hone/core/rng.h"
#include "hone/metrics/c2st.h"

// Pairs of samples from identical to disjoint, the same rows for hone and for scikit-learn
// (export_cases.cpp writes them, data/sklearn_c2st.py reads them).

namespace hone::test {

struct C2stCase {
  std::string name;
  Index cols = 1;
  // Turns a row of independent standard normals into a draw of the second sample; the first sample
  // is left as it is. `coin` is +1 or -1.
  std::function<void(std::span<double> row, double coin)> second;
};

inline std::vector<C2stCase> c2st_cases() {
  const auto affine = [](double shift, double scale) {
    return [=](std::span<double> row, double) {
      for (double& value : row) value = shift + scale * value;
    };
  };
  // Every pair of columns has correlation r^2, and r with the first.
  const auto correlated = [](double r) {
    return [=](std::span<double> row, double) {
      for (double& value : row.subspan(1)) value = r * row[0] + std::sqrt(1 - r * r) * value;
    };
  };
  // Two modes per column, with mean 0 and standard deviation 1 as in the first sample.
  const auto bimodal = [](double distance) {
    return [=](std::span<double> row, double coin) {
      for (double& value : row) {
        value = coin * distance + std::sqrt(1 - distance * distance) * value;
      }
    };
  };
  return {
      {"identical_1d", 1, affine(0, 1)},     {"shift_1d", 1, affine(0.3, 1)},
      {"far_shift_1d", 1, affine(1.5, 1)},   {"scale_1d", 1, affine(0, 2)},
      {"bimodal_1d", 1, bimodal(0.8)},       {"disjoint_1d", 1, affine(12, 1)},
      {"identical_2d", 2, affine(0, 1)},     {"shift_2d", 2, affine(0.3, 1)},
      {"scale_2d", 2, affine(0, 1.5)},       {"correlated_2d", 2, correlated(0.8)},
      {"bimodal_2d", 2, bimodal(0.7)},       {"identical_5d", 5, affine(0, 1)},
      {"shift_5d", 5, affine(0.2, 1)},       {"narrow_5d", 5, affine(0, 0.7)},
      {"correlated_5d", 5, correlated(0.6)},
  };
}

inline constexpr Index kC2stCaseRows = 1000;

inline SamplePair make_case(const C2stCase& c) {
  SamplePair pair{Matrix<double>(kC2stCaseRows, c.cols), Matrix<double>(kC2stCaseRows, c.cols)};
  Rng rng = Rng(20).child(c.name);
  for (Index i = 0; i < kC2stCaseRows; ++i) {
    for (double& value : pair.a.row(i)) value = rng.normal();
    for (double& value : pair.b.row(i)) value = rng.normal();
    c.second(pair.b.row(i), rng.uniform() < 0.5 ? -1.0 : 1.0);
  }
  return pair;
}

}  // namespace hone::test
