#include "hone/inference/abc.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "hone/core/cholesky.h"
#include "hone/core/error.h"
#include "hone/core/selected_rows.h"

namespace hone {
namespace {

Matrix<double> read_all(const Dataset& data) {
  std::vector<Index> rows(static_cast<std::size_t>(data.rows()));
  std::iota(rows.begin(), rows.end(), Index{0});
  Matrix<float> x(data.rows(), data.x->cols());
  data.x->read(x, rows);
  Matrix<double> result(x.rows(), x.cols());
  std::copy_n(x.data(), x.rows() * x.cols(), result.data());
  return result;
}

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::ranges::nth_element(values, middle);
  return *middle;
}

double spread_of(const Matrix<double>& x, Index column) {
  std::vector<double> values;
  for (Index i = 0; i < x.rows(); ++i) values.push_back(x(i, column));
  const double center = median_of(values);
  double square = 0;
  for (double& value : values) {
    value = std::abs(value - center);
    square += value * value;
  }
  if (const double deviation = median_of(values); deviation > 0) return deviation;
  const double rest = std::sqrt(square / static_cast<double>(values.size()));
  return rest > 0 ? rest : 1;
}

}  // namespace

std::vector<double> column_scale(const Dataset& data, const AbcOptions& options) {
  std::vector<double> scale(static_cast<std::size_t>(data.x->cols()), 1.0);
  if (options.scale == AbcScale::none || data.rows() == 0) return scale;
  const Matrix<double> x = read_all(data);
  for (Index j = 0; j < x.cols(); ++j) scale[static_cast<std::size_t>(j)] = spread_of(x, j);
  return scale;
}

AbcSamples measure(const Dataset& data, std::span<const double> observation,
                   std::span<const double> scale) {
  if (std::ssize(observation) != data.x->cols()) {
    fail(ErrorKind::input, "the data vector has {} values, the simulator makes {}",
         observation.size(), data.x->cols());
  }
  AbcSamples samples{Matrix<double>(data.rows(), data.prior.dimensions()), read_all(data), {}, {}};
  for (Index i = 0; i < data.rows(); ++i) {
    for (Index d = 0; d < samples.local.cols(); ++d) {
      samples.local(i, d) = static_cast<double>(data.theta(i, d));
    }
    double square = 0;
    for (Index j = 0; j < samples.x.cols(); ++j) {
      const auto at = static_cast<std::size_t>(j);
      samples.x(i, j) /= scale[at];
      const double off = samples.x(i, j) - observation[at] / scale[at];
      square += off * off;
    }
    samples.distance.push_back(std::sqrt(square));
  }
  samples.weights.assign(samples.distance.size(), 1.0);
  return samples;
}

AbcSamples selected(const AbcSamples& samples, std::span<const Index> rows) {
  AbcSamples result{selected_rows(samples.local, rows), selected_rows(samples.x, rows), {}, {}};
  for (const Index from : rows) {
    result.distance.push_back(samples.distance[static_cast<std::size_t>(from)]);
    result.weights.push_back(samples.weights[static_cast<std::size_t>(from)]);
  }
  return result;
}

std::vector<Index> nearest(const AbcSamples& samples, Index count) {
  std::vector<Index> order(static_cast<std::size_t>(samples.rows()));
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::stable_sort(order, {}, [&](Index i) {
    const double distance = samples.distance[static_cast<std::size_t>(i)];
    return std::isnan(distance) ? std::numeric_limits<double>::infinity() : distance;
  });
  order.resize(static_cast<std::size_t>(std::min<Index>(count, samples.rows())));
  return order;
}

namespace {

constexpr double kEnd = 1e-9;

double logit(double local) {
  const double inside = std::clamp(local, kEnd, 1 - kEnd);
  return std::log(inside / (1 - inside));
}

// Sums of w_i a_ij a_ik over the samples, with a = (1, x - observed).
Matrix<double> normal_matrix(const AbcSamples& samples, const Matrix<double>& design) {
  Matrix<double> normal(design.cols(), design.cols());
  for (Index i = 0; i < design.rows(); ++i) {
    const double weight = samples.weights[static_cast<std::size_t>(i)];
    for (Index j = 0; j < design.cols(); ++j) {
      for (Index k = 0; k <= j; ++k) normal(j, k) += weight * design(i, j) * design(i, k);
    }
  }
  for (Index j = 0; j < design.cols(); ++j) {
    for (Index k = j + 1; k < design.cols(); ++k) normal(j, k) = normal(k, j);
  }
  return normal;
}

}  // namespace

void adjust_by_regression(AbcSamples& samples, std::span<const double> scaled_observation) {
  const Index n = samples.rows(), columns = samples.x.cols(), parameters = samples.local.cols();
  const double reach = n == 0 ? 0 : 1.0001 * *std::ranges::max_element(samples.distance);
  if (n < 3 || !(reach > 0)) return;  // every sample has the data themselves
  Matrix<double> design(n, columns + 1);
  for (Index i = 0; i < n; ++i) {
    const double t = samples.distance[static_cast<std::size_t>(i)] / reach;
    samples.weights[static_cast<std::size_t>(i)] *= 1 - t * t;
    design(i, 0) = 1;
    for (Index j = 0; j < columns; ++j) {
      design(i, j + 1) = samples.x(i, j) - scaled_observation[static_cast<std::size_t>(j)];
    }
  }
  Matrix<double> normal = normal_matrix(samples, design);
  // As if one sample in a hundred said nothing; more where there are as many columns as samples.
  const double ridge = 0.01 + static_cast<double>(columns) / static_cast<double>(n);
  for (Index j = 1; j <= columns; ++j) normal(j, j) = normal(j, j) * (1 + ridge) + 1e-12;
  const Matrix<double> factor = cholesky(normal);
  for (Index d = 0; d < parameters; ++d) {
    std::vector<double> slope(static_cast<std::size_t>(columns + 1), 0.0);
    for (Index i = 0; i < n; ++i) {
      const double target =
          samples.weights[static_cast<std::size_t>(i)] * logit(samples.local(i, d));
      for (Index j = 0; j <= columns; ++j)
        slope[static_cast<std::size_t>(j)] += target * design(i, j);
    }
    solve_lower(slope, factor, slope);
    solve_lower_transposed(slope, factor, slope);
    for (Index i = 0; i < n; ++i) {
      double moved = logit(samples.local(i, d));
      for (Index j = 1; j <= columns; ++j)
        moved -= design(i, j) * slope[static_cast<std::size_t>(j)];
      samples.local(i, d) = std::clamp(1 / (1 + std::exp(-moved)), kEnd, 1 - kEnd);
    }
  }
}

InferenceResult abc_result(const InferenceRequest& request,
                           const std::function<AbcSamples()>& accept) {
  const Region whole = Region::whole(request.simulations.prior().dimensions());
  TrainedPosterior posterior = request.journal.final_posterior([&] {
    AbcSamples samples = accept();
    const double sum = std::accumulate(samples.weights.begin(), samples.weights.end(), 0.0);
    if (samples.rows() < 2 || !(sum > 0)) {
      fail(ErrorKind::numerical, "{} of the simulations can be used; at least 2 must be",
           samples.rows());
    }
    for (double& weight : samples.weights) weight /= sum;
    return TrainedPosterior{std::make_shared<const SamplePosterior>(
        TruncatedPrior(request.simulations.prior(), whole), request.marginals,
        std::vector<double>(request.observation.begin(), request.observation.end()),
        WeightedPoints{std::move(samples.local), std::move(samples.weights)})};
  });
  stop_if_requested(request.observer);
  const Index rows = request.simulations.count_inside(whole);
  return {.posterior = std::move(posterior), .region = whole, .rows = rows, .budget_spent = true};
}

}  // namespace hone
