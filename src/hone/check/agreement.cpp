#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "hone/check/health.h"
#include "hone/posterior/judgement.h"
#include "hone/posterior/marginal_grid.h"

namespace hone {
namespace {

// Coarse enough for hundreds of marginals, fine enough for differences that matter.
constexpr Index kCells1d = 256, kCells2d = 64;
constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

double total_variation(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::abs(a[i] - b[i]);
  return sum / 2;
}

// Masses of the cells by each network alone. `widths` of the cells in local coordinates.
std::vector<std::vector<double>> member_masses(const MarginalPosterior& posterior,
                                               const Matrix<float>& centres,
                                               const std::vector<double>& widths) {
  const Matrix<double> densities = posterior.member_log_densities(centres);
  std::vector<std::vector<double>> result;
  for (Index e = 0; e < densities.rows(); ++e) {
    std::vector<double>& mass = result.emplace_back();
    for (Index i = 0; i < densities.cols(); ++i) {
      mass.push_back(std::exp(densities(e, i)) * widths[static_cast<std::size_t>(i)]);
    }
    const double sum = std::accumulate(mass.begin(), mass.end(), 0.0);
    for (double& value : mass) value /= sum;
  }
  return result;
}

// Centres and widths of the cells of a grid, last axis fastest.
struct Cells {
  Matrix<float> centres;
  std::vector<double> widths;
};
Cells cells_of(const MarginalGrid& grid) {
  const std::size_t last = grid.axes.back().cells();
  Cells cells{Matrix<float>(std::ssize(grid.mass), std::ssize(grid.axes)), {}};
  for (std::size_t i = 0; i < grid.mass.size(); ++i) {
    double width = 1;
    for (std::size_t a = 0; a < grid.axes.size(); ++a) {
      const std::size_t k = a + 1 == grid.axes.size() ? i % last : i / last;
      cells.centres(static_cast<Index>(i), static_cast<Index>(a)) =
          static_cast<float>(grid.axes[a].local[k]);
      width *= grid.axes[a].width[k];
    }
    cells.widths.push_back(width);
  }
  return cells;
}

double mean_distance(const std::vector<std::vector<double>>& members,
                     const std::vector<double>& weights, const std::vector<double>& mass) {
  double sum = 0;
  for (std::size_t e = 0; e < members.size(); ++e) {
    sum += weights[e] * total_variation(members[e], mass);
  }
  return sum;
}

// Mean of the scatter of the two ends of central intervals.
double interval_error(const MarginalGrid& grid, const std::vector<std::vector<double>>& members,
                      const std::vector<double>& weights, double level) {
  double sum = 0;
  for (const double probability : {(1 - level) / 2, (1 + level) / 2}) {
    std::vector<double> ends;
    for (const auto& member : members) {
      MarginalGrid one = grid;
      one.mass = member;
      ends.push_back(grid_quantile(one, probability));
    }
    sum += ensemble_scatter(ends, weights) / 2;
  }
  return sum;
}

EnsembleSpread spread(const MarginalGrid& grid, const MarginalPosterior& posterior,
                      const std::string& name) {
  const Cells cells = cells_of(grid);
  const auto members = member_masses(posterior, cells.centres, cells.widths);
  const std::vector<double>& weights = posterior.weights();
  EnsembleSpread result{.marginal = name,
                        .networks = std::ssize(members),
                        .distance = mean_distance(members, weights, grid.mass),
                        .mean_error = kNoNumber,
                        .interval68_error = kNoNumber,
                        .interval95_error = kNoNumber};
  if (grid.marginal.size() != 1) return result;
  const double deviation = std::max(grid_deviation(grid), 1e-300);
  result.mean_error = ensemble_scatter(grid.member_means, weights) / deviation;
  result.interval68_error = interval_error(grid, members, weights, 0.6827) / deviation;
  result.interval95_error = interval_error(grid, members, weights, 0.9545) / deviation;
  result.theta = grid.axes[0].theta;
  result.density = grid.density;
  for (std::size_t i = 0; i < grid.mass.size(); ++i) {
    std::vector<double> densities;
    for (const auto& member : members) {
      const double per_mass = grid.mass[i] > 0 ? grid.density[i] / grid.mass[i] : 0;
      densities.push_back(member[i] * per_mass);
    }
    const double error = ensemble_scatter(densities, weights);
    result.low.push_back(std::max(0.0, grid.density[i] - error));
    result.high.push_back(grid.density[i] + error);
  }
  return result;
}

SamplingCheck sampling_of(const MarginalGrid& grid, const std::string& name) {
  const Cells cells = cells_of(grid);
  double sum = 0;
  for (std::size_t i = 0; i < grid.mass.size(); ++i) {
    sum += grid.mass[i] * grid.mass[i] / cells.widths[i];
  }
  return {name, 1 / sum};
}

ProjectionCheck projection(const MarginalGrid& pair, Index axis, const MarginalGrid& single,
                           const std::string& marginal, const std::string& parameter) {
  const double deviation = std::max(grid_deviation(single), 1e-300);
  return {marginal, parameter, total_variation(pair.axis_mass(axis), single.mass),
          (grid_mean(pair, axis) - grid_mean(single)) / deviation,
          grid_deviation(pair, axis) / deviation};
}

}  // namespace

Agreement compare_posteriors(const AmortizedPosterior& estimator,
                             std::span<const double> observation) {
  const auto names = estimator.prior().prior().names();
  Agreement result;
  std::map<int, MarginalGrid> singles;  // on the cells of the pairs
  for (const Marginal& marginal : estimator.marginals()) {
    if (marginal.size() != 1) continue;
    const MarginalPosterior posterior(estimator, marginal, observation);
    const MarginalGrid grid = make_grid(posterior, kCells1d);
    const std::string name = marginal_name(marginal, names);
    result.ensembles.push_back(spread(grid, posterior, name));
    result.sampling.push_back(sampling_of(grid, name));
    singles.emplace(marginal[0], make_grid(posterior, kCells2d));
  }
  for (const Marginal& marginal : estimator.marginals()) {
    if (marginal.size() != 2) continue;
    const MarginalPosterior posterior(estimator, marginal, observation);
    const MarginalGrid grid = make_grid(posterior, kCells2d);
    const std::string name = marginal_name(marginal, names);
    result.ensembles.push_back(spread(grid, posterior, name));
    result.sampling.push_back(sampling_of(grid, name));
    for (Index axis = 0; axis < 2; ++axis) {
      const int d = marginal[static_cast<std::size_t>(axis)];
      const auto single = singles.find(d);
      if (single == singles.end()) continue;
      result.projections.push_back(
          projection(grid, axis, single->second, name, names[static_cast<std::size_t>(d)]));
    }
  }
  return result;
}

CheckResult ensemble_result(const std::vector<EnsembleSpread>& spreads) {
  // Half of the mass elsewhere, or half a sigma, is another answer.
  const auto status_of = [](const EnsembleSpread& s) {
    if (s.mean_error > kEnsembleFail || s.distance > 0.5) return Status::fail;
    return s.mean_error > kEnsembleCaution || s.distance > 0.25 ? Status::caution : Status::pass;
  };
  CheckResult result{.name = "ensemble"};
  const EnsembleSpread* worst = &spreads.front();
  double mean_error = 0, interval_error = 0;
  Index flagged = 0;
  for (const EnsembleSpread& one : spreads) {
    flagged += status_of(one) != Status::pass;
    const auto rank = [&](const EnsembleSpread& s) { return std::pair(status_of(s), s.distance); };
    if (rank(one) > rank(*worst)) worst = &one;
    if (one.mean_error > mean_error) mean_error = one.mean_error;
    if (one.interval95_error > interval_error) interval_error = one.interval95_error;
  }
  result.status = status_of(*worst);
  const std::string numbers = fmt::format(
      "{:.1f} % of the posterior mass of {} differs from network to network; the means scatter by "
      "up to {:.2f} sigma",
      100 * worst->distance, worst->marginal, mean_error);
  if (result.status == Status::pass) {
    result.reason = "the networks of each ensemble agree: " + numbers;
  } else {
    result.reason = fmt::format("the networks disagree: {}{}", numbers,
                                flagged > 1 ? fmt::format("; {} are flagged", flagged) : "");
    result.advice = "use more simulations or a larger ensemble";
    result.more_simulations = true;
  }
  result.numbers = {{"flagged", static_cast<double>(flagged)},
                    {"largest_distance", worst->distance},
                    {"largest_mean_error", mean_error},
                    {"largest_interval95_error", interval_error}};
  return result;
}

CheckResult projection_result(const std::vector<ProjectionCheck>& projections) {
  const auto status_of = [](const ProjectionCheck& p) {
    return p.distance > 0.4 ? Status::fail : p.distance > 0.2 ? Status::caution : Status::pass;
  };
  CheckResult result{.name = "projections"};
  const ProjectionCheck& worst =
      *std::ranges::max_element(projections, {}, &ProjectionCheck::distance);
  const auto flagged = std::ranges::count_if(
      projections, [&](const ProjectionCheck& p) { return status_of(p) != Status::pass; });
  result.status = status_of(worst);
  const std::string numbers = fmt::format(
      "the posterior of {} that follows from {} differs from the 1-d posterior in {:.1f} % of the "
      "mass, and by {:+.2f} sigma in the mean",
      worst.parameter, worst.marginal, 100 * worst.distance, worst.mean_shift);
  if (result.status == Status::pass) {
    result.reason =
        "the posteriors of pairs agree with the 1-d posteriors; the largest difference: " + numbers;
  } else {
    result.reason = "the posteriors of pairs disagree with the 1-d posteriors: " + numbers;
    result.advice =
        "use more simulations; until then trust the 1-d posterior, which is easier to learn";
    result.more_simulations = true;
  }
  result.numbers = {{"flagged", static_cast<double>(flagged)},
                    {"largest_distance", worst.distance},
                    {"mean_shift", worst.mean_shift},
                    {"width_ratio", worst.width_ratio}};
  return result;
}

CheckResult sampling_result(const std::vector<SamplingCheck>& sampling) {
  // Grids of a run have 1024 cells per axis, 128 in two dimensions: a posterior that fills less
  // than this is drawn with a few cells.
  constexpr double kFewest = 1e-3;
  CheckResult result{.name = "sampling"};
  const SamplingCheck& worst = *std::ranges::min_element(sampling, {}, &SamplingCheck::efficiency);
  const std::string numbers =
      fmt::format("weighted draws from the region have an efficiency of {:.2g} for {}",
                  worst.efficiency, worst.marginal);
  if (worst.efficiency < kFewest) {
    result.status = Status::caution;
    result.reason = "the region is much wider than the posterior: " + numbers;
    result.advice =
        "allow more rounds (max_rounds) or a larger budget, so that the region can be cut further";
  } else {
    result.reason = "the region fits the posterior: " + numbers;
  }
  result.numbers = {{"lowest_efficiency", worst.efficiency}};
  return result;
}

}  // namespace hone
