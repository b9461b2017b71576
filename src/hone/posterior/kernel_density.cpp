#include "hone/posterior/kernel_density.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "hone/core/error.h"
#include "hone/core/parallel.h"

namespace hone {
namespace {

constexpr double kReach = 6;  // widths; beyond it a kernel is below 2e-8 of its peak

double kernel(double distance, double width) {
  const double z = distance / width;
  if (std::abs(z) > kReach) return 0;
  constexpr double kNorm = std::numbers::inv_sqrtpi / std::numbers::sqrt2;
  return kNorm / width * std::exp(-0.5 * z * z);
}

// With its images behind both ends.
double kernel(double at, double center, double width, bool bounded) {
  double value = kernel(at - center, width);
  if (bounded) value += kernel(at + center, width) + kernel(2 - at - center, width);
  return value;
}

double deviation_of(const WeightedPoints& data, Index column) {
  double mean = 0, square = 0;
  for (Index i = 0; i < data.points.rows(); ++i) {
    mean += data.weights[static_cast<std::size_t>(i)] * data.points(i, column);
  }
  for (Index i = 0; i < data.points.rows(); ++i) {
    const double off = data.points(i, column) - mean;
    square += data.weights[static_cast<std::size_t>(i)] * off * off;
  }
  // All points in one place: narrower than anything that is looked at.
  return std::max(std::sqrt(square), 1e-9);
}

// Chooses the factor of the widths on the first points of a shuffled order.
class FactorChoice {
 public:
  FactorChoice(const WeightedPoints& data, const std::vector<double>& scale,
               const std::vector<bool>& bounded, std::vector<Index> rows)
      : data_(data), scale_(scale), bounded_(bounded), rows_(std::move(rows)) {}

  // Golden-section search of the logarithm.
  double best() const {
    constexpr double kGolden = 0.6180339887498949;
    double low = std::log(0.01), high = std::log(2.0);
    double a = high - kGolden * (high - low), b = low + kGolden * (high - low);
    double at_a = score(std::exp(a)), at_b = score(std::exp(b));
    for (int i = 0; i < 9; ++i) {
      if (at_a > at_b) {
        high = b, b = a, at_b = at_a;
        a = high - kGolden * (high - low);
        at_a = score(std::exp(a));
      } else {
        low = a, a = b, at_a = at_b;
        b = low + kGolden * (high - low);
        at_b = score(std::exp(b));
      }
    }
    return std::exp(0.5 * (low + high));
  }

 private:
  // Log likelihood of every point by the others.
  double score(double factor) const {
    const std::size_t n = rows_.size();
    std::vector<double> sums(n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < i; ++k) {
        const double value = between(rows_[i], rows_[k], factor);
        sums[i] += weight(k) * value;
        sums[k] += weight(i) * value;
      }
    }
    double total = 0;
    constexpr double kNobody = 1e-12;  // a point that no other is near
    for (std::size_t i = 0; i < n; ++i) total += weight(i) * std::log(sums[i] + kNobody);
    return total;
  }
  double weight(std::size_t i) const { return data_.weights[static_cast<std::size_t>(rows_[i])]; }
  double between(Index i, Index k, double factor) const {
    double product = 1;
    bool equal = true;
    for (Index j = 0; j < data_.points.cols() && product > 0; ++j) {
      const auto at = static_cast<std::size_t>(j);
      equal = equal && data_.points(i, j) == data_.points(k, j);
      product *= scale_[at] *
                 kernel(data_.points(i, j), data_.points(k, j), factor * scale_[at], bounded_[at]);
    }
    return equal ? 0 : product;
  }

  const WeightedPoints& data_;
  const std::vector<double>& scale_;
  const std::vector<bool>& bounded_;
  std::vector<Index> rows_;
};

}  // namespace

KernelDensity::KernelDensity(WeightedPoints points, std::vector<bool> bounded, Index selection)
    : data_(std::move(points)), bounded_(std::move(bounded)), cumulative_(data_.weights.size()) {
  HONE_ASSERT(data_.points.rows() == std::ssize(data_.weights) && data_.points.rows() >= 2);
  HONE_ASSERT(std::ssize(bounded_) == dimensions());
  std::partial_sum(data_.weights.begin(), data_.weights.end(), cumulative_.begin());
  std::vector<double> scale;
  for (Index j = 0; j < dimensions(); ++j) scale.push_back(deviation_of(data_, j));
  const Index n = data_.points.rows(), used = std::min(n, selection);
  std::vector<Index> rows = Rng(0).child("kernel selection").permutation(n);
  rows.resize(static_cast<std::size_t>(used));
  const double power = -1.0 / (4 + static_cast<double>(dimensions()));
  const double factor = FactorChoice(data_, scale, bounded_, std::move(rows)).best() *
                        std::pow(static_cast<double>(n) / static_cast<double>(used), power);
  for (const double one : scale) widths_.push_back(factor * one);
}

double KernelDensity::at_point(std::span<const double> point) const {
  double sum = 0;
  for (Index i = 0; i < data_.points.rows(); ++i) {
    double product = data_.weights[static_cast<std::size_t>(i)];
    for (std::size_t j = 0; j < point.size() && product > 0; ++j) {
      product *= kernel(point[j], data_.points(i, static_cast<Index>(j)), widths_[j], bounded_[j]);
    }
    sum += product;
  }
  return sum;
}

namespace {

// Cells of a table along one coordinate: nodes low, low + step, ..., `nodes` of them.
struct TableAxis {
  double low = 0, step = 1;
  Index nodes = 2;

  TableAxis(const Matrix<double>& points, Index column, double width, bool bounded, Index most) {
    double first = std::numeric_limits<double>::infinity(), last = -first;
    for (Index i = 0; i < points.rows(); ++i) {
      first = std::min(first, points(i, column));
      last = std::max(last, points(i, column));
    }
    first -= kReach * width;
    last += kReach * width;
    low = bounded ? std::max(0.0, first) : first;
    const double high = bounded ? std::min(1.0, last) : last;
    nodes = std::clamp<Index>(static_cast<Index>((high - low) / (0.25 * width)) + 2, 16, most);
    step = (high - low) / static_cast<double>(nodes - 1);
  }

  double at(Index node) const { return low + step * static_cast<double>(node); }
  // Kernel values of a point at the nodes it reaches: first node and values.
  Index values(std::vector<double>& out, double center, double width, bool bounded) const {
    const auto node = [&](double x) { return static_cast<Index>(std::floor((x - low) / step)); };
    Index begin = std::clamp<Index>(node(center - kReach * width), 0, nodes - 1);
    Index end = std::clamp<Index>(node(center + kReach * width) + 2, 0, nodes);
    if (bounded && center - kReach * width < 0) begin = 0;
    if (bounded && center + kReach * width > 1) end = nodes;
    out.clear();
    for (Index k = begin; k < end; ++k) out.push_back(kernel(at(k), center, width, bounded));
    return begin;
  }
  // Node below x and the fraction of the way to the next; -1: outside.
  std::pair<Index, double> place(double x) const {
    const double t = (x - low) / step;
    if (!(t >= 0 && t <= static_cast<double>(nodes - 1))) return {-1, 0};
    const Index k = std::min<Index>(static_cast<Index>(t), nodes - 2);
    return {k, t - static_cast<double>(k)};
  }
};

}  // namespace

std::vector<double> KernelDensity::from_table(MatrixView<const double> at) const {
  const bool plane = dimensions() == 2;
  const TableAxis x(data_.points, 0, widths_[0], bounded_[0], plane ? 320 : 8192);
  const TableAxis y = plane ? TableAxis(data_.points, 1, widths_[1], bounded_[1], 320) : x;
  Matrix<double> table(plane ? y.nodes : 1, x.nodes);
  std::vector<double> along_x, along_y;
  for (Index i = 0; i < data_.points.rows(); ++i) {
    const Index first_x = x.values(along_x, data_.points(i, 0), widths_[0], bounded_[0]);
    Index first_y = 0;
    along_y.assign(1, 1.0);
    if (plane) first_y = y.values(along_y, data_.points(i, 1), widths_[1], bounded_[1]);
    for (std::size_t b = 0; b < along_y.size(); ++b) {
      double* row = table.row(first_y + static_cast<Index>(b)).data() + first_x;
      const double factor = data_.weights[static_cast<std::size_t>(i)] * along_y[b];
      for (std::size_t a = 0; a < along_x.size(); ++a) row[a] += factor * along_x[a];
    }
  }
  std::vector<double> result(static_cast<std::size_t>(at.rows()), 0.0);
  for (Index i = 0; i < at.rows(); ++i) {
    const auto [a, s] = x.place(at(i, 0));
    const auto [b, t] = plane ? y.place(at(i, 1)) : std::pair<Index, double>{0, 0.0};
    if (a < 0 || b < 0) continue;
    double value = (1 - s) * table(b, a) + s * table(b, a + 1);
    if (plane) value = (1 - t) * value + t * ((1 - s) * table(b + 1, a) + s * table(b + 1, a + 1));
    result[static_cast<std::size_t>(i)] = value;
  }
  return result;
}

std::vector<double> KernelDensity::densities(MatrixView<const double> at) const {
  HONE_ASSERT(at.cols() == dimensions());
  constexpr Index kWorthATable = 1500;
  if (dimensions() <= 2 && at.rows() > kWorthATable) return from_table(at);
  std::vector<double> result(static_cast<std::size_t>(at.rows()));
  for (Index i = 0; i < at.rows(); ++i) result[static_cast<std::size_t>(i)] = at_point(at.row(i));
  return result;
}

void KernelDensity::draw(std::span<double> point, Rng& rng) const {
  const auto found = std::ranges::upper_bound(cumulative_, rng.uniform() * cumulative_.back());
  const Index i = std::min<Index>(found - cumulative_.begin(), data_.points.rows() - 1);
  for (std::size_t j = 0; j < point.size(); ++j) {
    double value = data_.points(i, static_cast<Index>(j)) + widths_[j] * rng.normal();
    if (bounded_[j]) {
      value = std::abs(value);
      if (value > 1) value = std::clamp(2 - value, 0.0, 1.0);
    }
    point[j] = value;
  }
}

}  // namespace hone
