#include "hone/check/misspecification.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "hone/core/cholesky.h"
#include "hone/core/parallel.h"
#include "hone/core/rng.h"

namespace hone {
namespace {

constexpr Index kMostFeatures = 64;
constexpr std::size_t kWorstColumns = 10;

// The value below which a share q of them lies. Reorders them.
double quantile(std::vector<double>& values, double q) {
  const auto at = values.begin() + std::llround(q * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

// Distances of points from a cloud, in the units of its covariance.
class Mahalanobis {
 public:
  explicit Mahalanobis(const Matrix<double>& cloud)
      : mean_(static_cast<std::size_t>(cloud.cols()), 0.0) {
    const double n = static_cast<double>(cloud.rows());
    const Index cols = cloud.cols();
    for (Index i = 0; i < cloud.rows(); ++i) {
      for (Index c = 0; c < cols; ++c) mean_[std::size_t(c)] += cloud(i, c) / n;
    }
    Matrix<double> covariance(cols, cols);
    for (Index i = 0; i < cloud.rows(); ++i) {
      for (Index a = 0; a < cols; ++a) {
        const double at = cloud(i, a) - mean_[std::size_t(a)];
        for (Index b = 0; b <= a; ++b) {
          covariance(a, b) += at * (cloud(i, b) - mean_[std::size_t(b)]) / n;
        }
      }
    }
    // Shrunk towards its diagonal: few rows, or columns that depend on each other, leave
    // directions without any spread.
    const double kept = n / (n + static_cast<double>(cols));
    for (Index a = 0; a < cols; ++a) {
      for (Index b = 0; b < a; ++b) covariance(a, b) *= kept;
      covariance(a, a) = covariance(a, a) * (1 + 1e-9) + 1e-12;
    }
    factor_ = cholesky(covariance);
  }

  double operator()(std::span<const double> point) const {
    std::vector<double> z(mean_.size());
    for (std::size_t c = 0; c < z.size(); ++c) z[c] = point[c] - mean_[c];
    solve_lower(z, factor_, z);
    return std::sqrt(std::inner_product(z.begin(), z.end(), z.begin(), 0.0));
  }

 private:
  std::vector<double> mean_;
  Matrix<double> factor_;
};

// A column of simulated data in robust terms.
struct ColumnScale {
  double median = 0, low = 0, high = 0;
  double spread_below = 0, spread_above = 0;  // of one sigma on either side: data may be skewed

  double score(double value) const {
    const double distance = value - median;
    const double spread = distance < 0 ? spread_below : spread_above;
    if (spread > 0) return distance / spread;
    return distance == 0 ? 0 : std::copysign(100.0, distance);  // a constant that is another one
  }
};

std::vector<ColumnScale> column_scales(MatrixView<const float> rows) {
  std::vector<ColumnScale> scales(static_cast<std::size_t>(rows.cols()));
  parallel_for(rows.cols(), [&](Index c) {
    std::vector<double> values;
    for (Index i = 0; i < rows.rows(); ++i) values.push_back(static_cast<double>(rows(i, c)));
    ColumnScale& scale = scales[static_cast<std::size_t>(c)];
    scale.median = quantile(values, 0.5);
    scale.low = quantile(values, 0.025);
    scale.high = quantile(values, 0.975);
    // Two sigma of a normal distribution; the ends are less prone to fall on a value that repeats
    // than quartiles.
    scale.spread_below = (scale.median - scale.low) / 1.96;
    scale.spread_above = (scale.high - scale.median) / 1.96;
    const double both = (scale.spread_below + scale.spread_above) / 2;
    scale.spread_below = std::max(scale.spread_below, 0.1 * both);
    scale.spread_above = std::max(scale.spread_above, 0.1 * both);
  });
  return scales;
}

// Robust scores with softened tails, so that no heavy-tailed column rules the distance; times a
// fixed random matrix if there are many columns.
Matrix<double> projected(MatrixView<const float> rows, const std::vector<ColumnScale>& scales) {
  const Index cols = std::min(rows.cols(), kMostFeatures);
  const bool all = rows.cols() <= kMostFeatures;
  Matrix<float> directions(all ? 0 : cols, all ? 0 : rows.cols());
  for (Index c = 0; c < directions.rows(); ++c) {
    Rng(0).child("projection", static_cast<std::uint64_t>(c)).fill_normal(directions.row(c));
  }
  Matrix<double> result(rows.rows(), cols);
  parallel_for(rows.rows(), [&](Index i) {
    std::vector<double> scores;
    for (std::size_t c = 0; c < scales.size(); ++c) {
      scores.push_back(std::asinh(scales[c].score(static_cast<double>(rows.row(i)[c]))));
    }
    for (Index c = 0; c < cols; ++c) {
      result(i, c) =
          all ? scores[static_cast<std::size_t>(c)]
              : std::inner_product(scores.begin(), scores.end(), directions.row(c).begin(), 0.0);
    }
  });
  return result;
}

struct ColumnDistances {
  double largest = 0, mean = 0;
};

template <typename Row>
ColumnDistances column_distances(const std::vector<ColumnScale>& scales, const Row& row) {
  ColumnDistances result;
  for (std::size_t c = 0; c < scales.size(); ++c) {
    const double score = std::abs(scales[c].score(static_cast<double>(row[c])));
    result.largest = std::max(result.largest, score);
    result.mean += score / static_cast<double>(scales.size());
  }
  return result;
}

TypicalityMeasure measure(const std::string& name, double observed, std::vector<double> simulated) {
  TypicalityMeasure result{.name = name, .observed = observed};
  const auto beyond = std::ranges::count_if(simulated, [&](double d) { return d >= observed; });
  result.probability = static_cast<double>(1 + beyond) / static_cast<double>(1 + simulated.size());
  result.median = quantile(simulated, 0.5);
  result.quantile95 = quantile(simulated, 0.95);
  result.quantile99 = quantile(simulated, 0.99);
  return result;
}

}  // namespace

Misspecification measure_typicality(const TypicalityData& data, const TypicalityLimits& limits) {
  Misspecification found{.draws = data.draws.rows()};
  const Index n = data.draws.rows();
  if (n < limits.fewest_draws || data.reference.rows() < limits.fewest_draws) return found;
  const auto feature_scales = column_scales(data.reference_features);
  const Mahalanobis distance(projected(data.reference_features, feature_scales));
  const MatrixView<const float> observed_features(data.observed_features.data(), 1,
                                                  std::ssize(data.observed_features));
  const Matrix<double> features = projected(data.features, feature_scales);
  const auto scales = column_scales(data.reference);
  std::vector<double> far(std::size_t(n), 0.0), largest = far, mean = far;
  parallel_for(n, [&](Index i) {
    const auto k = static_cast<std::size_t>(i);
    far[k] = distance(features.row(i));
    const ColumnDistances columns = column_distances(scales, data.draws.row(i));
    largest[k] = columns.largest;
    mean[k] = columns.mean;
  });
  const ColumnDistances observed = column_distances(scales, data.observation);
  found.measures = {
      measure("features", distance(projected(observed_features, feature_scales).row(0)),
              std::move(far)),
      measure("largest column", observed.largest, std::move(largest)),
      measure("all columns", observed.mean, std::move(mean))};
  for (std::size_t c = 0; c < scales.size(); ++c) {
    const ColumnScale& scale = scales[c];
    found.worst_columns.push_back({static_cast<Index>(c), data.observation[c], scale.median,
                                   scale.low, scale.high, scale.score(data.observation[c])});
  }
  std::ranges::stable_sort(found.worst_columns, std::greater{},
                           [](const ColumnScore& c) { return std::abs(c.score); });
  found.worst_columns.resize(std::min(kWorstColumns, found.worst_columns.size()));
  return found;
}

CheckResult typicality_result(const Misspecification& found, const TypicalityLimits& limits) {
  CheckResult result{.name = "misspecification"};
  if (found.measures.empty()) {
    result.status = Status::caution;
    result.reason =
        fmt::format("only {} test draws: too few to compare the observation with", found.draws);
    result.advice = "make more with `hone check DIR --simulations 1000`";
    return result;
  }
  // With few draws the smallest possible rank is 1 / (draws + 1): then the observation must be
  // farther than all of them, and clearly so.
  const double each = limits.false_alarms / static_cast<double>(found.measures.size());
  const double smallest = 1 / static_cast<double>(found.draws + 1);
  const TypicalityMeasure* worst = nullptr;
  for (const TypicalityMeasure& one : found.measures) {
    const double beyond = one.observed / one.quantile99;
    const bool few = smallest > each;
    const bool atypical =
        few ? one.probability <= smallest && beyond > 1.25 : one.probability <= each;
    const Status status = !atypical              ? Status::pass
                          : beyond > limits.fail ? Status::fail
                                                 : Status::caution;
    if (worst == nullptr || status > result.status ||
        (status == result.status && one.probability < worst->probability)) {
      worst = &one;
      result.status = status;
    }
  }
  std::string columns;
  for (std::size_t c = 0; c < std::min<std::size_t>(3, found.worst_columns.size()); ++c) {
    const ColumnScore& column = found.worst_columns[c];
    columns +=
        fmt::format("{}column {} ({:+.1f} sigma)", c == 0 ? "" : ", ", column.column, column.score);
  }
  const std::string place = fmt::format(
      "{:.1f} % of simulated data are as far out by the measure "
      "\"{}\"; farthest are {}",
      100 * worst->probability, worst->name, columns);
  if (result.status == Status::pass) {
    result.reason = "the observation looks like simulated data: " + place;
  } else {
    result.reason = "the observation does not look like simulated data: " + place;
    result.advice =
        fmt::format("the simulator may miss something that is in the data: look at {}", columns);
  }
  for (const TypicalityMeasure& one : found.measures) {
    result.numbers.emplace_back(one.name + " probability", one.probability);
  }
  result.numbers.emplace_back("false_alarms", limits.false_alarms);
  return result;
}

}  // namespace hone
