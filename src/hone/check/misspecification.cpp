#include "hone/check/misspecification.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "hone/check/feature_distance.h"
#include "hone/core/parallel.h"

namespace hone {
namespace {

constexpr std::size_t kWorstColumns = 10;

struct ColumnDistances {
  double largest = 0, mean = 0;
};

template <typename Row>
ColumnDistances column_distances(const std::vector<ColumnScale>& scales, const Row& row) {
  ColumnDistances result;
  std::size_t there = 0;  // values that are missing say nothing
  for (std::size_t c = 0; c < scales.size(); ++c) there += std::isnan(row[c]) ? 0 : 1;
  for (std::size_t c = 0; c < scales.size(); ++c) {
    if (std::isnan(row[c])) continue;
    const double score = std::abs(scales[c].score(static_cast<double>(row[c])));
    result.largest = std::max(result.largest, score);
    result.mean += score / static_cast<double>(there);
  }
  return result;
}

TypicalityMeasure measure(const std::string& name, double observed, std::vector<double> simulated) {
  TypicalityMeasure result{.name = name, .observed = observed};
  const auto beyond = std::ranges::count_if(simulated, [&](double d) { return d >= observed; });
  result.probability = static_cast<double>(1 + beyond) / static_cast<double>(1 + simulated.size());
  result.median = quantile(simulated, 0.5);
  result.quantile95 = quantile(simulated, 0.95);
  result.quantile99 = quantile(simulated, 0.99);
  return result;
}

// In single precision, in which simulations are compared: where all of them have the same value,
// the digits that it cannot hold would be far from it.
std::vector<double> as_simulations_are(std::span<const double> observation) {
  std::vector<double> result;
  for (const double value : observation) {
    result.push_back(static_cast<double>(static_cast<float>(value)));
  }
  return result;
}

}  // namespace

Misspecification measure_typicality(const TypicalityData& data, const TypicalityLimits& limits) {
  Misspecification found{.draws = data.draws.rows()};
  const Index n = data.draws.rows();
  if (n < limits.fewest_draws || data.reference.rows() < limits.fewest_draws) return found;
  const FeatureDistance distance(data.reference_features);
  const MatrixView<const float> observed_features(data.observed_features.data(), 1,
                                                  std::ssize(data.observed_features));
  const auto scales = column_scales(data.reference);
  std::vector<double> largest(static_cast<std::size_t>(n)), mean(static_cast<std::size_t>(n));
  parallel_for(n, [&](Index i) {
    const auto k = static_cast<std::size_t>(i);
    const ColumnDistances columns = column_distances(scales, data.draws.row(i));
    largest[k] = columns.largest;
    mean[k] = columns.mean;
  });
  const std::vector<double> observation = as_simulations_are(data.observation);
  const ColumnDistances observed = column_distances(scales, observation);
  found.measures = {measure("features", distance(observed_features)[0], distance(data.features)),
                    measure("largest column", observed.largest, std::move(largest)),
                    measure("all columns", observed.mean, std::move(mean))};
  const bool named = data.description.declared();
  for (std::size_t c = 0; c < scales.size(); ++c) {
    const ColumnScale& scale = scales[c];
    if (std::isnan(observation[c])) continue;
    found.worst_columns.push_back({static_cast<Index>(c), data.observation[c], scale.median,
                                   scale.low, scale.high, scale.score(observation[c]),
                                   named ? data.description.name_of(Index(c)) : ""});
  }
  std::ranges::stable_sort(found.worst_columns, std::greater{},
                           [](const ColumnScore& c) { return std::abs(c.score); });
  found.worst_columns.resize(std::min(kWorstColumns, found.worst_columns.size()));
  return found;
}

CheckResult typicality_result(const Misspecification& found, const TypicalityLimits& limits) {
  CheckResult result{.name = "misspecification"};
  if (found.measures.empty()) {
    result.status = Status::unclear;
    result.reason = fmt::format(
        "there are only {} test draws, too few to compare the observation with them", found.draws);
    result.advice = "for more test draws " + AdviceText(Action::more_test_draws, 1000);
    return result;
  }
  // With few draws the smallest possible rank is 1 / (draws + 1): then the observation must be
  // farther than all of them, and clearly so.
  const double each = limits.false_alarms / static_cast<double>(found.measures.size());
  const double smallest = 1 / static_cast<double>(found.draws + 1);
  const TypicalityMeasure* worst = nullptr;
  for (const TypicalityMeasure& one : found.measures) {
    const double beyond = one.observed / one.quantile99;
    const bool few = smallest > each;
    const bool atypical =
        few ? one.probability <= smallest && beyond > 1.25 : one.probability <= each;
    const Status status = !atypical              ? Status::pass
                          : beyond > limits.fail ? Status::fail
                                                 : Status::caution;
    if (worst == nullptr || status > result.status ||
        (status == result.status && one.probability < worst->probability)) {
      worst = &one;
      result.status = status;
    }
  }
  std::string columns;
  for (std::size_t c = 0; c < std::min<std::size_t>(3, found.worst_columns.size()); ++c) {
    const ColumnScore& column = found.worst_columns[c];
    const std::string name =
        column.name.empty() ? fmt::format("column {}", column.column) : column.name;
    columns += fmt::format("{}{} ({:+.1f} sigma)", c == 0 ? "" : ", ", name, column.score);
  }
  const std::string place = fmt::format(
      "{:.1f} % of simulated data are at least as unusual by the measure \"{}\"; the most unusual "
      "are {}",
      100 * worst->probability, worst->name, columns);
  if (result.status == Status::pass) {
    result.reason = "the observation looks like simulated data: " + place;
  } else {
    result.reason = "the observation does not look like simulated data: " + place;
    result.advice =
        fmt::format("the simulator may lack something that is in the data: look at {}", columns);
  }
  for (const TypicalityMeasure& one : found.measures) {
    result.numbers.emplace_back(one.name + " probability", one.probability);
  }
  result.numbers.emplace_back("false_alarms", limits.false_alarms);
  return result;
}

}  // namespace hone
