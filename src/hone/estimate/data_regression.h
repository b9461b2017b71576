#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "hone/core/named_array.h"
#include "hone/estimate/normal_draws.h"
#include "hone/estimate/polynomial_basis.h"

namespace hone {

// How the data scatter around their mean.
enum class Scatter {
  independent,  // every column on its own, as much everywhere
  correlated,   // with a covariance, the same everywhere
  varying,      // every column on its own; the log of the variance is linear in the parameters
};

struct RegressionForm {
  int degree = 1;  // of the polynomial
  Scatter scatter = Scatter::independent;
  double shrinkage = 0;   // of a covariance, towards its diagonal; in (0, 1)
  bool low_rank = false;  // what of the mean is no more than noise is left out
};

inline constexpr int kMostDegree = 4;
inline constexpr Index kMostMonomials = 120;

// Standard scores of data, and coordinates z of the parameters behind them (about standard scores
// too), for the same simulations.
struct RegressionRows {
  Matrix<double> y;  // (n, columns)
  Matrix<double> z;  // (n, parameters)
};

// p(x | theta) as a normal density: standard scores y of the data are
//
//   y = B^T phi(z) + noise,   phi: monomials of z up to some degree (polynomial_basis.h)
//
// with B by least squares. That the simulations tell B only so well widens the noise by the factor
// 1 + h, h = phi^T (Phi^T Phi)^-1 phi, as it does in Bayesian regression.
//
// Columns that do not depend on the parameters count for nothing. Where columns are taken for
// independent and are not, or a covariance is known badly, the likelihood is too sure of itself: it
// may be raised to a power below 1, its certainty.
//
// Far from the posterior no simulator is so simple. Near it, in a truncated region, many are, and
// what there are polynomials and variances is learned from far fewer simulations than a network
// needs, however long the data are.
class DataRegression {
 public:
  DataRegression(const RegressionRows& rows, const RegressionForm& form);
  // Error{io} if they do not fit.
  static DataRegression from_arrays(std::span<const NamedArray> arrays, Index parameters);
  std::vector<NamedArray> to_arrays() const;

  Index columns() const { return mean_.cols(); }
  Index parameters() const { return basis_.variables(); }
  // 1 / standard deviation of the noise of every column, where it is independent and the same
  // everywhere.
  std::vector<double> inverse_noise() const;
  void set_certainty(double certainty);  // in (0, 1]; 1 from the start

  // out[j] = certainty log p(y | row j of z) / p(y | z = 0). z: (n, parameters)
  void log_likelihoods(std::span<double> out, std::span<const double> y,
                       MatrixView<const double> z) const;

  // log p(y | z = 0), a density of y. None where the likelihood was raised to a power, or columns
  // are constant.
  std::optional<double> log_density_at_centre(std::span<const double> y) const;

  // z of a parameter with this normal score.
  using Coordinate = std::function<double(Index parameter, double score)>;
  // The posterior of normal scores near its peak, which Gauss-Newton steps from the best of some
  // points find. Of a varying scatter the average is taken: this is for a proposal.
  NormalScores peak(std::span<const double> y, const Coordinate& coordinate) const;

 private:
  explicit DataRegression(PolynomialBasis basis);
  void leave_out_noise(const Matrix<double>& square);
  void finish();  // what follows from the rest

  // log p(y | phi) = slope . phi - phi^T curvature phi / 2 - square / 2 with constant scatter.
  struct Parabola {
    std::vector<double> slope;
    double square = 0;
  };
  struct Point;  // where the search for the peak is
  Parabola parabola(std::span<const double> y) const;
  Point point_at(const Parabola& parabola, std::vector<double> scores,
                 const Coordinate& coordinate) const;
  double quadratic(const Parabola& parabola, std::span<const double> phi) const;
  std::vector<double> varying(std::span<const double> y, const Matrix<double>& phi,
                              const Matrix<double>& z, std::span<const double> wider) const;
  std::vector<double> unscaled(std::span<const double> y, const Matrix<double>& z,
                               const Parabola& parabola) const;

  PolynomialBasis basis_;
  Matrix<double> mean_;          // B (monomials, columns)
  Matrix<double> leverage_;      // (Phi^T Phi)^-1 (monomials, monomials)
  Matrix<double> precision_;     // Q (columns, columns), or its diagonal (1, columns)
  Matrix<double> log_variance_;  // (1 + parameters, columns) if it varies
  double certainty_ = 1;
  Matrix<double> weighted_;     // B Q (monomials, columns)
  Matrix<double> curvature_;    // B Q B^T (monomials, monomials)
  double telling_columns_ = 0;  // those that depend on the parameters
  double log_root_precision_ =
      0;  // log det Q / 2; 0 if the scatter varies, where it is no constant
};

}  // namespace hone
