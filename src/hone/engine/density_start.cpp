#include "hone/engine/density_start.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <boost/math/special_functions/erf.hpp>

#include "hone/core/cholesky.h"
#include "hone/core/error.h"

namespace hone {

LinearStart measure_covariance(SegmentReader& x, Index data_columns, MatrixView<const float> theta,
                               std::span<const Index> rows, std::uint64_t realisation,
                               bool data_first) {
  const Index parameters = theta.cols(), all = data_columns + parameters;
  const Index data_at = data_first ? 0 : parameters, theta_at = data_first ? data_columns : 0;
  LinearStart start{Matrix<double>(all, all), data_first ? data_columns : parameters,
                    std::ssize(rows)};
  std::vector<double> row(static_cast<std::size_t>(all));
  // Standard scores have mean 0 up to the scatter of a fresh realisation.
  x.for_segments(rows, realisation, [&](const Segment& segment) {
    for (Index i = 0; i < segment.x.rows(); ++i) {
      for (Index j = 0; j < data_columns; ++j) {
        row[static_cast<std::size_t>(data_at + j)] = static_cast<double>(segment.x(i, j));
      }
      const auto parameter = theta.row(segment.rows[static_cast<std::size_t>(i)]);
      for (Index j = 0; j < parameters; ++j) {
        row[static_cast<std::size_t>(theta_at + j)] =
            static_cast<double>(parameter[static_cast<std::size_t>(j)]);
      }
      for (Index a = 0; a < all; ++a) {
        const double factor = row[static_cast<std::size_t>(a)] / static_cast<double>(rows.size());
        for (Index b = 0; b < all; ++b) {
          start.covariance(a, b) += factor * row[static_cast<std::size_t>(b)];
        }
      }
    }
  });
  return start;
}

namespace {

// Weights of the inputs and the scatter around what they say.
struct Regression {
  std::vector<double> weights;
  double deviation = 1;
};

// Ridge regression: the penalty is what noise adds to the variance of an input's weight.
Regression regress(const LinearStart& start, std::span<const Index> inputs, Index target) {
  const Index count = std::ssize(inputs);
  Matrix<double> between(count, count);
  std::vector<double> with_target;
  const double ridge =
      1e-4 + static_cast<double>(count) / static_cast<double>(std::max<Index>(1, start.rows));
  for (Index i = 0; i < count; ++i) {
    const Index a = inputs[static_cast<std::size_t>(i)];
    for (Index j = 0; j < count; ++j) {
      between(i, j) = start.covariance(a, inputs[static_cast<std::size_t>(j)]);
    }
    between(i, i) += ridge;
    with_target.push_back(start.covariance(a, target));
  }
  Regression result{with_target, 1};
  if (count > 0) {
    const Matrix<double> factor = cholesky(between);
    solve_lower(result.weights, factor, result.weights);
    solve_lower_transposed(result.weights, factor, result.weights);
  }
  // |target - weights . inputs|^2 = variance - 2 w c + w C w, with (C + ridge) w = c.
  double left = start.covariance(target, target);
  for (Index i = 0; i < count; ++i) {
    const double weight = result.weights[static_cast<std::size_t>(i)];
    left -= weight * with_target[static_cast<std::size_t>(i)] + ridge * weight * weight;
  }
  result.deviation = std::sqrt(std::max(left, 1e-4));
  return result;
}

// Quantile (k + 1/2) / K of the standard normal.
double place_of(Index k, Index components) {
  const double p = (static_cast<double>(k) + 0.5) / static_cast<double>(components);
  return -std::numbers::sqrt2 * boost::math::erfc_inv(2 * p);
}

}  // namespace

void start_density(std::span<float> p, const NetworkLayout& layout, const DensityShape& shape,
                   std::span<const int> columns, const LinearStart* start, Index first) {
  const bool spline = shape.form == DensityForm::spline;
  // Outputs that are means: the first of a spline, those of all components of a mixture.
  const Index means = spline ? 1 : shape.components,
              first_mean = first + (spline ? 0 : shape.components);
  const Index cols = layout.output_width, given = std::ssize(columns) - 1;
  Regression line;
  if (start != nullptr) {
    std::vector<Index> inputs;
    for (Index j = 0; j < start->contexts; ++j) inputs.push_back(j);
    for (Index j = 0; j < given; ++j) {
      inputs.push_back(start->contexts + columns[static_cast<std::size_t>(j)]);
    }
    line = regress(*start, inputs, start->contexts + columns.back());
    // Hidden features have learned nothing yet: what they would add to the line is noise.
    const UnitLayout& output = layout.units.back();
    std::fill_n(p.begin() + output.weight, layout.width * cols, 0.0F);
    for (Index k = 0; k < means; ++k) {
      for (Index j = 0; j < std::ssize(inputs); ++j) {
        const Index row = j < start->contexts ? layout.skip_x + j * cols
                                              : layout.skip_theta + (j - start->contexts) * cols;
        p[static_cast<std::size_t>(row + first_mean + k)] =
            static_cast<float>(line.weights[static_cast<std::size_t>(j)]);
      }
    }
  }
  // A sum of K equal normals of width 0.6 at 0.8 of the quantiles of a normal is as wide as it.
  constexpr double kSpread = 0.8, kWidth = 0.6;
  float* bias = p.data() + layout.units.back().bias;
  const double spread = means == 1 ? 0 : kSpread, width = means == 1 ? 1 : kWidth;
  for (Index k = 0; k < means; ++k) {
    bias[first_mean + k] = static_cast<float>(spread * line.deviation * place_of(k, means));
    bias[first_mean + means + k] = static_cast<float>(raw_scale(width * line.deviation));
  }
}

}  // namespace hone
