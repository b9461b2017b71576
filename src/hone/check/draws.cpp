#include "hone/check/draws.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "hone/check/proposal.h"
#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "hone/posterior/lattice.h"

namespace hone {
namespace {

constexpr Index kProposalCells = 64;

// The prior's density per unit of theta against the local coordinate, on a fine table: regions of
// highest density are then those of the intervals that a run reports.
class PriorTable {
 public:
  PriorTable(const TruncatedPrior& prior, int d) {
    for (Index i = 0; i < kCells; ++i) {
      const double local = (static_cast<double>(i) + 0.5) / kCells;
      values_.push_back(std::exp(prior.prior()[d].log_density(prior.to_theta(d, local))));
    }
  }
  double operator()(double local) const {
    return values_[static_cast<std::size_t>(std::min(local * kCells, kCells - 1.0))];
  }

 private:
  static constexpr Index kCells = 4096;
  std::vector<double> values_;
};

// Ensemble densities at the points of one draw, up to a common factor: every network normalised
// over the points, which have the importance weights 1 / proposal, then averaged with `weights`.
std::vector<double> mixture(std::span<const Matrix<float>> log_ratios,
                            std::span<const double> weights, Index draw,
                            std::span<const double> proposal) {
  std::vector<double> result(proposal.size(), 0.0);
  std::vector<double> ratio(proposal.size());
  for (std::size_t e = 0; e < log_ratios.size(); ++e) {
    const auto logs = log_ratios[e].row(draw);
    const double peak = static_cast<double>(*std::ranges::max_element(logs));
    double sum = 0;
    for (std::size_t j = 0; j < ratio.size(); ++j) {
      ratio[j] = std::exp(static_cast<double>(logs[j]) - peak);
      sum += ratio[j] / proposal[j];
    }
    if (!std::isfinite(sum)) {
      fail(ErrorKind::numerical, "a ratio is not finite at a test draw");
    }
    for (std::size_t j = 0; j < ratio.size(); ++j) result[j] += weights[e] * ratio[j] / sum;
  }
  return result;
}

std::vector<double> network_weights(const BlockPosteriors& posteriors, const Marginal& marginal,
                                    std::size_t networks) {
  if (!posteriors.weights) {
    return std::vector<double>(networks, 1 / static_cast<double>(networks));
  }
  const auto given = posteriors.weights(marginal);
  return {given.begin(), given.end()};
}

// Points and networks' answers of one marginal for a batch of draws.
struct Batch {
  Matrix<double> points;                  // (draws points, dimensions), local
  std::vector<double> proposal;           // (draws points): density the points follow
  std::vector<Matrix<float>> log_ratios;  // networks of (draws, points)
  std::vector<double> weights;            // of the networks
};

class Ranker {
 public:
  Ranker(const BlockPosteriors& posteriors, const TestDraws& draws, const Rng& rng,
         const RankOptions& options)
      : posteriors_(posteriors), draws_(draws), rng_(rng), options_(options) {
    for (int d = 0; d < posteriors.prior.dimensions(); ++d) {
      prior_.emplace_back(posteriors.prior, d);
    }
    const Index n = draws.local.rows();
    for (const Marginal& marginal : posteriors.marginals) {
      if (std::ssize(marginal) > options.most_dimensions) continue;
      const std::size_t single = marginal.size() == 1 ? std::size_t(n) : 0;
      const std::vector<double> values(single);
      results_.push_back(
          {.marginal = marginal,
           .credibility = Matrix<double>(std::ssize(options.powers), n),
           .cdf = values,
           .nearer = std::vector<double>(std::size_t(n) - single),
           .mean = values,
           .deviation = values,
           .part_mean = Matrix<double>(single > 0 ? std::ssize(posteriors.parts) : 0, n)});
      has_pairs_ |= marginal.size() > 1;
    }
  }

  void rank(Index begin, Index count) {
    proposals_.clear();
    for (const MarginalRanks& ranks : results_) {
      if (has_pairs_ && ranks.marginal.size() == 1) propose(ranks.marginal, begin, count);
    }
    for (std::size_t k = 0; k < results_.size(); ++k) rank_marginal(k, begin, count);
  }

  std::vector<MarginalRanks> take_results() { return std::move(results_); }

 private:
  Index point_count(std::size_t dimensions) const {
    return dimensions == 1   ? options_.points_1d
           : dimensions == 2 ? options_.points_2d
                             : options_.points_more;
  }

  void rank_marginal(std::size_t k, Index begin, Index count) {
    MarginalRanks& ranks = results_[k];
    const Lattice lattice =
        make_lattice(std::ssize(ranks.marginal), point_count(ranks.marginal.size()));
    const Batch batch = evaluate(ranks.marginal, lattice, begin, count);
    const Rng rng = rng_.child("rank", k);
    parallel_for(count, [&](Index i) {
      Rng draw = rng.child("draw", static_cast<std::uint64_t>(draws_.first + begin + i));
      rank_draw(ranks, batch, lattice, begin, i, draw);
    });
  }

  Batch evaluate(const Marginal& marginal, const Lattice& lattice, Index begin, Index count) const {
    const Index points = lattice.points, dimensions = std::ssize(marginal);
    Batch batch{Matrix<double>(count * points, dimensions),
                std::vector<double>(static_cast<std::size_t>(count * points), 1.0),
                {},
                {}};
    parallel_for(count, [&](Index i) { place_points(batch, marginal, lattice, begin, i); });
    Matrix<float> local(count * points, dimensions);
    std::transform(batch.points.data(), batch.points.data() + count * points * dimensions,
                   local.data(), [](double v) { return static_cast<float>(v); });
    batch.log_ratios = log_ratios(marginal, local, begin, count);
    batch.weights = network_weights(posteriors_, marginal, batch.log_ratios.size());
    return batch;
  }

  std::vector<Matrix<float>> log_ratios(const Marginal& marginal, const Matrix<float>& local,
                                        Index begin, Index count) const {
    return posteriors_.log_densities(marginal, draws_.features.rows(begin, count), local);
  }

  // The 1-d posteriors of the draws, on a grid that knows nothing of the true value: where
  // marginals of several parameters place their points.
  void propose(const Marginal& marginal, Index begin, Index count) {
    const Matrix<double> masses =
        posterior_masses(posteriors_, marginal, draws_.features.rows(begin, count), kProposalCells);
    auto& densities = proposals_[marginal[0]];
    for (Index i = 0; i < count; ++i) {
      densities.emplace_back(0.5 / kProposalCells, masses.row(i));
    }
  }

  // The lattice through the true value, in the coordinates in which the 1-d posteriors are uniform.
  void place_points(Batch& batch, const Marginal& marginal, const Lattice& lattice, Index begin,
                    Index i) const {
    std::vector<const CircleDensity*> densities;
    std::vector<double> truth;
    for (const int d : marginal) {
      const auto found = proposals_.find(d);
      const bool known = marginal.size() > 1 && found != proposals_.end();
      densities.push_back(known ? &found->second[static_cast<std::size_t>(i)] : nullptr);
      const double local = draws_.local(begin + i, d);
      truth.push_back(densities.back() ? densities.back()->to_uniform(local) : local);
    }
    const Index first = i * lattice.points;
    MatrixView<double> points = batch.points.view().rows(first, lattice.points);
    points_through(points, lattice, truth);
    for (std::size_t a = 0; a < densities.size(); ++a) {
      if (densities[a] == nullptr) continue;
      const Index column = static_cast<Index>(a);
      for (Index j = 0; j < lattice.points; ++j) {
        const double local = j == 0 ? draws_.local(begin + i, marginal[a])
                                    : densities[a]->from_uniform(points(j, column));
        points(j, column) = local;
        batch.proposal[static_cast<std::size_t>(first + j)] *= densities[a]->density(local);
      }
    }
  }

  void rank_draw(MarginalRanks& ranks, const Batch& batch, const Lattice& lattice, Index begin,
                 Index i, Rng& rng) {
    const Index n = lattice.points, row = begin + i;
    const auto points = batch.points.view().rows(i * n, n);
    const std::span<const double> proposal(batch.proposal.data() + i * n, std::size_t(n));
    std::vector<double> density = mixture(batch.log_ratios, batch.weights, i, proposal);
    if (const double power = options_.correction.power(ranks.marginal); power != 1) {
      for (double& value : density) value = std::pow(value, power);
    }
    std::vector<double> weight(density.size()), value(density.size()), log_density(density.size());
    for (std::size_t j = 0; j < density.size(); ++j) log_density[j] = std::log(density[j]);
    const double part = rng.uniform();
    for (std::size_t p = 0; p < options_.powers.size(); ++p) {
      const double power = options_.powers[p];
      for (std::size_t j = 0; j < weight.size(); ++j) {
        const double tempered = power == 1 ? density[j] : std::exp(power * log_density[j]);
        weight[j] = tempered / proposal[j];
        value[j] = -tempered * prior_density(ranks.marginal, points.row(Index(j)));
      }
      ranks.credibility(static_cast<Index>(p), row) = weighted_rank(weight, value, part);
    }
    for (std::size_t j = 0; j < weight.size(); ++j) weight[j] = density[j] / proposal[j];
    const auto at = static_cast<std::size_t>(row);
    if (ranks.marginal.size() == 1) {
      for (std::size_t j = 0; j < value.size(); ++j) value[j] = points(static_cast<Index>(j), 0);
      ranks.cdf[at] = weighted_rank(weight, value, part);
      set_moments(ranks, at, weight, value);
      set_part_means(ranks, at, batch, i, value);
    } else {
      set_distances(value, points, rng);
      ranks.nearer[at] = weighted_rank(weight, value, part);
    }
  }

  double prior_density(const Marginal& marginal, std::span<const double> local) const {
    double product = 1;
    for (std::size_t a = 0; a < marginal.size(); ++a) {
      product *= prior_[static_cast<std::size_t>(marginal[a])](local[a]);
    }
    return product;
  }

  static void set_moments(MarginalRanks& ranks, std::size_t at, const std::vector<double>& weight,
                          const std::vector<double>& local) {
    double sum = 0, mean = 0, square = 0;
    for (std::size_t j = 0; j < weight.size(); ++j) {
      sum += weight[j];
      mean += weight[j] * local[j];
    }
    mean /= sum;
    for (std::size_t j = 0; j < weight.size(); ++j) {
      square += weight[j] * (local[j] - mean) * (local[j] - mean);
    }
    ranks.mean[at] = mean;
    ranks.deviation[at] = std::sqrt(square / sum);
  }

  // A part without weight has not been asked: it says what all say together.
  void set_part_means(MarginalRanks& ranks, std::size_t at, const Batch& batch, Index i,
                      const std::vector<double>& local) const {
    const std::vector<double> even(local.size(), 1.0);
    std::size_t first = 0;
    for (Index k = 0; k < ranks.part_mean.rows(); ++k) {
      const auto count = static_cast<std::size_t>(posteriors_.parts[static_cast<std::size_t>(k)]);
      const auto weights = std::span(batch.weights).subspan(first, count);
      const double share = std::accumulate(weights.begin(), weights.end(), 0.0);
      double& mean = ranks.part_mean(k, static_cast<Index>(at));
      if (share > 0) {
        const std::vector<double> density =
            mixture(std::span(batch.log_ratios).subspan(first, count), weights, i, even);
        mean = std::inner_product(density.begin(), density.end(), local.begin(), 0.0) / share;
      } else {
        mean = ranks.mean[at];
      }
      first += count;
    }
  }

  // Distances to a random point, in local coordinates. Any points will do for a right posterior.
  // These lie in the lower corner of the region: seen from everywhere, the faults of a posterior
  // that is shifted or has the wrong correlation would cancel each other.
  static void set_distances(std::vector<double>& value, MatrixView<const double> points, Rng& rng) {
    std::vector<double> target;
    for (Index a = 0; a < points.cols(); ++a) target.push_back(0.25 * rng.uniform());
    for (Index j = 0; j < points.rows(); ++j) {
      double square = 0;
      for (Index a = 0; a < points.cols(); ++a) {
        const double distance = points(j, a) - target[static_cast<std::size_t>(a)];
        square += distance * distance;
      }
      value[static_cast<std::size_t>(j)] = square;
    }
  }

  const BlockPosteriors& posteriors_;
  const TestDraws& draws_;
  Rng rng_;
  const RankOptions& options_;
  std::vector<PriorTable> prior_;
  std::vector<MarginalRanks> results_;
  std::map<int, std::vector<CircleDensity>> proposals_;  // of the batch, by parameter
  bool has_pairs_ = false;
};

}  // namespace

BlockPosteriors block_posteriors(const AmortizedPosterior& estimator) {
  std::vector<Index> parts;
  for (const SharedPosterior& part : estimator.parts()) parts.push_back(part->ensemble());
  return {estimator.prior(), estimator.marginals(),
          [&estimator](const Marginal& marginal, MatrixView<const float> features,
                       MatrixView<const float> local) {
            return estimator.log_density_blocks(estimator.find(marginal), features, local);
          },
          [&estimator](const Marginal& marginal) {
            return estimator.weights(estimator.find(marginal));
          },
          std::move(parts)};
}

Matrix<double> posterior_masses(const BlockPosteriors& posteriors, const Marginal& marginal,
                                MatrixView<const float> features, Index cells) {
  HONE_ASSERT(marginal.size() == 1);
  const Index n = features.rows();
  Matrix<float> local(n * cells, 1);
  for (Index i = 0; i < local.rows(); ++i) {
    local(i, 0) = (static_cast<float>(i % cells) + 0.5F) / static_cast<float>(cells);
  }
  const auto ratios = posteriors.log_densities(marginal, features, local);
  const std::vector<double> even(static_cast<std::size_t>(cells), 1.0);
  const auto weights = network_weights(posteriors, marginal, ratios.size());
  Matrix<double> masses(n, cells);
  for (Index i = 0; i < n; ++i) {
    std::ranges::copy(mixture(ratios, weights, i, even), masses.row(i).begin());
  }
  return masses;
}

std::vector<MarginalRanks> rank_draws(const BlockPosteriors& posteriors, const TestDraws& draws,
                                      const Rng& rng, Observer& observer,
                                      const RankOptions& options) {
  Ranker ranker(posteriors, draws, rng, options);
  const Index n = draws.local.rows();
  for (Index begin = 0; begin < n; begin += options.batch) {
    stop_if_requested(observer);
    const Index count = std::min(options.batch, n - begin);
    ranker.rank(begin, count);
    observer.stage_advanced("check", begin + count, n);
  }
  return ranker.take_results();
}

}  // namespace hone
