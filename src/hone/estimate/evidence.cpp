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
  const Matrix<float> local =
      lattices(draws, posterior.marginals()[static_cast<std::size_t>(marginal)]);
  const auto networks =
      posterior.log_density_blocks(marginal, posterior.features(draws.x.view()), local);
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
  const Index n = draws.x.rows(), count = std::ssize(parts);
  std::vector<Matrix<double>> scores;            // per marginal: (n, parts)
  std::map<std::size_t, std::vector<Index>> of;  // marginals by their number of parameters
  for (Index m = 0; m < std::ssize(marginals); ++m) {
    Matrix<double>& table = scores.emplace_back(n, count);
    for (Index k = 0; k < count; ++k) {
      const auto column = log_scores(*parts[static_cast<std::size_t>(k)], m, draws);
      for (Index i = 0; i < n; ++i) table(i, k) = column[static_cast<std::size_t>(i)];
    }
    of[marginals[static_cast<std::size_t>(m)].size()].push_back(m);
  }
  const std::vector<double> equal(parts.size(), 1.0 / static_cast<double>(count));
  std::vector<double> shares(marginals.size() * parts.size());
  for (const auto& [dimensions, group] : of) {
    Matrix<double> together(n * std::ssize(group), count);
    for (std::size_t g = 0; g < group.size(); ++g) {
      const Matrix<double>& table = scores[static_cast<std::size_t>(group[g])];
      std::copy_n(table.data(), n * count, together.data() + static_cast<Index>(g) * n * count);
    }
    const auto expected = mixture_shares(together, equal, 1);
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

}  // namespace hone
