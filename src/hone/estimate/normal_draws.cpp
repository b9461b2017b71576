#include "hone/estimate/normal_draws.h"

#include <algorithm>
#include <cmath>

#include "hone/core/cholesky.h"
#include "hone/core/parallel.h"
#include "hone/prior/standard_normal.h"

namespace hone {
namespace {

// mean + wider L y
void place(std::span<double> out, const NormalScores& normal, std::span<const double> y,
           double wider) {
  for (std::size_t d = 0; d < out.size(); ++d) {
    double sum = 0;
    for (std::size_t k = 0; k <= d; ++k) {
      sum += normal.root(static_cast<Index>(d), static_cast<Index>(k)) * y[k];
    }
    out[d] = normal.mean[d] + wider * sum;
  }
}

}  // namespace

// In local coordinates: the density of the normal scores over that of standard normal ones.
double log_normal_proposal(const NormalScores& normal, std::span<const double> scores) {
  const double log_volume = log_determinant(normal.root);
  std::vector<double> y(scores.size());
  for (std::size_t d = 0; d < y.size(); ++d) y[d] = scores[d] - normal.mean[d];
  solve_lower(y, normal.root, y);
  double distance = 0, standard = 0;
  for (const double value : y) distance += value * value;
  for (const double value : scores) standard += value * value;
  double sum = 0;
  for (const ProposalPart& part : kProposalParts) {
    if (part.wider == 0) {
      sum += part.share;
      continue;
    }
    const double log_ratio = (standard - distance / (part.wider * part.wider)) / 2 -
                             static_cast<double>(y.size()) * std::log(part.wider) - log_volume;
    sum += part.share * std::exp(std::min(log_ratio, 600.0));
  }
  return std::log(sum);
}

ProposalDraws draw_normal(std::span<const NormalScores> posteriors, Index each) {
  const auto n = static_cast<Index>(posteriors.size());
  const Index dimensions = std::ssize(posteriors[0].mean);
  Matrix<double> points = even_points(each, dimensions);
  for (Index i = 0; i < each; ++i) {
    for (double& value : points.row(i)) value = standard_normal_quantile(value);
  }
  ProposalDraws result{Matrix<float>(n * each, dimensions),
                       std::vector<float>(static_cast<std::size_t>(n * each))};
  parallel_for(n, [&](Index row) {
    const NormalScores& normal = posteriors[static_cast<std::size_t>(row)];
    std::vector<double> scores(static_cast<std::size_t>(dimensions));
    for (std::size_t k = 0; k < kProposalParts.size(); ++k) {
      for (Index i = part_begin(k, each); i < part_begin(k + 1, each); ++i) {
        if (kProposalParts[k].wider == 0) {
          std::ranges::copy(points.row(i), scores.begin());
        } else {
          place(scores, normal, points.row(i), kProposalParts[k].wider);
        }
        const Index r = row * each + i;
        for (Index d = 0; d < dimensions; ++d) {
          double& score = scores[static_cast<std::size_t>(d)];
          score = std::clamp(score, -4.75, 4.75);  // local coordinates of 1e-6 and 1 - 1e-6
          result.local(r, d) = static_cast<float>(standard_normal_cdf(score));
        }
        result.log_density[static_cast<std::size_t>(r)] =
            static_cast<float>(log_normal_proposal(normal, scores));
      }
    }
  });
  return result;
}

}  // namespace hone
