#include "hone/check/cuts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "hone/check/draws.h"
#include "hone/check/feature_distance.h"
#include "hone/check/proportion.h"
#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "hone/inference/axis_cut.h"
#include "hone/run/finished_run.h"

namespace hone {
namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
// More would not tell more: a fraction of 0.001 is seen well.
constexpr std::size_t kMostDraws = 5000;
// Of simulations that look like the observation: a share of 0.05 from outside is told from 0.02.
constexpr std::size_t kEnoughNear = 300;
// The probe takes data that are no farther out than this share of those from the final region.
constexpr double kTypical = 0.95;
// On which the probe compares posteriors.
constexpr Index kProbeCells = 128;

// Rows of the data set, as an estimator sees them, and their parameters.
struct Rows {
  Matrix<float> features;
  Matrix<double> local;  // in the estimator's region; the nearest point of it for those outside
  Matrix<double> theta;
};

Rows read_rows(const Dataset& data, std::span<const Index> chosen,
               const AmortizedPosterior& estimator) {
  const Index n = std::ssize(chosen);
  Matrix<float> x(n, data.x->cols());
  data.x->read(x, chosen);
  Rows rows{estimator.features(x), Matrix<double>(n, data.theta.cols()),
            Matrix<double>(n, data.theta.cols())};
  for (Index i = 0; i < n; ++i) {
    for (Index d = 0; d < data.theta.cols(); ++d) {
      const double local = static_cast<double>(data.theta(chosen[std::size_t(i)], d));
      rows.theta(i, d) = data.prior.to_theta(static_cast<int>(d), local);
      rows.local(i, d) = estimator.prior().to_local(static_cast<int>(d), rows.theta(i, d));
    }
  }
  return rows;
}

// Ranks of the 1-d marginals only, by parameter.
std::vector<MarginalRanks> single_ranks(const AmortizedPosterior& estimator, const Rows& rows,
                                        const Rng& rng) {
  RankOptions options;
  options.most_dimensions = 1;
  return rank_draws(block_posteriors(estimator), {rows.features, rows.local}, rng,
                    silent_observer(), options);
}

// How many of the true values of parameter d a cut at epsilon would drop, given their data: the
// rule of agreed_heights() on a regular grid through each of them, of which it is point 0.
Index dropped_truths(const AmortizedPosterior& networks, int d, const Rows& rows, double epsilon) {
  constexpr Index kPoints = 160;
  const Index draws = rows.local.rows(), axis = networks.find({d});
  Matrix<float> local(draws * kPoints, 1);
  for (Index k = 0; k < local.rows(); ++k) {
    const double place = rows.local(k / kPoints, d) + static_cast<double>(k % kPoints) / kPoints;
    local(k, 0) = static_cast<float>(place - std::floor(place));
  }
  const auto ratios = networks.log_density_blocks(axis, rows.features, local);
  std::vector<char> dropped(static_cast<std::size_t>(draws));
  parallel_for(draws, [&](Index i) {
    Matrix<float> curves(std::ssize(ratios), kPoints);
    for (Index e = 0; e < curves.rows(); ++e) {
      std::ranges::copy(ratios[static_cast<std::size_t>(e)].row(i), curves.row(e).begin());
    }
    const double height = agreed_heights(curves, networks.weights(axis), epsilon)[0];
    dropped[static_cast<std::size_t>(i)] = height <= std::log(epsilon);
  });
  return std::ranges::count(dropped, 1);
}

// The first of these: the order is that of the ids, which says nothing of their content.
std::span<const Index> at_most(const std::vector<Index>& rows) {
  return std::span(rows).first(std::min(kMostDraws, rows.size()));
}

bool inside_axis(const Prior& prior, const Region& region, int d, double theta) {
  return region.contains_axis(d, to_unit(prior[d], theta));
}

class CutChecker {
 public:
  CutChecker(const RunDirectory& run, const AmortizedPosterior& final, const NoiseModel* noise,
             const Rng& rng)
      : run_(run), prior_(run.spec().prior), final_(final.quick()), noise_(noise), rng_(rng) {
    const Matrix<float> observed = final_.features(run.spec().observation);
    for (const Marginal& marginal : final.marginals()) {
      if (marginal.size() == 1) {
        observed_.emplace(marginal[0], masses(marginal[0], observed));
      }
    }
    // What the networks saw in training: elsewhere their answers mean nothing.
    const RunData inside = training_data(run, final.prior().region(), noise);
    const Rows seen = read_rows(inside.rows, at_most(inside.rows.training), final_);
    distance_.emplace(seen.features);
    std::vector<double> distances = (*distance_)(seen.features);
    typical_ = quantile(distances, kTypical);
  }

  // One entry per axis of the round; `issued`: simulations that there were after it.
  std::vector<CutCheck> check(const Round& round, Index issued) const {
    std::vector<CutCheck> checks;
    checks.reserve(static_cast<std::size_t>(prior_.dimensions()));
    for (int d = 0; d < prior_.dimensions(); ++d) {
      checks.push_back({.round = round.number,
                        .parameter = prior_.parameter(d).name,
                        .lost_mass = round.cut.lost_mass[static_cast<std::size_t>(d)],
                        .coverage68 = kNoNumber,
                        .coverage95 = kNoNumber});
    }
    const RunData data = training_data(run_, round.region, noise_, issued);
    const SharedPosterior networks = run_.round_networks(round);
    if (networks != nullptr) test(checks, round, data.rows, *networks);
    probe(checks, round, data.rows, networks.get());
    return checks;
  }

 private:
  // The posterior of parameter d.
  Matrix<double> masses(int d, MatrixView<const float> features) const {
    return masses_by(final_, d, features);
  }
  static Matrix<double> masses_by(const AmortizedPosterior& networks, int d,
                                  MatrixView<const float> features) {
    return posterior_masses(block_posteriors(networks), {d}, features, kProbeCells);
  }

  void test(std::vector<CutCheck>& checks, const Round& round, const Dataset& data,
            const AmortizedPosterior& networks) const {
    if (data.validation.empty()) return;
    const Rows rows = read_rows(data, at_most(data.validation), networks);
    const double epsilon = run_.spec().options.truncation.epsilon;
    const Rng rng = rng_.child("cut", static_cast<std::uint64_t>(round.number));
    for (const MarginalRanks& ranks : single_ranks(networks, rows, rng)) {
      CutCheck& check = checks[static_cast<std::size_t>(ranks.marginal[0])];
      check.draws = rows.local.rows();
      check.cut_truths = dropped_truths(networks, ranks.marginal[0], rows, epsilon);
      const auto coverage = [&](double sigma) {
        const auto values = ranks.credibility.row(0);
        const auto inside =
            std::ranges::count_if(values, [&](double c) { return c <= level_of_z(sigma); });
        return static_cast<double>(inside) / static_cast<double>(values.size());
      };
      check.coverage68 = coverage(1);
      check.coverage95 = coverage(2);
    }
  }

  // The final networks know nothing of data from outside the region: there they may call anything
  // alike. Those of the round were trained on both sides of the cut, so that what looks like the
  // observation must do so to them as well. A mode that they cut away by mistake does: they see no
  // difference between the data of that mode and the observation.
  void probe(std::vector<CutCheck>& checks, const Round& round, const Dataset& data,
             const AmortizedPosterior* networks) const {
    if (data.rows() == 0) return;
    std::vector<Index> all(static_cast<std::size_t>(data.rows()));
    std::iota(all.begin(), all.end(), Index{0});
    const Rows rows = read_rows(data, at_most(all), final_);
    const std::vector<double> distances = (*distance_)(rows.features);
    for (const auto& [d, observed] : observed_) {
      CutCheck& check = checks[static_cast<std::size_t>(d)];
      std::vector<Index> candidates;
      for (Index i = 0; i < rows.theta.rows(); ++i) {
        if (distances[static_cast<std::size_t>(i)] <= typical_ &&
            others_inside(round.cut.region, rows.theta.row(i), d)) {
          candidates.push_back(i);
        }
      }
      std::vector<Index> near = alike(final_, d, rows.features, candidates, observed.row(0));
      if (networks != nullptr && !near.empty()) near = alike_then(*networks, d, data, all, near);
      for (const Index i : near) {
        ++check.near;
        check.near_outside += !inside_axis(prior_, round.cut.region, d, rows.theta(i, d));
      }
    }
  }

  // Those of `near`, numbers of rows of the data set, that the networks of the round also find like
  // the observation.
  std::vector<Index> alike_then(const AmortizedPosterior& networks, int d, const Dataset& data,
                                std::span<const Index> rows, std::span<const Index> near) const {
    std::vector<Index> chosen;
    for (const Index i : near) chosen.push_back(rows[static_cast<std::size_t>(i)]);
    const Matrix<float> features = read_rows(data, chosen, networks).features;
    const Matrix<double> observed =
        masses_by(networks, d, networks.features(run_.spec().observation));
    std::vector<Index> all(chosen.size()), found;
    std::iota(all.begin(), all.end(), Index{0});
    for (const Index k : alike(networks, d, features, all, observed.row(0))) {
      found.push_back(near[static_cast<std::size_t>(k)]);
    }
    return found;
  }

  // Those of the candidates, rows of the features, whose posterior looks like the observed one; the
  // search ends where enough have been found.
  static std::vector<Index> alike(const AmortizedPosterior& networks, int d,
                                  const Matrix<float>& features, std::span<const Index> candidates,
                                  std::span<const double> observed) {
    constexpr std::size_t kBatch = 512;
    std::vector<Index> found;
    for (; !candidates.empty() && found.size() < kEnoughNear;
         candidates = candidates.subspan(std::min(kBatch, candidates.size()))) {
      const auto batch = candidates.first(std::min(kBatch, candidates.size()));
      Matrix<float> chosen(std::ssize(batch), features.cols());
      for (Index i = 0; i < chosen.rows(); ++i) {
        std::ranges::copy(features.row(batch[static_cast<std::size_t>(i)]), chosen.row(i).begin());
      }
      const Matrix<double> posteriors = masses_by(networks, d, chosen);
      for (Index i = 0; i < chosen.rows(); ++i) {
        if (looks_alike(posteriors.row(i), observed)) {
          found.push_back(batch[static_cast<std::size_t>(i)]);
        }
      }
    }
    return found;
  }

  bool others_inside(const Region& region, std::span<const double> theta, int but) const {
    for (int d = 0; d < prior_.dimensions(); ++d) {
      if (d != but && !inside_axis(prior_, region, d, theta[static_cast<std::size_t>(d)])) {
        return false;
      }
    }
    return true;
  }

  const RunDirectory& run_;
  const Prior& prior_;
  const AmortizedPosterior& final_;
  const NoiseModel* noise_;
  Rng rng_;
  std::map<int, Matrix<double>> observed_;   // posteriors of the observation, by parameter
  std::optional<FeatureDistance> distance_;  // from the data of the final region
  double typical_ = 0;
};

}  // namespace

bool looks_alike(std::span<const double> posterior, std::span<const double> observed) {
  HONE_ASSERT(posterior.size() == observed.size());
  double distance = 0;
  for (std::size_t i = 0; i < posterior.size(); ++i) {
    distance += 0.5 * std::abs(posterior[i] - observed[i]);
  }
  return distance <= 0.4;
}

std::vector<CutCheck> check_cuts(const RunDirectory& run, const AmortizedPosterior& final,
                                 const NoiseModel* simulator_noise, const Rng& rng,
                                 Observer& observer) {
  const std::vector<Round> rounds = run.rounds();
  if (rounds.empty()) return {};
  std::vector<CutCheck> checks;
  const Region last = final.prior().region();
  const CutChecker checker(run, final, simulator_noise, rng);
  Index issued = run.spec().simulator.dataset_rows;
  for (std::size_t m = 0; m < rounds.size(); ++m) {
    for (const Extension& extension : run.extensions()) {
      if (extension.rounds == static_cast<int>(m)) issued = extension.simulations;
    }
    const Round& round = rounds[m];
    issued += round.simulated;
    const Region& next = m + 1 < rounds.size() ? rounds[m + 1].region : last;
    if (round.region == next) continue;  // its cut was not made
    stop_if_requested(observer);
    for (CutCheck& check : checker.check(round, issued)) checks.push_back(std::move(check));
  }
  return checks;
}

std::vector<EdgeCheck> check_edges(const std::vector<ParameterSummary>& parameters,
                                   const Prior& prior, const Region& region) {
  std::vector<EdgeCheck> edges;
  const auto names = prior.names();
  for (const ParameterSummary& parameter : parameters) {
    if (std::ranges::find(names, parameter.name) == names.end()) continue;  // derived: never cut
    const Interval hull = region.hull(prior.index_of(parameter.name));
    edges.push_back({parameter.name, hull.low.u > 0 ? parameter.edge_low : kNoNumber,
                     hull.high.complement > 0 ? parameter.edge_high : kNoNumber});
  }
  return edges;
}

}  // namespace hone
