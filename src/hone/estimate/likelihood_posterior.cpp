#include "hone/estimate/likelihood_posterior.h"

#include <algorithm>
#include <cmath>

#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "hone/estimate/kernel_draws.h"

namespace hone {
namespace {

// Below this a density is nothing: its logarithm stays a number.
constexpr double kNothing = 1e-40;

// Where fewer draws than this share count, others are made around them, so often at most.
constexpr double kEnough = 0.25;
constexpr int kRefinements = 2;

// Of the tables for one x of many.
constexpr WeightedDensity::Cells kCells{.line = 256, .plane = 40};

double effective_size(std::span<const double> weights) {
  double squares = 0;
  for (const double weight : weights) squares += weight * weight;
  return 1 / squares;
}

// Of the members, for row i of some x.
std::vector<double> average_weights(const std::vector<Matrix<double>>& members, Index i,
                                    std::span<const double> shares) {
  std::vector<double> average(static_cast<std::size_t>(members.at(0).cols()));
  for (std::size_t e = 0; e < members.size(); ++e) {
    for (std::size_t j = 0; j < average.size(); ++j) {
      average[j] += shares[e] * members[e](i, static_cast<Index>(j));
    }
  }
  return average;
}

bool same(MatrixView<const float> a, MatrixView<const float> b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return false;
  for (Index i = 0; i < a.rows(); ++i) {
    if (!std::ranges::equal(a.row(i), b.row(i))) return false;
  }
  return true;
}

Matrix<float> copy(MatrixView<const float> from) {
  Matrix<float> result(from.rows(), from.cols());
  for (Index i = 0; i < from.rows(); ++i) std::ranges::copy(from.row(i), result.row(i).begin());
  return result;
}

// Columns of the points that belong to a marginal.
Matrix<float> columns_of(MatrixView<const float> points, const Marginal& marginal) {
  Matrix<float> result(points.rows(), std::ssize(marginal));
  for (Index i = 0; i < points.rows(); ++i) {
    for (Index j = 0; j < result.cols(); ++j) {
      result(i, j) = points(i, marginal[static_cast<std::size_t>(j)]);
    }
  }
  return result;
}

}  // namespace

bool LikelihoodPosterior::is_joint(const Marginal& marginal) const {
  return std::ssize(marginal) == prior().dimensions();
}

// Weights of proposed draws, per member (n, each): p(x | theta) p(theta) / q(theta | x), which add
// up to 1 for every x, and the log of their mean before.
void LikelihoodPosterior::set_weights(Draws& draws, const ProposalDraws& proposed) const {
  const Matrix<float> log = log_joint(draws.features, proposed.local);
  const Index n = draws.features.rows(), each = proposed.local.rows() / n;
  draws.weights.clear();
  draws.log_mean = Matrix<double>(ensemble(), n);
  for (int e = 0; e < ensemble(); ++e) {
    Matrix<double>& weights = draws.weights.emplace_back(n, each);
    for (Index i = 0; i < n; ++i) {
      double peak = -std::numeric_limits<double>::infinity(), sum = 0;
      for (Index j = 0; j < each; ++j) {
        const Index r = i * each + j;
        weights(i, j) = static_cast<double>(log(e, r)) -
                        static_cast<double>(proposed.log_density[static_cast<std::size_t>(r)]);
        peak = std::max(peak, weights(i, j));
      }
      for (double& weight : weights.row(i)) sum += weight = std::exp(weight - peak);
      for (double& weight : weights.row(i)) weight /= sum;
      draws.log_mean(e, i) = peak + std::log(sum / static_cast<double>(each));
    }
  }
}

std::shared_ptr<const LikelihoodPosterior::Draws> LikelihoodPosterior::draws(
    MatrixView<const float> features) const {
  return draws(features, features.rows() == 1 ? kDraws : draws_of_many());
}

std::shared_ptr<const LikelihoodPosterior::Draws> LikelihoodPosterior::draws(
    MatrixView<const float> features, Index each) const {
  SharedDraws& last = each == kDraws ? last_ : last_of_many_;
  {
    const std::lock_guard lock(mutex_);
    if (last && last->local.rows() == features.rows() * each && same(last->features, features)) {
      return last;
    }
  }
  HONE_ASSERT(can_propose());
  auto result = std::make_shared<Draws>();
  result->features = copy(features);
  ProposalDraws proposed = propose(features, each);
  set_weights(*result, proposed);
  // One x has the time for draws where the first ones found the posterior.
  for (int turn = 0; features.rows() == 1 && turn < kRefinements; ++turn) {
    if (!refine(proposed, *result, turn)) break;
  }
  result->local = std::move(proposed.local);
  const std::lock_guard lock(mutex_);
  last = result;
  return result;
}

// Draws again around those that count, if these are few, and keeps what has more that count.
bool LikelihoodPosterior::refine(ProposalDraws& proposed, Draws& draws, int turn) const {
  const std::vector<double> before = average_weights(draws.weights, 0, weights(0));
  const double size = effective_size(before);
  if (size > kEnough * static_cast<double>(before.size())) return false;
  ProposalDraws around =
      draw_around(proposed.local, before, Rng(0).child("around", static_cast<std::uint64_t>(turn)));
  Draws found{.features = copy(draws.features), .local = {}, .weights = {}, .log_mean = {}};
  set_weights(found, around);
  if (effective_size(average_weights(found.weights, 0, weights(0))) <= size) return false;
  proposed = std::move(around);
  draws.weights = std::move(found.weights);
  draws.log_mean = std::move(found.log_mean);
  return true;
}

std::vector<Matrix<float>> LikelihoodPosterior::joint_blocks(const Marginal& marginal,
                                                             MatrixView<const float> features,
                                                             MatrixView<const float> local) const {
  Matrix<float> all(local.rows(), local.cols());
  for (Index i = 0; i < local.rows(); ++i) {
    for (Index j = 0; j < local.cols(); ++j) {
      all(i, marginal[static_cast<std::size_t>(j)]) = local(i, j);
    }
  }
  const Matrix<float> log = log_joint(features, all);
  std::vector<Matrix<float>> result;
  for (int e = 0; e < ensemble(); ++e) {
    result.emplace_back(features.rows(), local.rows() / features.rows());
    std::ranges::copy(log.row(e), result.back().data());
  }
  return result;
}

std::shared_ptr<const LikelihoodPosterior::Members> LikelihoodPosterior::smoothed(
    Index marginal, const SharedDraws& drawn) const {
  const std::lock_guard lock(mutex_);
  if (smoothed_draws_ != drawn) {
    smoothed_draws_ = drawn;
    smoothed_lines_.clear();
    smoothed_.clear();
  }
  if (const auto found = smoothed_.find(marginal); found != smoothed_.end()) return found->second;
  const Marginal& columns = marginals()[static_cast<std::size_t>(marginal)];
  constexpr WeightedDensity::Cells cells;
  for (const int d : columns) {
    Lines& lines = smoothed_lines_[d];
    for (Index e = std::ssize(lines); e < ensemble(); ++e) {
      lines.push_back(WeightedDensity::make_line(
          drawn->local, d, drawn->weights[static_cast<std::size_t>(e)].row(0), cells.line));
    }
  }
  const Matrix<float> points = columns_of(drawn->local, columns);
  auto members = std::make_shared<Members>();
  for (std::size_t e = 0; e < drawn->weights.size(); ++e) {
    Lines own;
    for (const int d : columns) own.push_back(smoothed_lines_[d][e]);
    members->emplace_back(points, drawn->weights[e].row(0), cells, std::move(own));
  }
  return smoothed_[marginal] = members;
}

std::vector<std::shared_ptr<const LikelihoodPosterior::Lines>> LikelihoodPosterior::lines_of_rows(
    Index marginal, const SharedDraws& drawn) const {
  const std::span<const double> shares = weights(marginal);
  const Index rows = drawn->features.rows(), each = drawn->local.rows() / rows;
  std::vector<std::shared_ptr<const Lines>> result;
  for (const int d : marginals()[static_cast<std::size_t>(marginal)]) {
    if (auto known = known_lines(d, drawn, shares)) {
      result.push_back(std::move(known));
      continue;
    }
    // Without the lock: a thread that waits for the others may do work that asks for it.
    auto lines = std::make_shared<Lines>(static_cast<std::size_t>(rows));
    parallel_for(rows, [&](Index i) {
      (*lines)[static_cast<std::size_t>(i)] =
          WeightedDensity::make_line(drawn->local.view().rows(i * each, each), d,
                                     average_weights(drawn->weights, i, shares), kCells.line);
    });
    const std::lock_guard lock(mutex_);
    if (lines_of_many_.draws == drawn) lines_of_many_.of[d] = lines;
    result.push_back(std::move(lines));
  }
  return result;
}

std::shared_ptr<const LikelihoodPosterior::Lines> LikelihoodPosterior::known_lines(
    int parameter, const SharedDraws& drawn, std::span<const double> shares) const {
  const std::lock_guard lock(mutex_);
  SmoothedLines& known = lines_of_many_;
  if (known.draws != drawn || !std::ranges::equal(known.shares, shares)) {
    known = {.draws = drawn, .shares = {shares.begin(), shares.end()}, .of = {}};
  }
  const auto found = known.of.find(parameter);
  return found == known.of.end() ? nullptr : found->second;
}

Matrix<float> LikelihoodPosterior::log_densities(Index marginal, const Matrix<float>& features,
                                                 MatrixView<const float> local) const {
  const Marginal& columns = marginals()[static_cast<std::size_t>(marginal)];
  Matrix<float> out(ensemble(), local.rows());
  if (is_joint(columns)) {
    const auto blocks = joint_blocks(columns, features, local);
    for (int e = 0; e < ensemble(); ++e) {
      std::ranges::copy(blocks[static_cast<std::size_t>(e)].row(0), out.row(e).begin());
    }
    return out;
  }
  const auto members = smoothed(marginal, draws(features, kDraws));
  parallel_for(local.rows(), [&](Index i) {
    for (int e = 0; e < ensemble(); ++e) {
      const double density = (*members)[static_cast<std::size_t>(e)](local.row(i));
      out(e, i) = static_cast<float>(std::log(std::max(density, kNothing)));
    }
  });
  return out;
}

std::vector<Matrix<float>> LikelihoodPosterior::log_density_blocks(
    Index marginal, MatrixView<const float> features, MatrixView<const float> local) const {
  const Marginal& columns = marginals()[static_cast<std::size_t>(marginal)];
  if (is_joint(columns)) return joint_blocks(columns, features, local);
  const Index many = draws_of_many();
  const auto drawn = draws(features, many);
  const Matrix<float> points = columns_of(drawn->local, columns);
  const auto lines = lines_of_rows(marginal, drawn);
  const Index each = local.rows() / features.rows();
  // The members together: smoothing takes longer than all else here.
  Matrix<float> together(features.rows(), each);
  parallel_for(features.rows(), [&](Index i) {
    Lines own;
    for (const auto& line : lines) own.push_back((*line)[static_cast<std::size_t>(i)]);
    const WeightedDensity density(points.view().rows(i * many, many),
                                  average_weights(drawn->weights, i, weights(marginal)), kCells,
                                  std::move(own));
    for (Index j = 0; j < each; ++j) {
      together(i, j) =
          static_cast<float>(std::log(std::max(density(local.row(i * each + j)), kNothing)));
    }
  });
  std::vector<Matrix<float>> result;
  for (int e = 0; e < ensemble(); ++e) result.push_back(copy(together));
  return result;
}

std::optional<double> LikelihoodPosterior::effective_draws(std::span<const double> x) const {
  if (!can_propose()) return std::nullopt;
  return effective_size(average_weights(draws(features(x), kDraws)->weights, 0, weights(0)));
}

}  // namespace hone
