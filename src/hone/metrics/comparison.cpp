#include "hone/metrics/comparison.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "hone/core/error.h"
#include "hone/core/suggestion.h"
#include "hone/metrics/histogram_kl.h"
#include "hone/metrics/marginal_pairs.h"
#include "hone/metrics/sample_checks.h"
#include "hone/metrics/sliced_wasserstein.h"

namespace hone {

const std::vector<std::string>& metric_names() {
  static const std::vector<std::string> names{"c2st", "c2st-1d",     "c2st-2d",
                                              "kl",   "wasserstein", "mmd"};
  return names;
}

Metric parse_metric(const std::string& name) {
  const auto& names = metric_names();
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) {
    fail(ErrorKind::input, "there is no metric '{}'; {}", name, suggestion(name, names));
  }
  return static_cast<Metric>(found - names.begin());
}

double mean_c2st(const std::vector<MarginalC2st>& marginals) {
  double sum = 0;
  for (const MarginalC2st& one : marginals) sum += one.value;
  return marginals.empty() ? 0 : sum / static_cast<double>(marginals.size());
}

namespace {

constexpr Index kLeastRows = 20;

// Two halves of n draws are n / 2 each: a distance that falls as 1 / n^power is 2^power too large.
template <typename F>
double between_halves(MatrixView<const double> sample, double power, F&& distance) {
  const Index half = sample.rows() / 2;
  return distance(sample.rows(0, half), sample.rows(half, half)) / std::pow(2.0, power);
}

std::vector<Distance> column_kl(MatrixView<const double> a, MatrixView<const double> b) {
  std::vector<Distance> out;
  for (int j = 0; j < a.cols(); ++j) {
    const auto kl = [j](MatrixView<const double> p, MatrixView<const double> q) {
      const SamplePair column = marginal_pair(p, q, {j});
      return histogram_kl({column.a.data(), static_cast<std::size_t>(column.a.rows())},
                          {column.b.data(), static_cast<std::size_t>(column.b.rows())});
    };
    out.push_back({kl(a, b), between_halves(a, 1, kl)});
  }
  return out;
}

Distance wasserstein_distance(MatrixView<const double> a, MatrixView<const double> b,
                              const Rng& rng) {
  const auto distance = [&](MatrixView<const double> p, MatrixView<const double> q) {
    return sliced_wasserstein(p, q, {}, rng);
  };
  return {distance(a, b), between_halves(a, 0.5, distance)};
}

// All classifiers of all marginals are trained in one parallel loop. In one or two dimensions the
// joint is one of the marginals: it is trained once.
void add_c2st(Comparison& out, MatrixView<const double> a, MatrixView<const double> b,
              const std::vector<Metric>& metrics, const Rng& rng, Observer& observer,
              ProcessGroup& group) {
  const int dimensions = static_cast<int>(a.cols());
  const auto chosen = [&](Metric metric, const std::vector<Marginal>& marginals) {
    return std::ranges::count(metrics, metric) > 0 ? marginals : std::vector<Marginal>{};
  };
  const auto joints = chosen(Metric::c2st, {joint(dimensions)});
  const auto singles = chosen(Metric::c2st_1d, one_dimensional(dimensions));
  const auto pairs = chosen(Metric::c2st_2d, two_dimensional(dimensions));

  std::set<Marginal> different;
  for (const auto* list : {&joints, &singles, &pairs}) different.insert(list->begin(), list->end());
  const std::vector<Marginal> marginals(different.begin(), different.end());
  const std::vector<double> values =
      c2st(marginal_pairs(a, b, marginals), {}, rng, observer, group);
  std::map<Marginal, double> value_of;
  for (std::size_t i = 0; i < values.size(); ++i) value_of[marginals[i]] = values[i];

  if (!joints.empty()) out.c2st = value_of[joints[0]];
  for (const Marginal& one : singles) out.c2st_1d.push_back({one, value_of[one]});
  for (const Marginal& one : pairs) out.c2st_2d.push_back({one, value_of[one]});
}

}  // namespace

Comparison compare_samples(MatrixView<const double> a, MatrixView<const double> b,
                           const std::vector<Metric>& metrics, const Rng& rng, Observer& observer,
                           ProcessGroup& group) {
  check_comparable(a, b, kLeastRows, "compare");
  Comparison out;
  out.draws = std::min(a.rows(), b.rows());
  a = a.rows(0, out.draws);
  b = b.rows(0, out.draws);
  const ColumnMoments moments = column_moments(a, "compare");
  const Matrix<double> a_scores = z_scored(a, moments), b_scores = z_scored(b, moments);
  const auto is_c2st = [](Metric metric) { return metric <= Metric::c2st_2d; };
  if (std::ranges::any_of(metrics, is_c2st)) add_c2st(out, a, b, metrics, rng, observer, group);
  for (const Metric metric : metrics) {
    if (metric == Metric::kl) out.kl = column_kl(a, b);
    if (metric == Metric::wasserstein) {
      out.wasserstein = wasserstein_distance(a_scores, b_scores, rng.child("wasserstein"));
    }
    if (metric == Metric::mmd) out.mmd = mmd(a_scores, b_scores);
  }
  return out;
}

}  // namespace hone
