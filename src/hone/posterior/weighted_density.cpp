#include "hone/posterior/weighted_density.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "hone/core/error.h"

namespace hone {
namespace {

// (1 - t^2)^2 on a regular table of the unit interval, with its images behind both ends; masses of
// the cells add up to 1. `width` is the standard deviation.
class Kernel {
 public:
  explicit Kernel(Index cells) : cells_(cells), mass_(static_cast<std::size_t>(cells)) {
    for (Index k = 0; k < cells; ++k) {
      steps_.push_back(static_cast<double>(k) / static_cast<double>(cells));
    }
  }

  void place(double center, double width) {
    const double n = static_cast<double>(cells_);
    const double reach = std::max(kRootOfSeven * width, 0.75 / n);
    const auto cell = [&](double u) { return static_cast<Index>(u * n); };  // of u >= 0
    first_ = center > reach ? cell(center - reach) : 0;
    const Index last = std::min<Index>(cells_ - 1, cell(center + reach));
    size_ = static_cast<std::size_t>(std::max<Index>(1, last - first_ + 1));
    first_ = std::min(first_, cells_ - 1);
    std::fill_n(mass_.begin(), size_, 0.0);
    add(center, reach, n);
    if (center < reach) add(-center, reach, n);
    if (center > 1 - reach) add(2 - center, reach, n);
    double sum = 0;
    for (const double value : mass()) sum += value;
    if (sum == 0) mass_[size_ / 2] = sum = 1;
    for (double& value : std::span(mass_).first(size_)) value /= sum;
  }
  std::span<const double> mass() const { return std::span(mass_).first(size_); }
  Index first() const { return first_; }

 private:
  static constexpr double kRootOfSeven = 2.6457513110645907;  // to the last bit

  void add(double center, double reach, double n) {
    const double start = (static_cast<double>(first_) + 0.5) / n - center;
    for (std::size_t k = 0; k < size_; ++k) {
      const double t = (start + steps_[k]) / reach;
      const double height = std::max(0.0, 1 - t * t);
      mass_[k] += height * height;
    }
  }

  Index cells_, first_ = 0;
  std::size_t size_ = 0;
  std::vector<double> mass_, steps_;  // steps: distances of cells from the first one
};

constexpr double kPart = 0.13;

double effective_size_of(std::span<const double> weights) {
  return 1 / std::inner_product(weights.begin(), weights.end(), weights.begin(), 0.0);
}

// What weighs little is left out: together no more than this part of the weight.
constexpr double kNegligible = 1e-4;

// Where a table of cells between 0 and 1, linear between their centres, has its value at u.
struct Between {
  std::size_t low, high;
  double part;

  Between(double u, std::size_t cells) {
    const double at =
        std::clamp(u * static_cast<double>(cells) - 0.5, 0.0, static_cast<double>(cells - 1));
    low = std::min(static_cast<std::size_t>(at), cells - 1);
    high = std::min(low + 1, cells - 1);
    part = at - static_cast<double>(low);
  }
};

}  // namespace

double WeightedDensity::Line::at(double u) const {
  const Between b(u, density.size());
  return (1 - b.part) * density[b.low] + b.part * density[b.high];
}

double WeightedDensity::Line::rank(double u) const {
  const double at = std::clamp(u, 0.0, 1.0) * static_cast<double>(density.size());
  const std::size_t cell = std::min(static_cast<std::size_t>(at), density.size() - 1);
  const double part = at - static_cast<double>(cell);
  return (1 - part) * below[cell] + part * below[cell + 1];
}

WeightedDensity::SharedLine WeightedDensity::make_line(MatrixView<const float> points, Index column,
                                                       std::span<const double> weights,
                                                       Index cells) {
  const std::size_t n = weights.size();
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto at = [&](std::size_t i) {
    return static_cast<double>(points(static_cast<Index>(i), column));
  };
  std::ranges::stable_sort(order, {}, at);
  std::vector<double> sorted, rank;  // rank: weight below, and half of its own
  double sum = 0;
  for (const std::size_t i : order) {
    sorted.push_back(at(i));
    rank.push_back(sum + 0.5 * weights[i]);
    sum += weights[i];
  }
  // The part of the weight between a point and the end of its kernel's width: at the peak of a
  // normal density about half of the best width, in its flanks the best, further out more.
  const double part = std::min(0.25, kPart * std::pow(effective_size_of(weights), -0.2));
  const auto quantile = [&](double p) {
    const auto found = std::ranges::lower_bound(rank, p * sum);
    return sorted[std::min(static_cast<std::size_t>(found - rank.begin()), n - 1)];
  };
  std::vector<double> widths;
  for (std::size_t i = 0; i < n; ++i) {
    // Counted from the ends of its own weight: a heavy point must not be its own neighbour.
    const double p = rank[i] / sum, reach = part + 0.5 * weights[order[i]] / sum;
    double width = 0.25;
    if (p > reach) width = std::min(width, sorted[i] - quantile(p - reach));
    if (p < 1 - reach) width = std::min(width, quantile(p + reach) - sorted[i]);
    widths.push_back(std::max(width, 0.5 / static_cast<double>(cells)));
  }
  Line line{std::vector<double>(static_cast<std::size_t>(cells), 0.0), {0.0}};
  // Points in one cell share a kernel, at their mean and as wide as they are on average.
  Kernel kernel(cells);
  for (std::size_t i = 0; i < n;) {
    const auto cell = std::floor(sorted[i] * static_cast<double>(cells));
    double weight = 0, center = 0, width = 0;
    for (; i < n && std::floor(sorted[i] * static_cast<double>(cells)) == cell; ++i) {
      weight += weights[order[i]];
      center += weights[order[i]] * sorted[i];
      width += weights[order[i]] * widths[i];
    }
    if (weight <= kNegligible * sum / static_cast<double>(cells)) continue;
    kernel.place(center / weight, width / weight);
    double* density = line.density.data() + kernel.first();
    for (const double mass : kernel.mass()) *density++ += weight * mass;
  }
  for (double& value : line.density) {
    line.below.push_back(line.below.back() + value / sum);
    value *= static_cast<double>(cells) / sum;
  }
  return std::make_shared<const Line>(std::move(line));
}

namespace {

std::vector<WeightedDensity::SharedLine> make_lines(MatrixView<const float> points,
                                                    std::span<const double> weights, Index cells) {
  std::vector<WeightedDensity::SharedLine> lines;
  for (Index d = 0; d < points.cols(); ++d) {
    lines.push_back(WeightedDensity::make_line(points, d, weights, cells));
  }
  return lines;
}

}  // namespace

WeightedDensity::WeightedDensity(MatrixView<const float> points, std::span<const double> weights,
                                 Cells cells)
    : WeightedDensity(points, weights, cells, make_lines(points, weights, cells.line)) {}

WeightedDensity::WeightedDensity(MatrixView<const float> points, std::span<const double> weights,
                                 Cells cells, std::vector<SharedLine> lines)
    : effective_size_(effective_size_of(weights)),
      weights_(weights.begin(), weights.end()),
      lines_(std::move(lines)) {
  HONE_ASSERT(points.rows() == std::ssize(weights) && points.rows() > 0);
  HONE_ASSERT(std::ssize(lines_) == points.cols());
  if (points.cols() == 1) {
    weights_.clear();
    return;
  }
  ranks_ = Matrix<double>(points.rows(), points.cols());
  for (Index i = 0; i < points.rows(); ++i) {
    for (Index d = 0; d < points.cols(); ++d) {
      ranks_(i, d) = lines_[static_cast<std::size_t>(d)]->rank(static_cast<double>(points(i, d)));
    }
  }
  if (points.cols() > 2) return;
  make_plane(cells.plane);
  weights_.clear();
  ranks_ = {};
}

// Half of the best width for a normal of the standard deviation of a uniform rank, 1 / sqrt(12):
// ranks of several modes are several narrow peaks.
constexpr double kRankWidth = 0.13;

void WeightedDensity::make_plane(Index cells) {
  const double width = kRankWidth * std::pow(effective_size_, -1.0 / 6);
  const double area = static_cast<double>(cells * cells);
  std::vector<double> widths(weights_.size(), width);
  const double least = kNegligible / static_cast<double>(weights_.size());
  Kernel x(cells), y(cells);
  for (const bool last : {false, true}) {
    plane_ = Matrix<double>(cells, cells);
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      if (weights_[i] <= least) continue;
      x.place(ranks_(static_cast<Index>(i), 0), widths[i]);
      y.place(ranks_(static_cast<Index>(i), 1), widths[i]);
      double* row = plane_.row(x.first()).data() + y.first();
      const auto mass = y.mass();
      for (const double x_mass : x.mass()) {
        const double factor = weights_[i] * x_mass * area;
        for (std::size_t b = 0; b < mass.size(); ++b) row[b] += factor * mass[b];
        row += plane_.cols();
      }
    }
    if (last) break;
    // Narrower where it is dense, as the inverse root of the density (Abramson 1982).
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const auto cell = [&](Index d) {
        const double at = ranks_(static_cast<Index>(i), d) * static_cast<double>(cells);
        return std::clamp<Index>(static_cast<Index>(at), 0, cells - 1);
      };
      const double density = std::max(plane_(cell(0), cell(1)), 1e-3);
      widths[i] = width * std::clamp(1 / std::sqrt(density), 0.2, 1.5);
    }
  }
}

double WeightedDensity::operator()(std::span<const float> point) const {
  HONE_ASSERT(point.size() == lines_.size());
  double product = 1;
  std::vector<double> rank;
  for (std::size_t d = 0; d < point.size(); ++d) {
    const double u = static_cast<double>(point[d]);
    product *= lines_[d]->at(u);
    if (point.size() > 1) rank.push_back(lines_[d]->rank(u));
  }
  if (point.size() == 1) return product;
  if (point.size() == 2) {
    const auto cells = static_cast<std::size_t>(plane_.rows());
    const Between x(rank[0], cells), y(rank[1], cells);
    const auto row = [&](std::size_t a) {
      const auto values = plane_.row(static_cast<Index>(a));
      return (1 - y.part) * values[y.low] + y.part * values[y.high];
    };
    return product * ((1 - x.part) * row(x.low) + x.part * row(x.high));
  }
  const double width =
      kRankWidth * std::pow(effective_size_, -1.0 / (4 + static_cast<double>(point.size())));
  const double reach = std::sqrt(7.0) * width, norm = 15 / (16 * reach);
  double sum = 0;
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    double kernel = weights_[i];
    for (std::size_t d = 0; d < rank.size() && kernel > 0; ++d) {
      const double center = ranks_(static_cast<Index>(i), static_cast<Index>(d));
      double one = 0;
      for (const double image : {center, -center, 2 - center}) {
        const double t = (rank[d] - image) / reach;
        if (std::abs(t) < 1) one += norm * (1 - t * t) * (1 - t * t);
      }
      kernel *= one;
    }
    sum += kernel;
  }
  return product * sum;
}

}  // namespace hone
