#include "hone/estimate/model_odds.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "hone/core/error.h"
#include "hone/estimate/evidence.h"

namespace hone {
HeldOutModels held_out_models(std::span<const Dataset* const> models, Index most_of_each) {
  std::vector<Matrix<float>> parts;
  HeldOutModels result;
  for (std::size_t m = 0; m < models.size(); ++m) {
    parts.push_back(held_out(*models[m], most_of_each).x);
    result.model.insert(result.model.end(), static_cast<std::size_t>(parts.back().rows()),
                        static_cast<int>(m));
  }
  result.x = Matrix<float>(std::ssize(result.model), models[0]->x->cols());
  float* to = result.x.data();
  for (const Matrix<float>& part : parts) {
    to = std::copy_n(part.data(), part.rows() * part.cols(), to);
  }
  return result;
}

namespace {

double log_sum_exp(std::span<const double> values) {
  const double peak = std::ranges::max(values);
  double sum = 0;
  for (const double value : values) sum += std::exp(value - peak);
  return peak + std::log(sum);
}

}  // namespace

std::vector<double> log_probabilities(std::span<const double> log_evidence,
                                      std::span<const double> log_prior) {
  std::vector<double> result(log_evidence.begin(), log_evidence.end());
  for (std::size_t m = 0; m < result.size(); ++m) result[m] += log_prior[m];
  const double sum = log_sum_exp(result);
  for (double& value : result) value -= sum;
  return result;
}

namespace {

// Mean over the models of the mean log probability of the true model, all equally probable before.
double log_score(const Matrix<double>& log_evidence, std::span<const int> model) {
  const Index models = log_evidence.cols();
  const std::vector<double> equal(static_cast<std::size_t>(models), 0.0);
  std::vector<double> sums(equal), counts(equal);
  for (Index i = 0; i < log_evidence.rows(); ++i) {
    const auto truth = static_cast<std::size_t>(model[static_cast<std::size_t>(i)]);
    sums[truth] += log_probabilities(log_evidence.row(i), equal)[truth];
    ++counts[truth];
  }
  double score = 0;
  for (std::size_t m = 0; m < sums.size(); ++m) {
    score += sums[m] / counts[m] / static_cast<double>(models);
  }
  return score;
}

Matrix<double> pooled(const std::vector<ModelOdds>& ways, std::span<const double> shares) {
  Matrix<double> sum(ways[0].held_out.rows(), ways[0].held_out.cols());
  for (std::size_t w = 0; w < ways.size(); ++w) {
    for (Index i = 0; i < sum.rows() * sum.cols(); ++i) {
      sum.data()[i] += shares[w] * ways[w].held_out.data()[i];
    }
  }
  return sum;
}

// Of every difference between two models: that of the ways' networks, and how far the ways differ.
Matrix<double> pooled_scatter(const std::vector<ModelOdds>& ways, std::span<const double> shares,
                              std::span<const double> observed) {
  const Index models = std::ssize(observed);
  const auto difference = [](std::span<const double> of, Index a, Index b) {
    return of[static_cast<std::size_t>(a)] - of[static_cast<std::size_t>(b)];
  };
  Matrix<double> scatter(models, models);
  for (Index a = 0; a < models; ++a) {
    for (Index b = 0; b < models; ++b) {
      double square = 0;
      for (std::size_t w = 0; w < ways.size(); ++w) {
        const double off = difference(ways[w].observed, a, b) - difference(observed, a, b);
        square += shares[w] * (ways[w].scatter(a, b) * ways[w].scatter(a, b) + off * off);
      }
      scatter(a, b) = std::sqrt(square);
    }
  }
  return scatter;
}

// All shares of so many ways that are multiples of 1 / kSteps.
constexpr int kSteps = 20;  // finer shares change nothing that can be seen
void for_shares(std::size_t ways, int left, std::vector<double>& shares,
                const std::function<void()>& f) {
  if (shares.size() + 1 == ways) {
    shares.push_back(left / double(kSteps));
    f();
    shares.pop_back();
    return;
  }
  for (int steps = 0; steps <= left; ++steps) {
    shares.push_back(steps / double(kSteps));
    for_shares(ways, left - steps, shares, f);
    shares.pop_back();
  }
}

}  // namespace

PooledOdds pool_odds(const std::vector<ModelOdds>& ways, std::span<const int> model) {
  HONE_ASSERT(!ways.empty());
  PooledOdds result{.odds = {}, .shares = {}, .scores = {}, .score = -INFINITY};
  for (const ModelOdds& way : ways) result.scores.push_back(log_score(way.held_out, model));
  std::vector<double> shares;
  for_shares(ways.size(), kSteps, shares, [&] {
    const double score = log_score(pooled(ways, shares), model);
    if (result.shares.empty() || score > result.score) {
      result.score = score;
      result.shares = shares;
    }
  });
  result.odds.name = "pool";
  result.odds.held_out = pooled(ways, result.shares);
  result.odds.observed.resize(static_cast<std::size_t>(ways[0].held_out.cols()));
  for (std::size_t w = 0; w < ways.size(); ++w) {
    for (std::size_t m = 0; m < result.odds.observed.size(); ++m) {
      result.odds.observed[m] += result.shares[w] * ways[w].observed[m];
    }
  }
  result.odds.scatter = pooled_scatter(ways, result.shares, result.odds.observed);
  return result;
}

}  // namespace hone
