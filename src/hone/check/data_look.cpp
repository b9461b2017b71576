#include "hone/check/data_look.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace hone {
namespace {

struct Moments {
  double mean = 0, variance = 0;  // unbiased
};

template <typename F>
Moments moments(Index n, F&& value) {
  Moments m;
  for (Index i = 0; i < n; ++i) m.mean += value(i) / static_cast<double>(n);
  for (Index i = 0; i < n; ++i) m.variance += std::pow(value(i) - m.mean, 2);
  m.variance /= std::max(1.0, static_cast<double>(n - 1));
  return m;
}

class Look {
 public:
  explicit Look(const RepeatedSimulations& s)
      : x_(s.x), repeats_(s.repeats), groups_(s.x.rows() / s.repeats) {
    for (Index c = 0; c < x_.cols(); ++c) {
      spread_.push_back(std::sqrt(moments(x_.rows(), [&](Index i) { return x_(i, c); }).variance));
      if (same(0, x_.rows(), c)) {  // a sum of equal numbers rounds
        spread_.back() = 0;
        constant_.push_back(c);
      }
    }
  }

  std::vector<Remark> remarks() {
    if (std::ssize(constant_) == x_.cols()) {
      return {{"same", "all simulations have the same data",
               "the simulator seems to ignore its parameters and its seed: run it by hand with two "
               "different parameters"}};
    }
    about_constants();
    about_scales();
    about_shape();
    if (repeats_ >= 2) about_noise();
    return std::move(remarks_);
  }

 private:
  bool same(Index begin, Index end, Index c) const {
    for (Index i = begin; i < end; ++i) {
      if (x_(i, c) != x_(begin, c)) return false;
    }
    return true;
  }

  void about_constants() {
    if (constant_.empty()) return;
    const std::size_t shown = std::min<std::size_t>(5, constant_.size());
    const std::vector<Index> first(constant_.begin(),
                                   constant_.begin() + static_cast<Index>(shown));
    remarks_.push_back(
        {"constant",
         fmt::format("{} of {} columns never change: {}{}", constant_.size(), x_.cols(),
                     fmt::join(first, ", "), constant_.size() > shown ? ", ..." : ""),
         "nothing to do if that is right: networks leave them out"});
  }

  void about_scales() {
    double low = std::numeric_limits<double>::infinity(), high = 0;
    for (const double spread : spread_) {
      if (spread == 0) continue;
      low = std::min(low, spread);
      high = std::max(high, spread);
    }
    if (high < 1e6 * low) return;
    remarks_.push_back({"scales", fmt::format("columns differ by {:.0e} in scale", high / low),
                        "nothing to do: each is brought to its own scale"});
  }

  // Correlation of values that stand `step` apart, in the mean over simulations.
  double neighbours(Index step) const {
    double sum = 0;
    for (Index i = 0; i < x_.rows(); ++i) {
      const Index n = x_.cols() - step;
      const auto a = moments(n, [&](Index c) { return x_(i, c); });
      const auto b = moments(n, [&](Index c) { return x_(i, c + step); });
      double covariance = 0;
      for (Index c = 0; c < n; ++c) {
        covariance += (x_(i, c) - a.mean) * (x_(i, c + step) - b.mean) / static_cast<double>(n);
      }
      const double scale = std::sqrt(a.variance * b.variance);
      sum += scale > 0 ? covariance / scale : 0;
    }
    return sum / static_cast<double>(x_.rows());
  }

  void about_shape() {
    constexpr Index kLong = 50;
    constexpr double kAlike = 0.5;
    if (x_.cols() < kLong || neighbours(1) < kAlike) return;
    const auto side = static_cast<Index>(std::lround(std::sqrt(static_cast<double>(x_.cols()))));
    if (side * side == x_.cols() && neighbours(side) > kAlike && neighbours(side / 2) < kAlike) {
      remarks_.push_back({"image",
                          fmt::format("{} columns, alike in rows of {}: an image of {} x {}?",
                                      x_.cols(), side, side, side),
                          "declare it (data, kind image): it gets networks made for images"});
      return;
    }
    remarks_.push_back({"series", fmt::format("{} columns, neighbours alike: a series?", x_.cols()),
                        "declare it (data, kind series): it gets networks made for series"});
  }

  void about_noise() {
    bool changes = false;
    for (Index g = 0; g < groups_ && !changes; ++g) {
      for (Index c = 0; c < x_.cols(); ++c) {
        changes |= !same(g * repeats_, (g + 1) * repeats_, c);
      }
    }
    if (!changes) {
      remarks_.push_back({"no_noise", "another seed gives the same data",
                          "if the simulator should be random, let it use its seed; if its noise is "
                          "known, declare it with [noise]"});
      return;
    }
    if (repeats_ < 4 || x_.cols() * groups_ < 20) return;
    if (looks_poisson()) {
      remarks_.push_back({"poisson", "whole numbers whose variance is their mean: Poisson counts?",
                          "simulate the mean and declare [noise] kind = \"poisson\": training then "
                          "draws it afresh"});
    } else if (const double sigma = additive_sigma(); sigma > 0) {
      remarks_.push_back(
          {"gaussian",
           fmt::format("the noise looks additive and Gaussian, about {:.3g} wide", sigma),
           "leave it out of the simulator and declare [noise] kind = \"gaussian\": training then "
           "draws it afresh"});
    }
  }

  Moments group(Index g, Index c) const {
    return moments(repeats_, [&](Index r) { return x_(g * repeats_ + r, c); });
  }

  bool looks_poisson() const {
    double means = 0, variances = 0;
    for (Index i = 0; i < x_.rows(); ++i) {
      for (Index c = 0; c < x_.cols(); ++c) {
        if (x_(i, c) < 0 || x_(i, c) != std::round(x_(i, c))) return false;
      }
    }
    for (Index g = 0; g < groups_; ++g) {
      for (Index c = 0; c < x_.cols(); ++c) {
        const Moments m = group(g, c);
        if (m.mean < 0.5) continue;
        means += 1;
        variances += m.variance / m.mean;
      }
    }
    // Neighbours that belong together, such as a population in time, are no independent counts.
    return means >= 20 && std::abs(variances / means - 1) < 0.3 &&
           std::abs(neighbour_noise()) < 0.2;
  }

  // Correlation of the noise of neighbouring columns.
  double neighbour_noise() const {
    if (x_.cols() < 2) return 0;
    double product = 0, square = 0;
    for (Index g = 0; g < groups_; ++g) {
      for (Index c = 0; c + 1 < x_.cols(); ++c) {
        const Moments a = group(g, c), b = group(g, c + 1);
        for (Index r = 0; r < repeats_; ++r) {
          const Index i = g * repeats_ + r;
          product += (x_(i, c) - a.mean) * (x_(i, c + 1) - b.mean);
        }
        square += static_cast<double>(repeats_ - 1) * std::sqrt(a.variance * b.variance);
      }
    }
    return square > 0 ? product / square : 0;
  }

  // The typical width of the noise if it is the same for all parameters, independent from column to
  // column, and has the kurtosis of a normal distribution; 0 if not.
  double additive_sigma() const {
    const double n = static_cast<double>(repeats_);
    double fourth = 0, count = 0, widths = 0, columns = 0;
    std::vector<double> group_widths(static_cast<std::size_t>(groups_), 0.0);
    for (Index c = 0; c < x_.cols(); ++c) {
      double pooled = 0;
      for (Index g = 0; g < groups_; ++g)
        pooled += group(g, c).variance / static_cast<double>(groups_);
      if (pooled == 0) continue;
      columns += 1;
      widths += std::sqrt(pooled);
      for (Index g = 0; g < groups_; ++g) {
        const Moments m = group(g, c);
        group_widths[static_cast<std::size_t>(g)] += m.variance / pooled;
        for (Index r = 0; r < repeats_; ++r) {
          // A residual has (n - 1) / n of the variance of the noise.
          const double z = (x_(g * repeats_ + r, c) - m.mean) / std::sqrt(pooled * (n - 1) / n);
          fourth += std::pow(z, 4);
          count += 1;
        }
      }
    }
    if (columns == 0 || count < 200) return 0;
    for (const double width : group_widths) {
      if (std::abs(width / columns - 1) > 0.3) return 0;
    }
    if (std::abs(fourth / count - 3) > 0.5 || std::abs(neighbour_noise()) > 0.2) return 0;
    return widths / columns;
  }

  MatrixView<const double> x_;
  Index repeats_, groups_;
  std::vector<double> spread_;
  std::vector<Index> constant_;
  std::vector<Remark> remarks_;
};

}  // namespace

std::vector<Remark> look_at_data(const RepeatedSimulations& simulations) {
  return Look(simulations).remarks();
}

}  // namespace hone
