#include "hone/metrics/mmd.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "hone/metrics/sample_checks.h"

namespace hone {

void MmdOptions::validate() const {
  if (!(bandwidth >= 0) || !std::isfinite(bandwidth)) {
    fail(ErrorKind::input, "mmd.bandwidth = {}: must be greater than 0, or 0 for the median",
         bandwidth);
  }
  if (max_rows < 2) fail(ErrorKind::input, "mmd.max_rows = {}: must be 2 or greater", max_rows);
}

namespace {

double squared_distance(std::span<const double> x, std::span<const double> y) {
  double sum = 0;
  for (std::size_t j = 0; j < x.size(); ++j) sum += (x[j] - y[j]) * (x[j] - y[j]);
  return sum;
}

double median_distance(MatrixView<const double> sample) {
  constexpr Index kRows = 1000;
  std::vector<double> squares;
  for (Index i = 0; i < std::min(sample.rows(), kRows); ++i) {
    for (Index j = 0; j < i; ++j) {
      squares.push_back(squared_distance(sample.row(i), sample.row(j)));
    }
  }
  const auto middle = squares.begin() + static_cast<std::ptrdiff_t>(squares.size() / 2);
  std::ranges::nth_element(squares, middle);
  if (!(*middle > 0)) {
    fail(ErrorKind::input,
         "mmd: most rows of the first sample are equal, so that their median distance is 0; give a "
         "bandwidth");
  }
  return std::sqrt(*middle);
}

// Over j < i: h(i, j) = k(a_i, a_j) + k(b_i, b_j) - k(a_i, b_j) - k(a_j, b_i)
struct RowSums {
  double sum = 0, square = 0;
};

RowSums row_sums(MatrixView<const double> a, MatrixView<const double> b, Index i, double factor) {
  RowSums sums;
  const auto kernel = [&](std::span<const double> x, std::span<const double> y) {
    return std::exp(factor * squared_distance(x, y));
  };
  for (Index j = 0; j < i; ++j) {
    const double h = kernel(a.row(i), a.row(j)) + kernel(b.row(i), b.row(j)) -
                     kernel(a.row(i), b.row(j)) - kernel(a.row(j), b.row(i));
    sums.sum += h;
    sums.square += h * h;
  }
  return sums;
}

}  // namespace

Mmd mmd(MatrixView<const double> a, MatrixView<const double> b, const MmdOptions& options) {
  options.validate();
  check_comparable(a, b, 2, "mmd");
  Mmd result;
  result.rows = std::min({a.rows(), b.rows(), options.max_rows});
  result.bandwidth = options.bandwidth > 0 ? options.bandwidth : median_distance(a);
  const double factor = -0.5 / (result.bandwidth * result.bandwidth);
  std::vector<RowSums> rows(static_cast<std::size_t>(result.rows));
  parallel_for(result.rows, [&](Index i) { rows[std::size_t(i)] = row_sums(a, b, i, factor); });
  RowSums total;
  for (const RowSums& row : rows) {
    total.sum += row.sum;
    total.square += row.square;
  }
  // The mean over pairs is a U-statistic; if both distributions are equal it is degenerate, with
  // variance 2 E h^2 / n (n - 1).
  const double n = static_cast<double>(result.rows), pairs = n * (n - 1) / 2;
  result.squared = total.sum / pairs;
  result.noise = std::sqrt(total.square / pairs / pairs);
  return result;
}

}  // namespace hone
