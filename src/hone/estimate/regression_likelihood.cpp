#include "hone/estimate/regression_likelihood.h"

#include <algorithm>
#include <cmath>

#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "hone/estimate/factors.h"
#include "hone/estimate/regression_choice.h"
#include "hone/estimate/smooth_functions.h"
#include "hone/posterior/sample_posterior.h"

namespace hone {
namespace {

constexpr Index kPointsPerTask = 256;

std::vector<double> to_doubles(std::span<const float> values) {
  return {values.begin(), values.end()};
}

Matrix<double> to_doubles(const Matrix<float>& from) {
  Matrix<double> result(from.rows(), from.cols());
  std::copy_n(from.data(), from.rows() * from.cols(), result.data());
  return result;
}

// Sum over the columns of log d score / d value.
double log_slope(const Standardizer& scores, std::span<const float> x) {
  double sum = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    sum += std::log(static_cast<double>(scores.inverse[j]));
    if (scores.softness.empty() || !(scores.softness[j] > 0)) continue;
    const double distance = static_cast<double>(x[j]) - static_cast<double>(scores.center[j]);
    sum -= std::log(std::hypot(static_cast<double>(scores.softness[j]), distance));
  }
  return sum;
}

}  // namespace

RegressionLikelihood::RegressionLikelihood(TruncatedPrior prior,
                                           const std::vector<Marginal>& marginals,
                                           Standardizer scores, RegressionCoordinates coordinates,
                                           std::shared_ptr<const ChosenRegression> regression)
    : LikelihoodPosterior(std::move(prior), marginals, 1,
                          std::vector<double>(marginals.size(), 1.0)),
      scores_(std::move(scores)),
      coordinates_(std::move(coordinates)),
      shared_(std::move(regression)),
      regression_(shared_->regression) {
  const Matrix<float>& functions = shared_->functions;
  HONE_ASSERT(scores_.cols() == (sums_up() ? functions.rows() : regression_.columns()));
  HONE_ASSERT(!sums_up() || functions.cols() == regression_.columns());
}

Matrix<float> RegressionLikelihood::features(MatrixView<const float> x) const {
  Matrix<float> result(x.rows(), x.cols());
  scores_.apply(result, x);
  if (!sums_up()) return result;
  const Matrix<double> sums = seen_through(shared_->functions, to_doubles(result));
  result = Matrix<float>(x.rows(), sums.cols());
  std::copy_n(sums.data(), sums.rows() * sums.cols(), result.data());
  return result;
}

Matrix<float> RegressionLikelihood::log_joint(MatrixView<const float> features,
                                              MatrixView<const float> local) const {
  const Index each = local.rows() / features.rows();
  const Index tasks = (each + kPointsPerTask - 1) / kPointsPerTask;  // of a row of features
  Matrix<float> out(1, local.rows());
  parallel_for(features.rows() * tasks, [&](Index task) {
    const Index row = task / tasks, begin = task % tasks * kPointsPerTask;
    const Index count = std::min(kPointsPerTask, each - begin), first = row * each + begin;
    std::vector<double> log(static_cast<std::size_t>(count));
    regression_.log_likelihoods(log, to_doubles(features.row(row)),
                                coordinates_(prior(), local.rows(first, count)));
    // What is far from all that was simulated is as unlikely as can be.
    std::ranges::transform(log, out.row(0).begin() + first, [](double value) {
      return static_cast<float>(std::isfinite(value) ? std::clamp(value, -1e30, 1e30) : -1e30);
    });
  });
  return out;
}

ProposalDraws RegressionLikelihood::propose(MatrixView<const float> features, Index each) const {
  Matrix<double> y(features.rows(), features.cols());
  std::copy_n(features.data(), y.rows() * y.cols(), y.data());
  return draw_normal(find_peaks(regression_, y, coordinates_, prior()), each);
}

std::optional<Matrix<double>> RegressionLikelihood::log_evidence(MatrixView<const float> x) const {
  if (sums_up()) return std::nullopt;  // a density of the sums, not of x
  const Matrix<float> scores = features(x);
  const auto drawn = draws(scores);
  Matrix<double> result(1, x.rows());
  for (Index i = 0; i < x.rows(); ++i) {
    const auto centre = regression_.log_density_at_centre(to_doubles(scores.row(i)));
    if (!centre) return std::nullopt;
    result(0, i) = drawn->log_mean(0, i) + *centre + log_slope(scores_, x.row(i));
  }
  return result;
}

SharedPosterior RegressionLikelihood::of_all_parameters() const {
  return std::make_shared<const RegressionLikelihood>(
      prior(), std::vector<Marginal>{joint(prior().dimensions())}, scores_, coordinates_, shared_);
}

std::vector<NamedArray> RegressionLikelihood::to_arrays() const {
  std::vector<NamedArray> arrays = regression_.to_arrays();
  const auto add = [&](const char* name, const auto& values) {
    if (!values.empty()) arrays.push_back({name, {std::ssize(values)}, values});
  };
  add("x_mean", scores_.mean);
  add("x_inverse", scores_.inverse);
  add("x_center", scores_.center);
  add("x_softness", scores_.softness);
  if (sums_up()) {
    const Matrix<float>& functions = shared_->functions;
    const Index count = functions.rows() * functions.cols();
    arrays.push_back({"functions",
                      {functions.rows(), functions.cols()},
                      std::vector(functions.data(), functions.data() + count)});
  }
  add("theta_centre", coordinates_.centre);
  add("theta_scale", coordinates_.scale);
  arrays.push_back(marginals_to_array(marginals()));
  return arrays;
}

namespace {

// Simulations that the regression sees at most: their numbers take 160 MB.
constexpr Index kMostRows = 20'000, kMostNumbers = 20'000'000;
constexpr Index kMostColumns = 20'000;

class NoNetworks final : public TrainedNetworks {
 public:
  Index size() const override { return 0; }
  std::span<float> parameters(Index) override { return {}; }
};

TrainedPosterior assemble(const EstimationRequest& request, std::unique_ptr<TrainedNetworks>) {
  const Dataset& data = request.data;
  const std::vector<Index> rows = rows_to_regress(data);
  Standardizer scores = fit_standardizer(*data.x, rows, "x", request.options.training.tails);
  RegressionCoordinates coordinates = fit_coordinates(data, rows);
  auto regression =
      std::make_shared<const ChosenRegression>(choose_regression(data, rows, scores, coordinates));
  return {
      std::make_shared<const RegressionLikelihood>(data.prior, request.marginals, std::move(scores),
                                                   std::move(coordinates), std::move(regression)),
      std::vector<MemberHistory>(request.marginals.size())};
}

bool has(std::span<const NamedArray> arrays, const char* name) {
  return std::ranges::find(arrays, name, &NamedArray::name) != arrays.end();
}

// (columns, functions); none where the regression is of the data themselves.
Matrix<float> functions_from(std::span<const NamedArray> arrays, const DataRegression& regression) {
  if (!has(arrays, "functions")) return {};
  const auto values =
      array_values<float>(arrays, "functions", std::vector<Index>{-1, regression.columns()});
  if (!std::ranges::all_of(values, [](float value) { return std::isfinite(value); })) fail_misfit();
  Matrix<float> result(std::ssize(values) / regression.columns(), regression.columns());
  if (result.rows() == 0) fail_misfit();
  std::ranges::copy(values, result.data());
  return result;
}

SharedPosterior load(const Prior& prior, const Region& region, std::span<const NamedArray> arrays) {
  const Index parameters = prior.dimensions();
  DataRegression regression = DataRegression::from_arrays(arrays, parameters);
  if (regression.columns() == 0) fail_misfit();
  Matrix<float> functions = functions_from(arrays, regression);
  const auto numbers = [&]<typename T>(const char* name, Index size, T) {
    const auto values = array_values<T>(arrays, name, std::vector<Index>{size});
    if (!std::ranges::all_of(values, [](T value) { return std::isfinite(value); })) fail_misfit();
    return std::vector<T>(values.begin(), values.end());
  };
  const Index columns = functions.rows() > 0 ? functions.rows() : regression.columns();
  Standardizer scores{
      numbers("x_mean", columns, 0.0F), numbers("x_inverse", columns, 0.0F), {}, {}};
  if (has(arrays, "x_softness")) {
    scores.center = numbers("x_center", columns, 0.0F);
    scores.softness = numbers("x_softness", columns, 0.0F);
  }
  RegressionCoordinates coordinates{numbers("theta_centre", parameters, 0.0),
                                    numbers("theta_scale", parameters, 0.0)};
  if (!std::ranges::all_of(coordinates.scale, [](double scale) { return scale > 0; })) {
    fail_misfit();
  }
  return std::make_shared<const RegressionLikelihood>(
      TruncatedPrior(prior, region), marginals_from_arrays(arrays, prior.dimensions()),
      std::move(scores), std::move(coordinates),
      std::make_shared<const ChosenRegression>(
          ChosenRegression{std::move(regression), std::move(functions)}));
}

}  // namespace

std::vector<Index> rows_to_regress(const Dataset& data) {
  const Index all = std::ssize(data.training);
  const Index count = std::min({all, kMostRows, kMostNumbers / data.x->cols()});
  std::vector<Index> rows;
  for (Index i = 0; i < count; ++i) {
    rows.push_back(data.training[static_cast<std::size_t>(i * all / count)]);
  }
  return rows;
}

bool may_regress(const Dataset& data) {
  const auto discrete = [](const Parameter& one) { return one.distribution->discrete(); };
  return data.theta.rows() == data.rows() && data.x->cols() <= kMostColumns &&
         enough_to_regress(std::ssize(rows_to_regress(data)), data.prior.dimensions()) &&
         !data.validation.empty() &&
         std::ranges::none_of(data.prior.prior().parameters(), discrete);
}

const EstimatorKind& regression_estimation() {
  static const EstimatorKind kind{
      .name = RegressionLikelihood::kName,
      .train = [](const EstimationRequest&, ProcessGroup&) -> std::unique_ptr<TrainedNetworks> {
        return std::make_unique<NoNetworks>();
      },
      .assemble = assemble,
      .load = load};
  return kind;
}

}  // namespace hone
