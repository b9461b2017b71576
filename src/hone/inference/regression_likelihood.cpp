#include "hone/inference/regression_likelihood.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "hone/inference/factors.h"
#include "hone/inference/network_coordinates.h"
#include "hone/posterior/sample_posterior.h"
#include "hone/prior/standard_normal.h"

namespace hone {
namespace {

constexpr Index kPointsPerTask = 256;

std::vector<double> to_doubles(std::span<const float> values) {
  return {values.begin(), values.end()};
}

std::vector<NormalScores> find_peaks(const DataRegression& regression, const Matrix<double>& y,
                                     const RegressionCoordinates& coordinates,
                                     const TruncatedPrior& prior) {
  std::vector<NormalScores> peaks(static_cast<std::size_t>(y.rows()));
  parallel_for(y.rows(), [&](Index i) {
    peaks[static_cast<std::size_t>(i)] = regression.peak(y.row(i), [&](Index d, double score) {
      return coordinates(prior, static_cast<int>(d), standard_normal_cdf(score));
    });
  });
  return peaks;
}

}  // namespace

double RegressionCoordinates::operator()(const TruncatedPrior& prior, int d, double local) const {
  const auto at = static_cast<std::size_t>(d);
  return (prior_coordinate(prior, d, local) - centre[at]) / scale[at];
}

Matrix<double> RegressionCoordinates::operator()(const TruncatedPrior& prior,
                                                 MatrixView<const float> local) const {
  Matrix<double> z(local.rows(), local.cols());
  for (Index i = 0; i < z.rows(); ++i) {
    for (Index d = 0; d < z.cols(); ++d) {
      z(i, d) = (*this)(prior, static_cast<int>(d), static_cast<double>(local(i, d)));
    }
  }
  return z;
}

RegressionLikelihood::RegressionLikelihood(TruncatedPrior prior,
                                           const std::vector<Marginal>& marginals,
                                           Standardizer scores, RegressionCoordinates coordinates,
                                           DataRegression regression)
    : LikelihoodPosterior(std::move(prior), marginals, 1,
                          std::vector<double>(marginals.size(), 1.0)),
      scores_(std::move(scores)),
      coordinates_(std::move(coordinates)),
      regression_(std::move(regression)) {
  HONE_ASSERT(scores_.cols() == regression_.columns());
}

Matrix<float> RegressionLikelihood::features(MatrixView<const float> x) const {
  Matrix<float> result(x.rows(), x.cols());
  scores_.apply(result, x);
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
      return static_cast<float>(std::isfinite(value) ? std::max(value, -1e30) : -1e30);
    });
  });
  return out;
}

ProposalDraws RegressionLikelihood::propose(MatrixView<const float> features, Index each) const {
  Matrix<double> y(features.rows(), features.cols());
  std::copy_n(features.data(), y.rows() * y.cols(), y.data());
  return draw_normal(find_peaks(regression_, y, coordinates_, prior()), each);
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
  add("theta_centre", coordinates_.centre);
  add("theta_scale", coordinates_.scale);
  arrays.push_back(marginals_to_array(marginals()));
  return arrays;
}

namespace {

// Simulations that the regression sees: many more than it has coefficients, in 160 MB at most.
constexpr Index kMostRows = 20'000, kMostNumbers = 20'000'000;
constexpr Index kRowsPerMonomial = 8;
constexpr Index kFewestRows = 40;
// Above so many columns they are taken for independent, with the same scatter everywhere: the work
// for a covariance grows with their cube, that for a varying scatter with draws times columns.
constexpr Index kMostThorough = 1024;
constexpr Index kMostColumns = 20'000;
constexpr Index kMostJudging = 256;  // held-out simulations that choose the form
constexpr Index kRivals = 256;       // of the true parameters of each, these included

class NoNetworks final : public TrainedNetworks {
 public:
  Index size() const override { return 0; }
  std::span<float> parameters(Index) override { return {}; }
};

// At most so many of them, evenly spread.
std::vector<Index> thinned(const std::vector<Index>& rows, Index most, Index shift = 0) {
  const Index all = std::ssize(rows), count = std::min(all, most);
  std::vector<Index> result;
  for (Index i = 0; i < count; ++i) {
    result.push_back(rows[static_cast<std::size_t>(i * all / count + shift)]);
  }
  return result;
}

// Held-out simulations that choose the form. held_out() in evidence.h takes as many, evenly spread,
// to decide what the form counts; these are the ones behind them, where there are enough.
std::vector<Index> judging_rows(const Dataset& data) {
  const bool enough = std::ssize(data.validation) >= 2 * kMostJudging;
  return thinned(data.validation, kMostJudging, enough ? 1 : 0);
}

RegressionCoordinates fit_coordinates(const Dataset& data, const std::vector<Index>& rows) {
  RegressionCoordinates result;
  for (int d = 0; d < data.prior.dimensions(); ++d) {
    double sum = 0, squares = 0;
    const auto n = static_cast<double>(rows.size());
    std::vector<double> raw;
    for (const Index row : rows) {
      raw.push_back(prior_coordinate(data.prior, d, static_cast<double>(data.theta(row, d))));
      sum += raw.back();
    }
    for (const double value : raw) squares += (value - sum / n) * (value - sum / n);
    result.centre.push_back(sum / n);
    result.scale.push_back(squares > 0 ? std::sqrt(squares / n) : 1);
  }
  return result;
}

Matrix<float> rows_of(const Matrix<float>& table, const std::vector<Index>& rows) {
  Matrix<float> result(std::ssize(rows), table.cols());
  for (Index i = 0; i < result.rows(); ++i) {
    std::ranges::copy(table.row(rows[static_cast<std::size_t>(i)]), result.row(i).begin());
  }
  return result;
}

RegressionRows regression_rows(const Dataset& data, const std::vector<Index>& rows,
                               const Standardizer& scores,
                               const RegressionCoordinates& coordinates) {
  constexpr Index kBlock = 256;
  const Index n = std::ssize(rows), columns = data.x->cols();
  RegressionRows result{Matrix<double>(n, columns), {}};
  for (Index begin = 0; begin < n; begin += kBlock) {
    const Index count = std::min(kBlock, n - begin);
    Matrix<float> x(count, columns);
    data.x->read(x, std::span(rows).subspan(static_cast<std::size_t>(begin),
                                            static_cast<std::size_t>(count)));
    scores.apply(x, x);
    std::copy_n(x.data(), count * columns, result.y.row(begin).data());
  }
  result.z = coordinates(data.prior, rows_of(data.theta, rows));
  return result;
}

// Held-out data, and for each the parameters that they might have come from: first those that they
// did come from, then draws around the posterior of a first fit.
struct Judges {
  Matrix<double> y;
  Matrix<double> z;                // (n kRivals, parameters)
  std::vector<double> log_weight;  // of each rival: -log density of the draws
};

Judges make_judges(RegressionRows held_out, MatrixView<const float> local,
                   const std::vector<NormalScores>& peaks, const RegressionCoordinates& coordinates,
                   const TruncatedPrior& prior) {
  const Index n = local.rows(), parameters = local.cols();
  const ProposalDraws draws = draw_normal(peaks, kRivals - 1);
  Judges judges{std::move(held_out.y), {}, {}};
  Matrix<float> rivals(n * kRivals, parameters);
  for (Index i = 0; i < n; ++i) {
    std::vector<double> scores;
    for (const float value : local.row(i)) {
      scores.push_back(
          standard_normal_quantile(std::clamp(static_cast<double>(value), 1e-6, 1 - 1e-6)));
    }
    std::ranges::copy(local.row(i), rivals.row(i * kRivals).begin());
    judges.log_weight.push_back(-log_normal_proposal(peaks[static_cast<std::size_t>(i)], scores));
    for (Index j = 0; j + 1 < kRivals; ++j) {
      const Index r = i * (kRivals - 1) + j;
      std::ranges::copy(draws.local.row(r), rivals.row(i * kRivals + j + 1).begin());
      judges.log_weight.push_back(
          -static_cast<double>(draws.log_density[static_cast<std::size_t>(r)]));
    }
  }
  judges.z = coordinates(prior, rivals);
  return judges;
}

// Log of the mean over judges of the probability of the true parameters among their rivals: a
// proper score. For each power that the likelihoods may be raised to.
constexpr std::array kCertainties{1.0, 0.7, 0.5, 0.35, 0.25, 0.15, 0.1, 0.05};
using Scores = std::array<double, kCertainties.size()>;

Scores scores(const DataRegression& regression, const Judges& judges) {
  const Index n = judges.y.rows();
  std::vector<Scores> all(static_cast<std::size_t>(n));
  parallel_for(n, [&](Index i) {
    std::vector<double> likelihood(static_cast<std::size_t>(kRivals)), log(likelihood);
    regression.log_likelihoods(likelihood, judges.y.row(i),
                               judges.z.view().rows(i * kRivals, kRivals));
    for (std::size_t k = 0; k < kCertainties.size(); ++k) {
      for (std::size_t j = 0; j < log.size(); ++j) {
        log[j] = kCertainties[k] * likelihood[j] +
                 judges.log_weight[static_cast<std::size_t>(i * kRivals) + j];
      }
      const double peak = std::ranges::max(log);
      double sum = 0;
      for (const double value : log) sum += std::exp(value - peak);
      all[static_cast<std::size_t>(i)][k] = log[0] - peak - std::log(sum);
    }
  });
  Scores mean{};
  for (const Scores& one : all) {
    for (std::size_t k = 0; k < mean.size(); ++k) mean[k] += one[k] / static_cast<double>(n);
  }
  return mean;
}

int highest_degree(const RegressionRows& rows) {
  const Index most = std::min(kMostMonomials, rows.z.rows() / kRowsPerMonomial);
  int degree = 1;
  while (degree < kMostDegree && PolynomialBasis::size_of(rows.z.cols(), degree + 1) <= most) {
    ++degree;
  }
  return degree;
}

// The best form so far. Forms are tried one after the other: the degree, how the data scatter, and
// the degrees beside that again.
class BestRegression {
 public:
  BestRegression(const RegressionRows& rows, const Judges& judges) : rows_(rows), judges_(judges) {}

  void consider(const RegressionForm& form) {
    DataRegression next(rows_, form);
    const Scores own = scores(next, judges_);
    const auto top = std::ranges::max_element(own);
    if (best_ && !(*top > score_)) return;
    next.set_certainty(kCertainties[static_cast<std::size_t>(top - own.begin())]);
    best_.emplace(std::move(next));
    form_ = form;
    score_ = *top;
  }
  void consider_degree(int degree) {
    RegressionForm form = form_;
    form.degree = degree;
    consider(form);
  }
  const RegressionForm& form() const { return form_; }
  DataRegression take() { return std::move(*best_); }

 private:
  const RegressionRows& rows_;
  const Judges& judges_;
  std::optional<DataRegression> best_;
  RegressionForm form_;
  double score_ = 0;
};

DataRegression best_regression(const RegressionRows& rows, const Judges& judges,
                               const RegressionForm& first) {
  const int highest = highest_degree(rows);
  BestRegression best(rows, judges);
  best.consider(first);
  for (int degree = 1; degree <= highest; ++degree) {
    if (degree != first.degree) best.consider_degree(degree);
  }
  const int degree = best.form().degree;
  if (rows.y.cols() <= kMostThorough) {
    for (const double shrinkage : {0.5, 0.02}) {
      best.consider({degree, Scatter::correlated, shrinkage});
    }
    best.consider({degree, Scatter::independent});
    best.consider({degree, Scatter::varying});
  }
  for (const int beside : {degree - 1, degree + 1}) {
    if (beside >= 1 && beside <= highest) best.consider_degree(beside);
  }
  return best.take();
}

Index most_rows(const Dataset& data) {
  return std::min(kMostRows, kMostNumbers / data.x->cols());
}

TrainedPosterior assemble(const EstimationRequest& request, std::unique_ptr<TrainedNetworks>) {
  const Dataset& data = request.data;
  const std::vector<Index> rows = thinned(data.training, most_rows(data));
  const std::vector<Index> judging = judging_rows(data);
  Standardizer scores = fit_standardizer(*data.x, rows, "x", request.options.training.tails);
  RegressionCoordinates coordinates = fit_coordinates(data, rows);
  const RegressionRows table = regression_rows(data, rows, scores, coordinates);
  RegressionRows held_out = regression_rows(data, judging, scores, coordinates);
  const RegressionForm first{
      std::min(2, highest_degree(table)),
      table.y.cols() <= kMostThorough ? Scatter::correlated : Scatter::independent, 0.1};
  const auto peaks = find_peaks(DataRegression(table, first), held_out.y, coordinates, data.prior);
  const Judges judges = make_judges(std::move(held_out), rows_of(data.theta, judging), peaks,
                                    coordinates, data.prior);
  DataRegression regression = best_regression(table, judges, first);
  return {
      std::make_shared<const RegressionLikelihood>(data.prior, request.marginals, std::move(scores),
                                                   std::move(coordinates), std::move(regression)),
      std::vector<MemberHistory>(request.marginals.size())};
}

SharedPosterior load(const Prior& prior, const Region& region, std::span<const NamedArray> arrays) {
  const Index parameters = prior.dimensions();
  DataRegression regression = DataRegression::from_arrays(arrays, parameters);
  const auto numbers = [&]<typename T>(const char* name, Index size, T) {
    const auto values = array_values<T>(arrays, name, std::vector<Index>{size});
    if (!std::ranges::all_of(values, [](T value) { return std::isfinite(value); })) fail_misfit();
    return std::vector<T>(values.begin(), values.end());
  };
  const Index columns = regression.columns();
  Standardizer scores{
      numbers("x_mean", columns, 0.0F), numbers("x_inverse", columns, 0.0F), {}, {}};
  if (std::ranges::find(arrays, "x_softness", &NamedArray::name) != arrays.end()) {
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
      std::move(scores), std::move(coordinates), std::move(regression));
}

}  // namespace

bool may_regress(const Dataset& data) {
  const Index monomials = PolynomialBasis::size_of(data.prior.dimensions(), 1);
  const auto discrete = [](const Parameter& one) { return one.distribution->discrete(); };
  return data.theta.rows() == data.rows() && data.x->cols() <= kMostColumns &&
         monomials <= kMostMonomials &&
         std::min(std::ssize(data.training), most_rows(data)) >=
             std::max(kFewestRows, kRowsPerMonomial * monomials) &&
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
