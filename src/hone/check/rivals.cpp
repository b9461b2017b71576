#include "hone/check/rivals.h"

#include <algorithm>

#include "hone/check/data_functions.h"
#include "hone/check/linear_estimate.h"
#include "hone/check/local_regression.h"
#include "hone/core/parallel.h"

namespace hone {
namespace {

// Numbers of the data that a regression works with: 100 MB in double precision, read a hundred
// times for every parameter.
constexpr Index kMostNumbers = 12'000'000;
// Every local regression solves for all parameters: work grows with their square.
constexpr Index kMostEstimates = 20'000;

template <typename T>
MatrixView<const T> first_rows(MatrixView<const T> rows, Index most) {
  return rows.rows(0, std::min(most, rows.rows()));
}

Matrix<double> columns_of(MatrixView<const double> rows, const std::vector<int>& columns) {
  Matrix<double> result(rows.rows(), std::ssize(columns));
  for (Index i = 0; i < rows.rows(); ++i) {
    for (std::size_t k = 0; k < columns.size(); ++k) {
      result(i, static_cast<Index>(k)) = rows(i, columns[k]);
    }
  }
  return result;
}

// Adds a rival of every parameter, which knows what is given of reference, draws and observation.
void add_regression(std::vector<std::vector<Rival>>& rivals, RivalKind kind,
                    MatrixView<const float> reference, MatrixView<const double> local,
                    MatrixView<const float> draws, MatrixView<const float> observed) {
  const LinearEstimates linear(reference, local);
  const Matrix<double> of_draws = linear(draws), of_observation = linear(observed);
  const LocalRegression regression(linear.learned(), local);
  std::vector<LocalEstimate> estimates(static_cast<std::size_t>(draws.rows()));
  parallel_for(draws.rows(), [&](Index i) {
    estimates[static_cast<std::size_t>(i)] = regression.at(of_draws.row(i));
  });
  const LocalEstimate here = regression.at(of_observation.row(0));
  for (std::size_t k = 0; k < rivals.size(); ++k) {
    Rival one{.kind = kind, .observed = here.mean[k]};
    one.observed_error = here.error[k];
    for (const LocalEstimate& estimate : estimates) {
      one.draws.push_back(estimate.mean[k]);
      one.error.push_back(estimate.error[k]);
    }
    rivals[k].push_back(std::move(one));
  }
}

// Test draws that get an estimate.
Index draws_of(const RivalData& data, const RivalLimits& limits) {
  const Index each = std::max<Index>(1, std::ssize(data.parameters));
  return std::min({data.draws.rows(), limits.most_draws,
                   std::max<Index>(kMostEstimates / each, limits.most_draws / 5)});
}

}  // namespace

std::vector<std::vector<Rival>> regression_rivals(const RivalData& data,
                                                  const RivalLimits& limits) {
  std::vector<std::vector<Rival>> rivals(data.parameters.size());
  if (data.reference.rows() < limits.fewest_reference || data.draws.rows() == 0) return rivals;
  const Index columns = std::max<Index>(1, data.reference.cols());
  const Index most = std::min(limits.most_reference, std::max<Index>(kMostNumbers / columns, 200));
  const auto reference = first_rows(data.reference, most);
  const Matrix<double> local = columns_of(first_rows(data.reference_local, most), data.parameters);
  const auto draws = first_rows(data.draws, draws_of(data, limits));
  Matrix<float> observed(1, std::ssize(data.observation));
  std::ranges::transform(data.observation, observed.row(0).begin(),
                         [](double v) { return static_cast<float>(v); });
  add_regression(rivals, RivalKind::columns, reference, local, draws, observed);
  const DataFunctions functions(data.data, reference);
  const Matrix<float> of_reference = functions(reference);
  if (of_reference.cols() > 0) {
    add_regression(rivals, RivalKind::functions, of_reference, local, functions(draws),
                   functions(observed));
  }
  return rivals;
}

}  // namespace hone
