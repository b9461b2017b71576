#include "hone/check/predictive.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "hone/core/error.h"
#include "hone/core/visible_text.h"

namespace hone {
namespace {

double quantile_of(const std::vector<double>& sorted, double probability) {
  const double at = probability * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], at - static_cast<double>(below));
}

struct Tails {
  double below, above;  // (1 + simulations as small or smaller) / (1 + n), and as large
};
Tails tails_of(const std::vector<double>& values, double observed) {
  const auto below = std::ranges::count_if(values, [&](double v) { return v <= observed; });
  const auto above = std::ranges::count_if(values, [&](double v) { return v >= observed; });
  const double all = static_cast<double>(values.size()) + 1;
  return {static_cast<double>(below + 1) / all, static_cast<double>(above + 1) / all};
}

double two_sided(const Tails& tails) {
  return std::min(1.0, 2 * std::min(tails.below, tails.above));
}

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

// Of simulations without any value, such as means of values that are all missing, nothing is known.
PredictiveStatistic statistic(std::string name, std::string block, std::vector<double> values,
                              double observed, bool only_large = false) {
  std::erase_if(values, [](double value) { return std::isnan(value); });
  if (values.empty() || std::isnan(observed)) {
    return {std::move(name), std::move(block), observed, kNoNumber, kNoNumber, kNoNumber, 1};
  }
  const Tails tails = tails_of(values, observed);
  std::ranges::sort(values);
  return {std::move(name),
          std::move(block),
          observed,
          quantile_of(values, 0.025),
          quantile_of(values, 0.5),
          quantile_of(values, 0.975),
          only_large ? tails.above : two_sided(tails)};
}

// Row n is the observation.
Matrix<double> with_observation(MatrixView<const float> x, std::span<const double> observation) {
  Matrix<double> rows(x.rows() + 1, x.cols());
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j < x.cols(); ++j) rows(i, j) = static_cast<double>(x(i, j));
  }
  std::ranges::copy(observation, rows.row(x.rows()).begin());
  return rows;
}

// Blocks that lose values at random in training lack here what the observation lacks: only what
// both have can be compared.
void take_away(Matrix<double>& rows, const DataDescription& data) {
  Index first = 0;
  for (const DataBlock& block : data.blocks()) {
    for (Index j = first; block.missing == Missing::random && j < first + block.size(); ++j) {
      if (!std::isnan(rows(rows.rows() - 1, j))) continue;
      for (Index i = 0; i < rows.rows(); ++i) rows(i, j) = kNoNumber;
    }
    first += block.size();
  }
}

// (x - mean) / sigma of each column, over all rows that have it; NaN where a value is missing.
Matrix<double> scores(const Matrix<double>& rows) {
  Matrix<double> result(rows.rows(), rows.cols());
  for (Index j = 0; j < rows.cols(); ++j) {
    double n = 0, mean = 0, square = 0;
    const auto each = [&](const auto& body) {
      for (Index i = 0; i < rows.rows(); ++i) {
        if (!std::isnan(rows(i, j))) body(rows(i, j));
      }
    };
    each([&](double) { ++n; });
    each([&](double value) { mean += value / n; });
    each([&](double value) { square += std::pow(value - mean, 2) / n; });
    for (Index i = 0; i < rows.rows(); ++i) {
      const bool gap = std::isnan(rows(i, j));
      result(i, j) = gap ? kNoNumber : square > 0 ? (rows(i, j) - mean) / std::sqrt(square) : 0;
    }
  }
  return result;
}

using Number = std::function<double(std::span<const double> values)>;

double mean_of(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double deviation_of(std::span<const double> values) {
  const double mean = mean_of(values);
  double square = 0;
  for (const double value : values) square += (value - mean) * (value - mean);
  return std::sqrt(square / static_cast<double>(values.size()));
}

double mean_square(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return sum / static_cast<double>(values.size());
}

double largest_size(std::span<const double> values) {
  return std::abs(*std::ranges::max_element(values, {}, [](double v) { return std::abs(v); }));
}

// Of the columns first .. first + size - 1 of every row: a number of those values that are there,
// or NaN if none is.
PredictiveStatistic number_of(const std::string& name, const std::string& block,
                              const Matrix<double>& rows, Index first, Index size,
                              const Number& number, bool only_large = false) {
  std::vector<double> values;
  std::vector<double> there;
  for (Index i = 0; i < rows.rows(); ++i) {
    const auto all = rows.row(i).subspan(std::size_t(first), std::size_t(size));
    there.clear();
    std::ranges::copy_if(all, std::back_inserter(there), [](double v) { return !std::isnan(v); });
    values.push_back(there.empty() ? kNoNumber : number(there));
  }
  const double observed = values.back();
  values.pop_back();
  return statistic(name, block, std::move(values), observed, only_large);
}

void add_block(Predictive& result, const Matrix<double>& rows, const std::string& block,
               Index first, Index size) {
  const auto add = [&](const char* name, const Number& number) {
    result.statistics.push_back(number_of(name, block, rows, first, size, number));
  };
  add("mean", mean_of);
  if (size == 1) return;
  add("standard deviation", deviation_of);
  add("smallest", [](std::span<const double> v) { return std::ranges::min(v); });
  add("largest", [](std::span<const double> v) { return std::ranges::max(v); });
}

// How many values of a block are missing, where the simulator leaves the gaps.
void add_missing(Predictive& result, const Matrix<double>& rows, const DataBlock& block,
                 Index first) {
  std::vector<double> counts;
  for (Index i = 0; i < rows.rows(); ++i) {
    const auto all = rows.row(i).subspan(std::size_t(first), std::size_t(block.size()));
    counts.push_back(
        static_cast<double>(std::ranges::count_if(all, [](double v) { return std::isnan(v); })));
  }
  const double observed = counts.back();
  counts.pop_back();
  result.statistics.push_back(statistic("missing values", block.name, std::move(counts), observed));
}

// The last row is the observation.
void add_of_user(Predictive& result, const Matrix<double>& rows, const UserStatistic& one) {
  std::vector<double> values;
  for (Index i = 0; i < rows.rows(); ++i) {
    values.push_back(one.value(rows.row(i)));
    if (std::isfinite(values.back())) continue;
    fail(ErrorKind::input,
         "statistic '{}': it is {} for {}; it must be a finite number for all data", one.name,
         values.back(), i + 1 == rows.rows() ? "the observation" : fmt::format("simulation {}", i));
  }
  const double observed = values.back();
  values.pop_back();
  result.statistics.push_back(statistic(one.name, "", std::move(values), observed));
}

void add_columns(Predictive& result, MatrixView<const float> x,
                 std::span<const double> observation) {
  for (Index j = 0; j < x.cols(); ++j) {
    std::vector<double> values;
    for (Index i = 0; i < x.rows(); ++i) {
      if (!std::isnan(x(i, j))) values.push_back(static_cast<double>(x(i, j)));
    }
    const double observed = observation[static_cast<std::size_t>(j)];
    result.observed.push_back(observed);
    result.p.push_back(std::isnan(observed) ? 1 : two_sided(tails_of(values, observed)));
    std::ranges::sort(values);
    const auto add = [&](std::vector<double>& list, double probability) {
      list.push_back(values.empty() ? kNoNumber : quantile_of(values, probability));
    };
    add(result.low95, 0.025);
    add(result.low68, 0.16);
    add(result.median, 0.5);
    add(result.high68, 0.84);
    add(result.high95, 0.975);
  }
}

// The distances decide: they were chosen before any data. Of the others some are small by chance.
void judge(Predictive& result) {
  constexpr double kCaution = 0.01;
  const PredictiveStatistic& worst = *std::ranges::min_element(
      result.statistics.begin(), result.statistics.begin() + 2, {}, &PredictiveStatistic::p);
  const std::string facts = fmt::format(
      "{} of the observation is {:.3g}, that of simulations {:.3g} to {:.3g} (p = "
      "{:.2g})",
      worst.name, worst.observed, worst.low, worst.high, worst.p);
  result.status = worst.p <= kCaution ? Status::caution : Status::pass;
  result.reason =
      result.status == Status::pass
          ? "simulations from the " + result.from + " look like the observation: " + facts
          : "the observation is unlike simulations from the " + result.from + ": " + facts;
}

}  // namespace

void require_distinct_names(const std::vector<UserStatistic>& users) {
  std::vector<std::string> taken{"distance", "largest deviation",  "mean",
                                 "smallest", "standard deviation", "largest"};
  for (const UserStatistic& one : users) {
    const bool usable = !one.name.empty() && one.name.size() <= 100 &&
                        visible_text(one.name) == one.name &&
                        one.name.find_first_of("\n\t") == std::string::npos;
    if (!usable) {
      fail_value("statistics", fmt::format("'{}'", visible_text(one.name.substr(0, 60))),
                 "a name must have 1 to 100 characters, and no control characters");
    }
    if (std::ranges::find(taken, one.name) != taken.end()) {
      fail_value("statistics", fmt::format("'{}'", one.name),
                 "there is a statistic of this name; choose another");
    }
    taken.push_back(one.name);
  }
}

Predictive compare_predictive(MatrixView<const float> x, std::span<const double> observation,
                              const DataDescription& data, const std::string& from,
                              const std::vector<UserStatistic>& users) {
  HONE_ASSERT(x.cols() == std::ssize(observation));
  require_distinct_names(users);
  constexpr Index kFewest = 20;
  if (x.rows() < kFewest) {
    fail(ErrorKind::simulator, "{} simulations succeeded; at least {} are needed to compare",
         x.rows(), kFewest);
  }
  Predictive result;
  result.from = from;
  result.simulations = x.rows();
  add_columns(result, x, observation);
  Matrix<double> rows = with_observation(x, observation);
  take_away(rows, data);
  const Matrix<double> scored = scores(rows);
  result.statistics.push_back(number_of("distance", "", scored, 0, x.cols(), mean_square, true));
  result.statistics.push_back(
      number_of("largest deviation", "", scored, 0, x.cols(), largest_size, true));
  Index first = 0;
  for (const DataBlock& block : data.blocks()) {
    add_block(result, rows, block.name, first, block.size());
    if (block.missing == Missing::simulated) add_missing(result, rows, block, first);
    first += block.size();
  }
  if (!data.declared()) add_block(result, rows, "", 0, x.cols());
  for (const UserStatistic& one : users) add_of_user(result, rows, one);
  judge(result);
  return result;
}

nlohmann::ordered_json to_json(const Predictive& predictive) {
  auto statistics = nlohmann::ordered_json::array();
  for (const PredictiveStatistic& one : predictive.statistics) {
    statistics.push_back({{"name", one.name},
                          {"block", one.block},
                          {"observed", one.observed},
                          {"low", one.low},
                          {"median", one.median},
                          {"high", one.high},
                          {"p", one.p}});
  }
  const auto joint =
      predictive.joint_check ? to_json(*predictive.joint_check) : nlohmann::ordered_json(nullptr);
  return {{"from", predictive.from},
          {"source", predictive.source},
          {"joint_check", joint},
          {"simulations", predictive.simulations},
          {"status", to_string(predictive.status)},
          {"reason", predictive.reason},
          {"statistics", statistics},
          {"columns",
           {{"observed", predictive.observed},
            {"low_95", predictive.low95},
            {"low_68", predictive.low68},
            {"median", predictive.median},
            {"high_68", predictive.high68},
            {"high_95", predictive.high95},
            {"p", predictive.p}}}};
}

}  // namespace hone
