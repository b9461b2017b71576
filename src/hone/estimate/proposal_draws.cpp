#include "hone/estimate/proposal_draws.h"

#include <algorithm>
#include <cmath>

#include "hone/core/parallel.h"
#include "hone/estimate/network_coordinates.h"

namespace hone {

Index part_begin(std::size_t k, Index each) {
  double share = 0;
  for (std::size_t i = 0; i < k; ++i) share += kProposalParts[i].share;
  return k == kProposalParts.size() ? each : std::llround(share * static_cast<double>(each));
}

Matrix<double> even_points(Index each, Index dimensions) {
  double ratio = 2;  // solves ratio^(dimensions + 1) = ratio + 1
  for (int i = 0; i < 60; ++i) {
    ratio = std::pow(1 + ratio, 1 / (static_cast<double>(dimensions) + 1));
  }
  Matrix<double> points(each, dimensions);
  for (Index d = 0; d < dimensions; ++d) {
    const double step = std::pow(ratio, -static_cast<double>(d + 1));
    for (Index i = 0; i < each; ++i) {
      const double at = 0.5 + step * static_cast<double>(i + 1);
      points(i, d) = std::clamp(at - std::floor(at), 1e-9, 1 - 1e-9);
    }
  }
  return points;
}

namespace {

// scores(r, d) of the draws of one row that are not uniform, and log densities of all of them, by
// part: += log p_w.
void draw_parameter(MatrixView<float> scores, std::span<Matrix<float>> log_parts, Index row,
                    const DensityStack& posterior, Index d, const Matrix<float>& densities,
                    const Matrix<double>& points) {
  const Index each = points.rows(), begin = row * each;
  const DensityShape shape = posterior.shape(d);
  std::vector<double> uniform(static_cast<std::size_t>(each));
  std::vector<float> y(uniform.size()), log(uniform.size());
  for (Index i = 0; i < each; ++i) {
    uniform[static_cast<std::size_t>(i)] = points(i, d);
    y[static_cast<std::size_t>(i)] = scores(begin + i, d);
  }
  for (std::size_t k = 0; k < kProposalParts.size(); ++k) {
    if (kProposalParts[k].wider == 0) continue;
    const Index first = part_begin(k, each), count = part_begin(k + 1, each) - first;
    density_draws(y.data() + first, densities.row(begin + first).data(), uniform.data() + first,
                  count, shape, kProposalParts[k].wider);
  }
  for (Index i = 0; i < each; ++i) scores(begin + i, d) = y[static_cast<std::size_t>(i)];
  for (std::size_t k = 0; k < kProposalParts.size(); ++k) {
    if (kProposalParts[k].wider == 0) continue;
    log_density(log.data(), densities.row(begin).data(), y.data(), each, shape,
                kProposalParts[k].wider);
    for (Index i = 0; i < each; ++i) log_parts[k](row, i) += log[static_cast<std::size_t>(i)];
  }
}

}  // namespace

ProposalDraws draw_proposals(const DensityStack& posterior, const TruncatedPrior& prior,
                             MatrixView<const float> features, Index each) {
  const Index n = features.rows(), dimensions = prior.dimensions();
  const Matrix<double> points = even_points(each, dimensions);
  Matrix<float> scores(n * each, dimensions);
  std::vector<Matrix<float>> log_parts;
  for (std::size_t k = 0; k < kProposalParts.size(); ++k) log_parts.emplace_back(n, each);
  ProposalDraws result{Matrix<float>(n * each, dimensions),
                       std::vector<float>(static_cast<std::size_t>(n * each))};
  const Standardizer& standard = posterior.theta_scores();
  const Index uniform_from = part_begin(kProposalParts.size() - 1, each);
  for (Index d = 0; d < dimensions; ++d) {
    const auto at = static_cast<std::size_t>(d);
    const int axis = static_cast<int>(d);
    const Matrix<float> densities = posterior.outputs(d, {features, each, scores, 1});
    parallel_for(n, [&](Index row) {
      for (Index i = uniform_from; i < each; ++i) {
        const float local = static_cast<float>(points(i, d));
        scores(row * each + i, d) =
            (network_coordinate(prior, axis, local) - standard.mean[at]) * standard.inverse[at];
      }
      draw_parameter(scores, log_parts, row, posterior, d, densities, points);
      for (Index i = 0; i < each; ++i) {
        const Index r = row * each + i;
        const float coordinate = scores(r, d) / standard.inverse[at] + standard.mean[at];
        result.local(r, d) =
            std::clamp(local_coordinate(prior, axis, coordinate), 1e-6F, 1 - 1e-6F);
        // From the density of the score to that of the local coordinate.
        const auto slope = static_cast<float>(posterior.log_score_slope(d) +
                                              log_coordinate_slope(prior, axis, coordinate));
        for (std::size_t k = 0; k + 1 < kProposalParts.size(); ++k) log_parts[k](row, i) += slope;
      }
    });
  }
  parallel_for(n * each, [&](Index r) {
    double sum = kProposalParts.back().share;
    for (std::size_t k = 0; k + 1 < kProposalParts.size(); ++k) {
      sum += kProposalParts[k].share * std::exp(static_cast<double>(log_parts[k].data()[r]));
    }
    result.log_density[static_cast<std::size_t>(r)] = static_cast<float>(std::log(sum));
  });
  return result;
}

}  // namespace hone
