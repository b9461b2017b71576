#include "hone/estimate/gap_regression.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "hone/engine/ridge.h"
#include "hone/estimate/data_pieces.h"
#include "hone/estimate/factors.h"
#include "hone/estimate/gap_filling.h"
#include "hone/estimate/regression_choice.h"

namespace hone {
namespace {

constexpr Index kPointsPerTask = 256;
// Every row of data with other gaps takes the inverse of a matrix of its columns.
constexpr Index kMostColumns = 128;
// Densities that are kept: more than held-out simulations that are asked about again and again.
constexpr std::size_t kMostDensities = 600;

// In the place of a score that is missing. It equals itself, which NaN does not: features are
// compared with those that were asked for last.
constexpr float kMissing = std::numeric_limits<float>::max();

Matrix<double> matrix_of(std::span<const NamedArray> arrays, const char* name) {
  const std::vector<Index>& shape = find_array(arrays, name).shape;
  Matrix<double> result(shape.at(0), shape.at(1));
  std::ranges::copy(array_values<double>(arrays, name, shape), result.data());
  return result;
}

NamedArray array_of(const char* name, const Matrix<double>& matrix) {
  return {name,
          {matrix.rows(), matrix.cols()},
          std::vector(matrix.data(), matrix.data() + matrix.rows() * matrix.cols())};
}

Matrix<double> some_columns(const Matrix<double>& matrix, const std::vector<Index>& columns) {
  Matrix<double> result(matrix.rows(), std::ssize(columns));
  for (Index i = 0; i < result.rows(); ++i) {
    for (Index j = 0; j < result.cols(); ++j) {
      result(i, j) = matrix(i, columns[static_cast<std::size_t>(j)]);
    }
  }
  return result;
}

Matrix<double> one_row(std::span<const double> values) {
  Matrix<double> result(1, std::ssize(values));
  std::ranges::copy(values, result.data());
  return result;
}

}  // namespace

struct GapRegression::Known {
  std::vector<Index> columns;
  std::vector<double> y;
  std::shared_ptr<const DataRegression> density;  // of these columns; null: none is there
};

GapRegression::GapRegression(std::shared_ptr<const RegressionLikelihood> whole)
    : LikelihoodPosterior(whole->prior(), whole->marginals(), 1,
                          std::vector<double>(whole->marginals().size(), 1.0)),
      whole_(std::move(whole)),
      arrays_(whole_->regression().to_arrays()),
      covariance_(matrix_of(arrays_, "precision")) {
  if (covariance_.rows() == covariance_.cols()) {
    invert(covariance_);
  } else {
    for (double& value : covariance_.row(0)) value = 1 / value;
  }
}

Matrix<float> GapRegression::features(MatrixView<const float> x) const {
  Matrix<float> scores = whole_->features(x);
  for (float& value : std::span(scores.data(), std::size_t(scores.rows() * scores.cols()))) {
    if (std::isnan(value)) value = kMissing;
  }
  return scores;
}

std::shared_ptr<const DataRegression> GapRegression::without(
    const std::vector<Index>& columns) const {
  {
    const std::lock_guard lock(mutex_);
    const auto found = densities_.find(columns);
    if (found != densities_.end()) return found->second;
  }
  Matrix<double> precision = some_columns(covariance_, columns);
  if (precision.rows() == 1) {
    for (double& value : precision.row(0)) value = 1 / value;
  } else {
    Matrix<double> square(precision.cols(), precision.cols());
    for (Index i = 0; i < square.rows(); ++i) {
      std::ranges::copy(precision.row(columns[static_cast<std::size_t>(i)]), square.row(i).begin());
    }
    invert(square);
    precision = std::move(square);
  }
  std::vector<NamedArray> arrays;
  for (const NamedArray& array : arrays_) {
    const bool by_column = array.name == "mean" || array.name == "log_variance";
    arrays.push_back(by_column
                         ? array_of(array.name.c_str(),
                                    some_columns(matrix_of(arrays_, array.name.c_str()), columns))
                     : array.name == "precision" ? array_of("precision", precision)
                                                 : array);
  }
  auto density = std::make_shared<const DataRegression>(
      DataRegression::from_arrays(arrays, prior().dimensions()));
  const std::lock_guard lock(mutex_);
  if (densities_.size() >= kMostDensities) densities_.clear();
  densities_[columns] = density;
  return density;
}

GapRegression::Known GapRegression::known(std::span<const float> features) const {
  Known result;
  for (std::size_t j = 0; j < features.size(); ++j) {
    if (features[j] == kMissing) continue;
    result.columns.push_back(static_cast<Index>(j));
    result.y.push_back(static_cast<double>(features[j]));
  }
  if (!result.columns.empty()) result.density = without(result.columns);
  return result;
}

Matrix<float> GapRegression::log_joint(MatrixView<const float> features,
                                       MatrixView<const float> local) const {
  const Index each = local.rows() / features.rows();
  const Index tasks = (each + kPointsPerTask - 1) / kPointsPerTask;  // of a row of features
  Matrix<float> out(1, local.rows());
  std::vector<Known> rows(static_cast<std::size_t>(features.rows()));
  parallel_for(features.rows(),
               [&](Index i) { rows[static_cast<std::size_t>(i)] = known(features.row(i)); });
  parallel_for(features.rows() * tasks, [&](Index task) {
    const Known& row = rows[static_cast<std::size_t>(task / tasks)];
    if (!row.density) return;  // 0 everywhere
    const Index begin = task % tasks * kPointsPerTask, first = task / tasks * each + begin;
    const Index count = std::min(kPointsPerTask, each - begin);
    std::vector<double> log(static_cast<std::size_t>(count));
    row.density->log_likelihoods(log, row.y,
                                 whole_->coordinates()(prior(), local.rows(first, count)));
    std::ranges::transform(log, out.row(0).begin() + first, [](double value) {
      return static_cast<float>(std::isfinite(value) ? std::clamp(value, -1e30, 1e30) : -1e30);
    });
  });
  return out;
}

ProposalDraws GapRegression::propose(MatrixView<const float> features, Index each) const {
  const Index dimensions = prior().dimensions();
  std::vector<NormalScores> peaks(static_cast<std::size_t>(features.rows()));
  parallel_for(features.rows(), [&](Index i) {
    NormalScores& peak = peaks[static_cast<std::size_t>(i)];
    const Known row = known(features.row(i));
    if (row.density) {
      peak = std::move(
          find_peaks(*row.density, one_row(row.y), whole_->coordinates(), prior()).front());
      return;
    }
    // Nothing is there: the prior.
    peak.mean.assign(static_cast<std::size_t>(dimensions), 0);
    peak.root = Matrix<double>(dimensions, dimensions);
    for (Index d = 0; d < dimensions; ++d) peak.root(d, d) = 1;
  });
  return draw_normal(peaks, each);
}

SharedPosterior GapRegression::of_all_parameters() const {
  return std::make_shared<const GapRegression>(
      std::static_pointer_cast<const RegressionLikelihood>(whole_->of_all_parameters()));
}

namespace {

class NoNetworks final : public TrainedNetworks {
 public:
  Index size() const override { return 0; }
  std::span<float> parameters(Index) override { return {}; }
};

// Rows of the simulations as standard scores, with draws where the simulator leaves gaps, and the
// parameters behind them. What training takes away is not missing here.
struct FilledRows {
  Standardizer scores;
  Matrix<float> y, theta;
};

FilledRows filled_rows(const EstimationRequest& request, std::span<const Index> rows,
                       const RegressionCoordinates& coordinates) {
  const Dataset& data = request.data;
  const RowSource& x = data.before_gaps != nullptr ? *data.before_gaps : *data.x;
  FilledRows result{fit_standardizer(x, rows, "x", request.options.training.tails,
                                     data.description.may_be_missing()),
                    Matrix<float>(std::ssize(rows), x.cols()),
                    Matrix<float>(std::ssize(rows), data.theta.cols())};
  x.read(result.y, rows);
  result.scores.apply(result.y, result.y);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::ranges::copy(data.theta.row(rows[i]), result.theta.row(static_cast<Index>(i)).begin());
  }
  const std::span<const float> all(result.y.data(), std::size_t(result.y.rows() * result.y.cols()));
  if (has_gap(all)) {
    fill_gaps(result.y, coordinates(data.prior, result.theta), request.rng.child("gaps"));
  }
  return result;
}

TrainedPosterior assemble(const EstimationRequest& request, std::unique_ptr<TrainedNetworks>) {
  const Dataset& data = request.data;
  const std::vector<Index> rows = rows_to_regress(data);
  RegressionCoordinates coordinates = fit_coordinates(data, rows);
  FilledRows filled = filled_rows(request, rows, coordinates);
  Dataset whole{.prior = data.prior, .x = std::make_unique<MatrixRows>(filled.y)};
  whole.theta = std::move(filled.theta);
  const auto columns = static_cast<std::size_t>(filled.y.cols());
  const Standardizer as_they_are{std::vector<float>(columns, 0), std::vector<float>(columns, 1)};
  std::vector<Index> all(rows.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Index>(i);
  // Data that are not declared have no smooth sums: the regression is of the columns themselves.
  auto regression = std::make_shared<const ChosenRegression>(
      choose_regression(whole, all, as_they_are, coordinates));
  auto likelihood = std::make_shared<const RegressionLikelihood>(
      data.prior, request.marginals, std::move(filled.scores), std::move(coordinates),
      std::move(regression));
  return {std::make_shared<const GapRegression>(std::move(likelihood)),
          std::vector<MemberHistory>(request.marginals.size())};
}

SharedPosterior load(const Prior& prior, const Region& region, std::span<const NamedArray> arrays) {
  return std::make_shared<const GapRegression>(std::static_pointer_cast<const RegressionLikelihood>(
      regression_estimation().load(prior, region, arrays)));
}

}  // namespace

bool may_regress_with_gaps(const Dataset& data) {
  return data.x->cols() <= kMostColumns && may_regress(data);
}

const EstimatorKind& gap_regression_estimation() {
  static const EstimatorKind kind{
      .name = GapRegression::kName,
      .train = [](const EstimationRequest&, ProcessGroup&) -> std::unique_ptr<TrainedNetworks> {
        return std::make_unique<NoNetworks>();
      },
      .assemble = assemble,
      .load = load};
  return kind;
}

}  // namespace hone
