#include "hone/estimate/evidence.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "hone/core/error.h"
#include "hone/posterior/lattice.h"

namespace hone {
namespace {

// Points on which a posterior is normalised, by its number of parameters.
Index lattice_points(Index dimensions) {
  return dimensions == 1 ? 160 : 610;
}

constexpr double kLeastDensity = 1e-30;
constexpr int kIterations = 200;
constexpr double kLeastShare = 0.02;
// Nats of a simulation's log score, of a single marginal and in the mean of all. A posterior that
// is 0.002 better cannot be told from the other: C2ST would be 0.52 at most.
constexpr double kLeastGain = 0.01, kLeastMeanGain = 0.002;
constexpr double kStrength = 50;
// Held-out simulations that all parts are asked about. What is then behind the best one by so many
// standard errors, and is worth less than so many nats in a mixture, is asked about no others. What
// is worth nothing seems to be worth 1 / (2 * 32) = 0.016 nats in the mean, to a mixture that was
// fitted to as many.
constexpr Index kRacingRows = 32;
constexpr double kClearlyBehind = 3, kRacingGain = 0.03;

// Lattices through the true values: (n points, parameters of the marginal).
Matrix<float> lattices(const HeldOut& draws, const Marginal& marginal) {
  const Index dimensions = std::ssize(marginal);
  const Lattice lattice = make_lattice(dimensions, lattice_points(dimensions));
  const Index n = draws.local.rows();
  Matrix<float> all(n * lattice.points, dimensions);
  Matrix<double> points(lattice.points, dimensions);
  std::vector<double> truth(marginal.size());
  for (Index i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < marginal.size(); ++j) {
      truth[j] = static_cast<double>(draws.local(i, marginal[j]));
    }
    points_through(points, lattice, truth);
    for (Index p = 0; p < lattice.points; ++p) {
      for (Index j = 0; j < dimensions; ++j) {
        all(i * lattice.points + p, j) = static_cast<float>(points(p, j));
      }
    }
  }
  return all;
}

// log of the mean of exp.
double log_mean_exp(std::span<const float> values) {
  const double peak = static_cast<double>(std::ranges::max(values));
  double sum = 0;
  for (const float value : values) sum += std::exp(static_cast<double>(value) - peak);
  return peak + std::log(sum / static_cast<double>(values.size()));
}

// Mean over the rows of the log of the mixture with these shares.
double mixture_score(MatrixView<const double> scores, std::span<const double> shares) {
  double sum = 0;
  for (Index i = 0; i < scores.rows(); ++i) {
    const double peak = std::ranges::max(scores.row(i));
    double density = 0;
    for (std::size_t k = 0; k < shares.size(); ++k) {
      density += shares[k] * std::exp(scores(i, static_cast<Index>(k)) - peak);
    }
    sum += peak + std::log(std::max(density, kLeastDensity));
  }
  return sum / static_cast<double>(scores.rows());
}

// Without part k; none of them if the others have no share.
std::vector<double> others(std::span<const double> shares, Index k) {
  std::vector<double> result(shares.begin(), shares.end());
  result[static_cast<std::size_t>(k)] = 0;
  const double sum = std::accumulate(result.begin(), result.end(), 0.0);
  for (double& share : result) share = sum > 0 ? share / sum : 0;
  return result;
}

// Shares of the parts in marginals with as many parameters, and the scores that decided. A part
// that gains next to nothing in any of them is left out, those that count least first.
void leave_out_idle(std::span<std::vector<double>> shares,
                    std::span<const Matrix<double>* const> scores) {
  const auto count = static_cast<Index>(shares[0].size());
  std::vector<std::pair<double, Index>> order;
  for (Index k = 0; k < count; ++k) {
    double sum = 0;
    for (const auto& own : shares) sum += own[static_cast<std::size_t>(k)];
    if (sum > 0) order.emplace_back(sum, -k);  // of equals the last one first
  }
  std::ranges::sort(order);
  for (const auto& [sum, minus_k] : order) {
    double most = 0, mean = 0;
    for (std::size_t m = 0; m < shares.size(); ++m) {
      const double gain = mixture_score(*scores[m], shares[m]) -
                          mixture_score(*scores[m], others(shares[m], -minus_k));
      most = std::max(most, gain);
      mean += gain / static_cast<double>(shares.size());
    }
    if (most > kLeastGain || mean > kLeastMeanGain) continue;
    for (auto& own : shares) own = others(own, -minus_k);
  }
}

// As log_scores(), given the features of the data.
std::vector<double> scores_of(const AmortizedPosterior& posterior, const Matrix<float>& features,
                              Index marginal, const HeldOut& draws) {
  const Matrix<float> local =
      lattices(draws, posterior.marginals()[static_cast<std::size_t>(marginal)]);
  const auto networks = posterior.log_density_blocks(marginal, features, local);
  const std::span<const double> weights = posterior.weights(marginal);
  std::vector<double> scores;
  for (Index i = 0; i < draws.x.rows(); ++i) {
    double density = 0;
    for (std::size_t e = 0; e < networks.size(); ++e) {
      const std::span<const float> row = networks[e].row(i);
      if (weights[e] == 0) continue;
      density += weights[e] * std::exp(static_cast<double>(row[0]) - log_mean_exp(row));
    }
    scores.push_back(std::log(density > kLeastDensity ? density : kLeastDensity));  // NaN too
  }
  return scores;
}

// Scores of some estimators, marginal by marginal: (rows, estimators).
using ScoreTables = std::vector<Matrix<double>>;

ScoreTables score_all(const std::vector<SharedPosterior>& parts, const HeldOut& draws) {
  const auto marginals = static_cast<Index>(parts.at(0)->marginals().size());
  ScoreTables tables;
  for (Index m = 0; m < marginals; ++m) tables.emplace_back(draws.x.rows(), std::ssize(parts));
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const Matrix<float> features = parts[k]->features(draws.x.view());
    for (Index m = 0; m < marginals; ++m) {
      const auto column = scores_of(*parts[k], features, m, draws);
      for (Index i = 0; i < draws.x.rows(); ++i) {
        tables[static_cast<std::size_t>(m)](i, static_cast<Index>(k)) =
            column[static_cast<std::size_t>(i)];
      }
    }
  }
  return tables;
}

HeldOut rows_of(const HeldOut& draws, std::span<const Index> rows) {
  HeldOut result{Matrix<float>(std::ssize(rows), draws.x.cols()),
                 Matrix<float>(std::ssize(rows), draws.local.cols())};
  for (Index i = 0; i < std::ssize(rows); ++i) {
    const Index from = rows[static_cast<std::size_t>(i)];
    std::ranges::copy(draws.x.row(from), result.x.row(i).begin());
    std::ranges::copy(draws.local.row(from), result.local.row(i).begin());
  }
  return result;
}

using MarginalGroups = std::map<std::size_t, std::vector<Index>>;
MarginalGroups by_dimensions(const std::vector<Marginal>& marginals) {
  MarginalGroups groups;
  for (Index m = 0; m < std::ssize(marginals); ++m) {
    groups[marginals[static_cast<std::size_t>(m)].size()].push_back(m);
  }
  return groups;
}

// Tables of some marginals below each other.
Matrix<double> together_of(const ScoreTables& scores, std::span<const Index> group) {
  const Index n = scores[0].rows(), count = scores[0].cols();
  Matrix<double> together(n * std::ssize(group), count);
  for (std::size_t g = 0; g < group.size(); ++g) {
    const Matrix<double>& table = scores[static_cast<std::size_t>(group[g])];
    std::copy_n(table.data(), n * count, together.data() + static_cast<Index>(g) * n * count);
  }
  return together;
}

std::vector<double> column_means(MatrixView<const double> scores) {
  std::vector<double> means(static_cast<std::size_t>(scores.cols()));
  for (Index i = 0; i < scores.rows(); ++i) {
    for (std::size_t k = 0; k < means.size(); ++k) {
      means[k] += scores.row(i)[k] / static_cast<double>(scores.rows());
    }
  }
  return means;
}

// Whether estimator k cannot count for any marginal of the group: it is nowhere the best, in the
// mean of all far behind, and a mixture has no use for it.
bool is_behind(const ScoreTables& scores, std::span<const Index> group, std::size_t k) {
  for (const Index m : group) {
    const auto means = column_means(scores[static_cast<std::size_t>(m)]);
    if (std::ranges::max(means) == means[k]) return false;
  }
  const Matrix<double> together = together_of(scores, group);
  const auto means = column_means(together);
  const auto best = static_cast<std::size_t>(std::ranges::max_element(means) - means.begin());
  const double gain = means[best] - means[k];
  // Scores of one simulation for several marginals depend on each other: a number per simulation.
  const Index n = scores[0].rows();
  double square = 0;
  for (Index i = 0; i < n; ++i) {
    double own = 0;
    for (const Index m : group) {
      const auto row = scores[static_cast<std::size_t>(m)].row(i);
      own += (row[best] - row[k]) / static_cast<double>(group.size());
    }
    square += (own - gain) * (own - gain);
  }
  const double error = std::sqrt(square / static_cast<double>(n * (n - 1)));
  if (!(gain > kClearlyBehind * error && gain > kLeastGain)) return false;
  const std::vector<double> equal(means.size(), 1 / static_cast<double>(means.size()));
  const auto shares = mixture_shares(together, equal, 1);
  const double use = mixture_score(together, shares) -
                     mixture_score(together, others(shares, static_cast<Index>(k)));
  return use < kRacingGain;
}

// Numbers of the estimators that may count for some marginal.
std::vector<Index> not_behind(const ScoreTables& scores, const MarginalGroups& groups) {
  std::vector<Index> left;
  for (Index k = 0; k < scores[0].cols(); ++k) {
    const bool behind = std::ranges::all_of(groups, [&](const auto& group) {
      return is_behind(scores, group.second, static_cast<std::size_t>(k));
    });
    if (!behind) left.push_back(k);
  }
  return left;
}

// Columns of the estimators that are left, and below these rows others.
ScoreTables joined(const ScoreTables& first, std::span<const Index> left, const ScoreTables& rest) {
  ScoreTables result;
  for (std::size_t m = 0; m < first.size(); ++m) {
    const Index begin = first[m].rows();
    Matrix<double>& table = result.emplace_back(begin + rest[m].rows(), std::ssize(left));
    for (Index i = 0; i < table.rows(); ++i) {
      for (Index k = 0; k < table.cols(); ++k) {
        table(i, k) =
            i < begin ? first[m](i, left[static_cast<std::size_t>(k)]) : rest[m](i - begin, k);
      }
    }
  }
  return result;
}

// Shares from the scores of all marginals, marginal by marginal.
std::vector<double> shares_of(const ScoreTables& scores, const MarginalGroups& groups) {
  const Index count = scores[0].cols();
  const std::vector<double> equal(static_cast<std::size_t>(count), 1 / static_cast<double>(count));
  std::vector<double> shares(scores.size() * equal.size());
  for (const auto& [dimensions, group] : groups) {
    const auto expected = mixture_shares(together_of(scores, group), equal, 1);
    std::vector<std::vector<double>> own;
    std::vector<const Matrix<double>*> tables;
    for (const Index m : group) {
      tables.push_back(&scores[static_cast<std::size_t>(m)]);
      own.push_back(mixture_shares(*tables.back(), expected, kStrength));
      drop_small_shares(own.back());
    }
    leave_out_idle(own, tables);
    for (std::size_t g = 0; g < group.size(); ++g) {
      std::ranges::copy(own[g], shares.begin() + group[g] * count);
    }
  }
  return shares;
}

}  // namespace

HeldOut held_out(const Dataset& data, Index most) {
  const Index all = std::ssize(data.validation), count = std::min(all, most);
  std::vector<Index> rows;
  for (Index i = 0; i < count; ++i) {
    rows.push_back(data.validation[static_cast<std::size_t>(i * all / count)]);
  }
  HeldOut result{Matrix<float>(count, data.x->cols()), Matrix<float>(count, data.theta.cols())};
  data.x->read(result.x, rows);
  for (Index i = 0; i < count; ++i) {
    std::ranges::copy(data.theta.row(rows[static_cast<std::size_t>(i)]),
                      result.local.row(i).begin());
  }
  return result;
}

std::vector<double> log_scores(const AmortizedPosterior& posterior, Index marginal,
                               const HeldOut& draws) {
  return scores_of(posterior, posterior.features(draws.x.view()), marginal, draws);
}

std::vector<double> mixture_shares(MatrixView<const double> scores,
                                   std::span<const double> expected, double strength) {
  const Index n = scores.rows(), parts = scores.cols();
  HONE_ASSERT(n > 0 && std::ssize(expected) == parts);
  std::vector<double> shares(expected.begin(), expected.end());
  std::vector<double> next(shares.size()), terms(shares.size());
  for (int iteration = 0; iteration < kIterations; ++iteration) {
    for (std::size_t k = 0; k < next.size(); ++k) next[k] = strength * expected[k];
    for (Index i = 0; i < n; ++i) {
      const double peak = std::ranges::max(scores.row(i));
      double sum = 0;
      for (std::size_t k = 0; k < terms.size(); ++k) {
        sum += terms[k] = shares[k] * std::exp(scores(i, static_cast<Index>(k)) - peak);
      }
      for (std::size_t k = 0; k < terms.size(); ++k) next[k] += terms[k] / sum;
    }
    for (double& share : next) share /= static_cast<double>(n) + strength;
    std::swap(shares, next);
  }
  return shares;
}

void drop_small_shares(std::span<double> shares) {
  for (double& share : shares) share = share < kLeastShare ? 0 : share;
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (double& share : shares) share /= sum;
}

std::vector<double> evidence_shares(const std::vector<SharedPosterior>& parts,
                                    const HeldOut& draws) {
  const std::vector<Marginal>& marginals = parts.at(0)->marginals();
  const MarginalGroups groups = by_dimensions(marginals);
  const Index n = draws.x.rows();
  // A few rows tell who cannot win; the others are asked about all.
  std::vector<Index> few, rest;
  for (Index i = 0; i < n; ++i) {
    const bool early = n < 2 * kRacingRows || i * kRacingRows / n != (i - 1) * kRacingRows / n;
    (i == 0 || early ? few : rest).push_back(i);
  }
  ScoreTables scores = score_all(parts, rows_of(draws, few));
  if (rest.empty()) return shares_of(scores, groups);
  const std::vector<Index> left = not_behind(scores, groups);
  std::vector<double> own(marginals.size(), 1.0);  // of a single one
  if (left.size() > 1) {
    std::vector<SharedPosterior> asked;
    for (const Index k : left) asked.push_back(parts[static_cast<std::size_t>(k)]);
    own = shares_of(joined(scores, left, score_all(asked, rows_of(draws, rest))), groups);
  }
  std::vector<double> shares(marginals.size() * parts.size());
  for (std::size_t m = 0; m < marginals.size(); ++m) {
    for (std::size_t k = 0; k < left.size(); ++k) {
      shares[m * parts.size() + static_cast<std::size_t>(left[k])] = own[m * left.size() + k];
    }
  }
  return shares;
}

}  // namespace hone
