// Whole numbers: integer, poisson, binomial, and categories, which are numbers with names. All of
// them are a table of probabilities.

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "hone/core/error.h"
#include "hone/prior/distribution_makers.h"

namespace hone {
namespace {

// A table of pairs of two such parameters has a million cells.
constexpr double kMostValues = 1000;

class WholeNumbers final : public Distribution {
 public:
  // Probabilities of first, first + 1, ... of any normalisation; none at the ends is 0.
  WholeNumbers(const DistributionSpec& spec, double first, std::vector<double> probability)
      : Distribution(spec, first - 0.5, first + static_cast<double>(probability.size()) - 0.5,
                     true),
        probability_(std::move(probability)) {
    const std::size_t count = probability_.size();
    below_.assign(count + 1, 0);
    above_.assign(count + 1, 0);
    for (std::size_t i = 0; i < count; ++i) below_[i + 1] = below_[i] + probability_[i];
    const double total = below_.back();
    for (double& value : probability_) value /= total;
    for (double& value : below_) value /= total;
    for (std::size_t i = count; i > 0; --i) above_[i - 1] = above_[i] + probability_[i - 1];
  }

  std::string value_name(double x) const override {
    const auto names = spec().text("names");
    const auto i = static_cast<std::size_t>(x - lower());
    return i < names.size() ? names[i] : Distribution::value_name(x);
  }

 private:
  double value(std::size_t i) const { return lower() + 0.5 + static_cast<double>(i); }

  double log_density_inside(double x) const override {
    if (x != std::floor(x)) return -std::numeric_limits<double>::infinity();
    return std::log(probability_[static_cast<std::size_t>(x - lower())]);
  }
  // P(X < x), and half of P(X = x).
  double mass_below(double x) const override {
    const auto i = static_cast<std::size_t>(std::ceil(x) - lower());  // the first value not below x
    return below_[i] + (x == std::floor(x) ? 0.5 * probability_[i] : 0);
  }
  double mass_above(double x) const override {
    const auto i = static_cast<std::size_t>(std::ceil(x) - lower());
    return above_[i] - (x == std::floor(x) ? 0.5 * probability_[i] : 0);
  }
  double lower_quantile(double p) const override {
    const auto end = std::ranges::lower_bound(below_.begin() + 1, below_.end() - 1, p);
    return value(static_cast<std::size_t>(end - below_.begin()) - 1);
  }
  // As below, the point between two values belongs to the lower one.
  double upper_quantile(double q) const override {
    const auto end = std::partition_point(above_.begin() + 1, above_.end() - 1,
                                          [q](double above) { return above > q; });
    return value(static_cast<std::size_t>(end - above_.begin()) - 1);
  }

  std::vector<double> probability_;
  std::vector<double> below_;  // of all values before number i
  std::vector<double> above_;  // of number i and all after it
};

double whole_number(const DistributionSpec& spec, const std::string& field,
                    std::string_view where) {
  const double value = spec.number(field);
  if (value == std::floor(value) && std::abs(value) < 1e15) return value;
  fail_value(fmt::format("{}.{}", where, field), value, "must be a whole number");
}

void check_count(double values, const std::string& field, double given, std::string_view where) {
  if (values <= kMostValues) return;
  fail_value(fmt::format("{}.{}", where, field), given,
             fmt::format("there would be {:g} values; must be at most {:g}", values, kMostValues));
}

// From log probabilities of 0, 1, ..., without what is too rare ever to be drawn.
DistributionOwner without_rare(const DistributionSpec& spec, const std::vector<double>& log) {
  constexpr double kRarest = -45;  // log of 3e-20
  const double peak = *std::ranges::max_element(log);
  std::size_t first = 0, end = log.size();
  while (log[first] < peak + kRarest) ++first;
  while (log[end - 1] < peak + kRarest) --end;
  std::vector<double> probability;
  for (std::size_t i = first; i < end; ++i) probability.push_back(std::exp(log[i] - peak));
  return std::make_unique<WholeNumbers>(spec, static_cast<double>(first), std::move(probability));
}

}  // namespace

DistributionOwner make_integer(const DistributionSpec& spec, std::string_view where) {
  const double low = whole_number(spec, "low", where), high = whole_number(spec, "high", where);
  check_count(high - low + 1, "high", high, where);
  return std::make_unique<WholeNumbers>(
      spec, low, std::vector<double>(static_cast<std::size_t>(high - low + 1), 1.0));
}

DistributionOwner make_poisson(const DistributionSpec& spec, std::string_view) {
  const double mean = spec.number("mean");
  std::vector<double> log;
  const auto most = static_cast<std::size_t>(mean + 12 * std::sqrt(mean) + 40);
  for (std::size_t k = 0; k <= most; ++k) {
    const double count = static_cast<double>(k);
    log.push_back(count * std::log(mean) - std::lgamma(count + 1));
  }
  return without_rare(spec, log);
}

DistributionOwner make_binomial(const DistributionSpec& spec, std::string_view where) {
  const double trials = whole_number(spec, "trials", where), p = spec.number("probability");
  std::vector<double> log;
  for (double k = 0; k <= trials; ++k) {
    log.push_back(std::lgamma(trials + 1) - std::lgamma(k + 1) - std::lgamma(trials - k + 1) +
                  k * std::log(p) + (trials - k) * std::log1p(-p));
  }
  return without_rare(spec, log);
}

DistributionOwner make_categorical(const DistributionSpec& spec, std::string_view where) {
  const std::vector<double>& probabilities = spec.array("probabilities");
  const auto names = spec.text("names");
  check_count(static_cast<double>(probabilities.size()), "probabilities",
              static_cast<double>(probabilities.size()), where);
  if (probabilities.size() < 2) {
    fail_place(fmt::format("{}.probabilities", where), "there must be at least 2");
  }
  if (!names.empty() && names.size() != probabilities.size()) {
    fail_place(fmt::format("{}.names", where),
               fmt::format("there are {}; must be {}, one for each probability", names.size(),
                           probabilities.size()));
  }
  for (std::size_t i = 0; i < probabilities.size(); ++i) {
    if (probabilities[i] > 0) continue;
    fail_value(fmt::format("{}.probabilities[{}]", where, i), probabilities[i],
               "must be greater than 0");
  }
  return std::make_unique<WholeNumbers>(spec, 0, probabilities);
}

}  // namespace hone
