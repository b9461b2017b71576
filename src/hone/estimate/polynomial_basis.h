#pragma once

#include <span>
#include <vector>

#include "hone/core/matrix.h"

namespace hone {

// The monomials of some variables up to a degree, 1, z_0, z_1, .., z_0^2, z_0 z_1, .., in the order
// of their degrees: those of a lower degree are the first ones.
class PolynomialBasis {
 public:
  PolynomialBasis(Index variables, int degree);

  // binomial(variables + degree, degree); a limit where that is more.
  static Index size_of(Index variables, int degree);

  Index variables() const { return variables_; }
  int degree() const { return degree_; }
  Index size() const { return static_cast<Index>(factors_.size()); }

  void values(std::span<double> out, std::span<const double> z) const;  // (size)
  // out (size, variables): d value / d z, where the values are known.
  void slopes(MatrixView<double> out, std::span<const double> values,
              std::span<const double> z) const;

 private:
  // Monomial i = monomial `rest` times z_variable; the first one is 1.
  struct Factor {
    std::size_t rest, variable;
  };
  Index variables_;
  int degree_;
  std::vector<Factor> factors_;
};

}  // namespace hone
