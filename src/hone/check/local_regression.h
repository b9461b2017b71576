#pragma once

#include <span>
#include <vector>

#include "hone/core/matrix.h"

namespace hone {

// What a regression says about the parameters of one data vector.
struct LocalEstimate {
  std::vector<double> mean, error;  // (parameters): and the scatter of the true values around it
};

// A linear regression of the true values on linear estimates of them, among the simulations that
// are nearest to a data vector (semi-automatic ABC: Fearnhead & Prangle 2012, Beaumont et al.
// 2002).
class LocalRegression {
 public:
  // s (m, parameters): linear estimates; theta (m, parameters): true values. Both must outlive it.
  LocalRegression(const Matrix<double>& s, MatrixView<const double> theta);

  LocalEstimate at(std::span<const double> target) const;  // target: its linear estimates

 private:
  double offset(Index i, std::size_t d, std::span<const double> target) const;
  void fill(std::vector<double>& row, Index i, std::span<const double> target) const;
  std::vector<double> kernel(std::span<const double> target) const;

  const Matrix<double>& s_;
  MatrixView<const double> theta_;
  std::vector<double> inverse_;
};

}  // namespace hone
