#include "hone/metrics/sliced_wasserstein.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "hone/metrics/sample_checks.h"

namespace hone {

void SlicedWassersteinOptions::validate() const {
  if (directions < 1) {
    fail(ErrorKind::input, "wasserstein.directions = {}: must be 1 or greater", directions);
  }
}

namespace {

std::vector<double> random_direction(Index cols, Rng rng) {
  std::vector<double> direction(static_cast<std::size_t>(cols));
  for (double& value : direction) value = rng.normal();
  const double length =
      std::sqrt(std::inner_product(direction.begin(), direction.end(), direction.begin(), 0.0));
  for (double& value : direction) value /= length;
  return direction;
}

std::vector<double> sorted_projection(MatrixView<const double> sample,
                                      const std::vector<double>& direction) {
  std::vector<double> out(static_cast<std::size_t>(sample.rows()));
  for (Index i = 0; i < sample.rows(); ++i) {
    const auto row = sample.row(i);
    out[static_cast<std::size_t>(i)] =
        std::inner_product(row.begin(), row.end(), direction.begin(), 0.0);
  }
  std::ranges::sort(out);
  return out;
}

// Both quantile functions are steps, at multiples of 1 / n and of 1 / m.
double squared_distance(const std::vector<double>& a, const std::vector<double>& b) {
  const double n = static_cast<double>(a.size()), m = static_cast<double>(b.size());
  double sum = 0, level = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const double end_a = static_cast<double>(i + 1) / n, end_b = static_cast<double>(j + 1) / m;
    const double next = std::min(end_a, end_b), difference = a[i] - b[j];
    sum += (next - level) * difference * difference;
    level = next;
    if (end_a <= next) ++i;
    if (end_b <= next) ++j;
  }
  return sum;
}

}  // namespace

double sliced_wasserstein(MatrixView<const double> a, MatrixView<const double> b,
                          const SlicedWassersteinOptions& options, const Rng& rng) {
  options.validate();
  check_comparable(a, b, 1, "wasserstein");
  const Index directions = a.cols() == 1 ? 1 : options.directions;
  std::vector<double> squares(static_cast<std::size_t>(directions));
  parallel_for(directions, [&](Index d) {
    const auto u = random_direction(a.cols(), rng.child("direction", std::uint64_t(d)));
    squares[std::size_t(d)] = squared_distance(sorted_projection(a, u), sorted_projection(b, u));
  });
  return std::sqrt(std::accumulate(squares.begin(), squares.end(), 0.0) /
                   static_cast<double>(directions));
}

}  // namespace hone
