#include "hone/bench/comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "hone/core/error.h"
#include "hone/inference/method.h"

namespace hone {
namespace {

BenchVariant variant_of(const BenchRow& row) {
  return {row.run.method, row.run.preset, row.run.options, row.run.reference};
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

using Rows = std::vector<const BenchRow*>;

Rows rows_of(const std::vector<BenchRow>& rows, const BenchVariant& variant,
             const std::string& task, Index budget) {
  Rows found;
  for (const BenchRow& row : rows) {
    if (variant_of(row) == variant && row.run.task == task && row.run.budget == budget) {
      found.push_back(&row);
    }
  }
  return found;
}

std::vector<int> observations_of(const Rows& rows) {
  std::set<int> numbers;
  for (const BenchRow* row : rows) numbers.insert(row->run.observation);
  return {numbers.begin(), numbers.end()};
}

MeanScore mean_of_rows(const Rows& rows, MarginalKind kind) {
  std::vector<double> by_observation;
  for (const int observation : observations_of(rows)) {
    std::vector<double> seeds;
    for (const BenchRow* row : rows) {
      if (row->run.observation == observation) seeds.push_back(c2st_of(row->scores, kind));
    }
    by_observation.push_back(mean_of(seeds));
  }
  return mean_score(by_observation);
}

// Published values of one method on one task with one budget.
template <typename Value>
std::vector<double> published_values(const std::vector<PublishedScore>& published,
                                     const std::string& method, const std::string& task,
                                     Index budget, const std::vector<int>& observations,
                                     Value value) {
  std::vector<double> values;
  for (const PublishedScore& score : published) {
    if (score.method != method || score.task != task || score.budget != budget) continue;
    if (std::ranges::find(observations, score.observation) == observations.end()) continue;
    if (const std::optional<double> one = value(score)) values.push_back(*one);
  }
  return values;
}

Comparison make_comparison(const Rows& rows, const std::vector<PublishedScore>& published,
                           MarginalKind kind) {
  const std::string& task = rows.front()->run.task;
  const Index budget = rows.front()->run.budget;
  const std::vector<int> observations = observations_of(rows);
  const std::string& title = find_method(rows.front()->run.method).title;
  Comparison result;
  result.hone = mean_of_rows(rows, kind);
  std::vector<double> others;
  for (const std::string& method : published_methods()) {
    const auto mean = published_mean(published, method, task, budget, observations, kind);
    if (!mean) continue;
    if (method == title) result.same = mean->mean;
    if (method == "TMNRE") {
      result.tmnre = mean->mean;
      continue;
    }
    others.push_back(mean->mean);
    if (!result.best_other || mean->mean < *result.best_other) {
      result.best_other = mean->mean;
      result.best_method = method;
    }
  }
  if (!others.empty()) result.median_other = median_of(others);
  result.mark = task == "gaussian_linear" ? result.median_other : result.tmnre;
  return result;
}

ComparisonCell make_cell(const Rows& rows, const std::vector<PublishedScore>& published) {
  const BenchCase& first = rows.front()->run;
  ComparisonCell cell;
  cell.task = first.task;
  cell.budget = first.budget;
  for (std::size_t i = 0; i < std::size(kMarginalKinds); ++i) {
    cell.by_kind[i] = make_comparison(rows, published, kMarginalKinds[i]);
  }
  cell.joint = make_comparison(rows, published, MarginalKind::joint);
  for (const BenchRow* row : rows) {
    ++cell.runs;
    cell.not_converged += !row->scores.converged;
    cell.seconds += row->seconds.simulate + row->seconds.train + row->seconds.sample;
  }
  cell.seconds /= cell.runs;
  const auto seconds =
      published_values(published, "TMNRE", first.task, first.budget, observations_of(rows),
                       [](const PublishedScore& score) { return score.seconds; });
  if (!seconds.empty()) cell.tmnre_seconds = mean_of(seconds);
  return cell;
}

}  // namespace

MeanScore mean_score(const std::vector<double>& values) {
  HONE_ASSERT(!values.empty());
  const double count = static_cast<double>(values.size()), mean = mean_of(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double error = values.size() > 1 ? std::sqrt(squares / (count - 1) / count)
                                         : std::numeric_limits<double>::quiet_NaN();
  return {mean, error, static_cast<int>(values.size())};
}

std::string to_string(const BenchVariant& variant) {
  return fmt::format("{}, {} preset{}{}, {} references", variant.method, variant.preset,
                     variant.options.empty() ? "" : ", ", variant.options, variant.reference);
}

std::vector<BenchVariant> variants_of(const std::vector<BenchRow>& rows) {
  std::vector<BenchVariant> variants;
  for (const BenchRow& row : rows) {
    const BenchVariant variant = variant_of(row);
    if (std::ranges::find(variants, variant) == variants.end()) variants.push_back(variant);
  }
  return variants;
}

double c2st_of(const BenchScores& scores, MarginalKind kind) {
  return kind == MarginalKind::joint             ? scores.c2st_joint
         : kind == MarginalKind::one_dimensional ? scores.c2st_1d
                                                 : scores.c2st_2d;
}

std::optional<double> c2st_of(const PublishedScore& score, MarginalKind kind) {
  return kind == MarginalKind::joint             ? score.c2st_joint
         : kind == MarginalKind::one_dimensional ? score.c2st_1d
                                                 : score.c2st_2d;
}

std::vector<int> observations_of(const std::vector<BenchRow>& rows, const BenchVariant& variant,
                                 const std::string& task, Index budget) {
  return observations_of(rows_of(rows, variant, task, budget));
}

std::optional<MeanScore> published_mean(const std::vector<PublishedScore>& published,
                                        const std::string& method, const std::string& task,
                                        Index budget, const std::vector<int>& observations,
                                        MarginalKind kind) {
  const auto values =
      published_values(published, method, task, budget, observations,
                       [kind](const PublishedScore& score) { return c2st_of(score, kind); });
  if (values.empty()) return std::nullopt;
  return mean_score(values);
}

std::vector<BenchRow> in_table_order(std::vector<BenchRow> rows) {
  const std::vector<std::string> tasks = published_tasks();
  std::ranges::sort(rows, {}, [&](const BenchRow& row) {
    const BenchCase& run = row.run;
    return std::tuple(std::ranges::find(tasks, run.task) - tasks.begin(), run.task, run.budget,
                      run.method, run.preset, run.options, run.observation, run.seed,
                      run.reference);
  });
  return rows;
}

std::vector<ComparisonCell> compare(const std::vector<BenchRow>& rows, const BenchVariant& variant,
                                    const std::vector<PublishedScore>& published) {
  static const std::vector<PublishedScore> kNone;
  std::vector<ComparisonCell> cells;
  const bool same_observations = variant.reference == BenchCase::kSbibm;
  const std::vector<PublishedScore>& beside = same_observations ? published : kNone;
  for (const BenchRow& row : rows) {
    const auto same = [&](const ComparisonCell& cell) {
      return cell.task == row.run.task && cell.budget == row.run.budget;
    };
    if (variant_of(row) != variant || std::ranges::any_of(cells, same)) continue;
    cells.push_back(make_cell(rows_of(rows, variant, row.run.task, row.run.budget), beside));
  }
  return cells;
}

}  // namespace hone
