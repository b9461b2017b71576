#include "hone/estimate/regression_choice.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "hone/core/parallel.h"
#include "hone/core/selected_rows.h"
#include "hone/estimate/smooth_functions.h"
#include "hone/prior/standard_normal.h"

namespace hone {
namespace {

// Simulations that a form is fitted to: many more than it has coefficients.
constexpr Index kRowsPerMonomial = 8;
constexpr Index kFewestRows = 40;
// Above so many columns they are taken for independent, with the same scatter everywhere: the work
// for a covariance grows with their cube, that for a varying scatter with draws times columns.
constexpr Index kMostThorough = 1024;
constexpr Index kMostJudging = 256;  // rows that choose the form
constexpr Index kRivals = 256;       // of the true parameters of each, these included

// Rows that forms are fitted to, and those that judge them.
struct Split {
  std::vector<Index> fitted, judging;
};

Split split(std::span<const Index> rows) {
  const Index judging = std::min(std::ssize(rows) / 5, kMostJudging);
  Split result;
  for (Index i = 0, next = 0; i < std::ssize(rows); ++i) {
    const bool judges = next < judging && i == next * std::ssize(rows) / judging;
    (judges ? result.judging : result.fitted).push_back(rows[static_cast<std::size_t>(i)]);
    next += judges ? 1 : 0;
  }
  return result;
}

RegressionRows regression_rows(const Dataset& data, std::span<const Index> rows,
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
  result.z = coordinates(data.prior, selected_rows(data.theta, rows));
  return result;
}

// For all held-out data the parameters that they might have come from: first those that they did
// come from, then draws around the posterior of a first fit.
struct Judges {
  Matrix<double> z;                // (n kRivals, parameters)
  std::vector<double> log_weight;  // of each rival: -log density of the draws
};

Judges make_judges(MatrixView<const float> local, const std::vector<NormalScores>& peaks,
                   const RegressionCoordinates& coordinates, const TruncatedPrior& prior) {
  const Index n = local.rows(), parameters = local.cols();
  const ProposalDraws draws = draw_normal(peaks, kRivals - 1);
  Judges judges;
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

Scores scores(const DataRegression& regression, const Matrix<double>& held_out,
              const Judges& judges) {
  const Index n = held_out.rows();
  std::vector<Scores> all(static_cast<std::size_t>(n));
  parallel_for(n, [&](Index i) {
    std::vector<double> likelihood(static_cast<std::size_t>(kRivals)), log(likelihood);
    regression.log_likelihoods(likelihood, held_out.row(i),
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

// Data as regressions see them: fitted rows, and held-out ones.
struct View {
  Index functions = -1;  // the number of their table; -1: the data themselves
  const RegressionRows& rows;
  const Matrix<double>& held_out;
};

struct ChosenForm {
  RegressionForm form;
  Index functions = -1;
  double certainty = 1;
};

// The best form so far. Forms are tried one after the other: the degree, how the data scatter, and
// the degrees beside that again.
class BestForm {
 public:
  explicit BestForm(const Judges& judges) : judges_(judges) {}

  void consider(const View& view, const RegressionForm& form) {
    const Scores own = scores(DataRegression(view.rows, form), view.held_out, judges_);
    const auto top = std::ranges::max_element(own);
    if (!(*top > score_)) return;
    best_ = {form, view.functions, kCertainties[static_cast<std::size_t>(top - own.begin())]};
    score_ = *top;
  }
  const ChosenForm& get() const { return best_; }
  RegressionForm with_degree(int degree) const {
    RegressionForm form = best_.form;
    form.degree = degree;
    return form;
  }

 private:
  const Judges& judges_;
  ChosenForm best_;
  double score_ = -std::numeric_limits<double>::infinity();
};

void consider_scatters(BestForm& best, const View& view) {
  if (view.rows.y.cols() > kMostThorough) return;
  RegressionForm form = best.get().form;
  for (const double shrinkage : {0.5, 0.1, 0.02}) {
    form.scatter = Scatter::correlated;
    form.shrinkage = shrinkage;
    best.consider(view, form);
  }
  for (const Scatter scatter : {Scatter::independent, Scatter::varying}) {
    form.scatter = scatter;
    form.shrinkage = 0;
    best.consider(view, form);
  }
}

void consider_view(BestForm& best, const View& view, const RegressionForm& first) {
  const int highest = highest_degree(view.rows);
  for (const bool low_rank : {false, true}) {
    for (int degree = 1; degree <= highest; ++degree) {
      RegressionForm form = first;
      form.degree = degree;
      form.low_rank = low_rank;
      best.consider(view, form);
    }
  }
  if (best.get().functions != view.functions) return;
  consider_scatters(best, view);
  const int degree = best.get().form.degree;
  for (const int beside : {degree - 1, degree + 1}) {
    if (beside >= 1 && beside <= highest) best.consider(view, best.with_degree(beside));
  }
}

}  // namespace

bool enough_to_regress(Index rows, Index parameters) {
  const Index monomials = PolynomialBasis::size_of(parameters, 1);
  return monomials <= kMostMonomials &&
         rows - rows / 5 >= std::max(kFewestRows, kRowsPerMonomial * monomials);
}

ChosenRegression choose_regression(const Dataset& data, std::span<const Index> rows,
                                   const Standardizer& scores,
                                   const RegressionCoordinates& coordinates) {
  const auto [fitted, judging] = split(rows);
  const RegressionRows table = regression_rows(data, fitted, scores, coordinates);
  const RegressionRows held_out = regression_rows(data, judging, scores, coordinates);
  const RegressionForm first{
      std::min(2, highest_degree(table)),
      table.y.cols() <= kMostThorough ? Scatter::correlated : Scatter::independent, 0.1, true};
  const auto peaks = find_peaks(DataRegression(table, first), held_out.y, coordinates, data.prior);
  const Judges judges =
      make_judges(selected_rows(data.theta, judging), peaks, coordinates, data.prior);

  BestForm best(judges);
  consider_view(best, {-1, table, held_out.y}, first);
  std::vector<Matrix<float>> functions = smooth_functions(data.description, table);
  for (std::size_t k = 0; k < functions.size(); ++k) {
    const RegressionRows seen = seen_through(functions[k], table);
    const Matrix<double> judged = seen_through(functions[k], held_out.y);
    consider_view(best, {static_cast<Index>(k), seen, judged}, {.scatter = Scatter::independent});
  }
  const ChosenForm chosen = best.get();
  RegressionRows all = regression_rows(data, rows, scores, coordinates);
  Matrix<float> used;
  if (chosen.functions >= 0) {
    used = std::move(functions[static_cast<std::size_t>(chosen.functions)]);
    all.y = seen_through(used, all.y);
  }
  DataRegression regression(all, chosen.form);
  regression.set_certainty(chosen.certainty);
  return {std::move(regression), std::move(used)};
}

}  // namespace hone
