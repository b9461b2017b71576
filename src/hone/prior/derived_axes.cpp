#include "hone/prior/derived_axes.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "hone/core/error.h"

namespace hone {
namespace {

// Draws that the distribution of a quantity is learned from, and steps between its knots. A step is
// a part of the draws beyond it, so that also the tails have knots: most of the range of a quantity
// such as 1 / a lies there. The density at a knot is the mean over kReach knots on both sides, up
// to 16,384 draws: it must be smooth, for posteriors in units of the quantity are drawn with it.
constexpr Index kDraws = Index{1} << 18, kLongestStep = 1024, kShortestStep = 16;
constexpr double kStepOfTail = 0.19;
constexpr std::size_t kReach = 8;

[[noreturn]] void refuse(const Prior& prior, std::size_t k, const std::string& reason) {
  fail_value(fmt::format("derived[{}].value", k), fmt::format("'{}'", prior.derived()[k].value),
             reason);
}

// "a = 0.1, b = 2" of the parameters that a quantity depends on.
std::string values_used(const Prior& prior, const Expression& formula,
                        std::span<const double> theta) {
  std::string text;
  for (const int d : formula.uses()) {
    text += fmt::format("{}{} = {:.6g}", text.empty() ? "" : ", ", prior.parameter(d).name,
                        theta[static_cast<std::size_t>(d)]);
  }
  return text;
}

// Values at draws from the prior, sorted. All of them exist, and no single one is likely.
std::vector<double> checked_values(const Prior& prior, std::size_t k,
                                   MatrixView<const double> theta) {
  const Expression& formula = prior.formula(k);
  std::vector<double> values = formula(theta);
  const auto wrong = std::ranges::find_if_not(values, [](double v) { return std::isfinite(v); });
  if (wrong != values.end()) {
    const auto count = std::ranges::count_if(values, [](double v) { return !std::isfinite(v); });
    refuse(prior, k,
           fmt::format(
               "is {} where {}, and not finite in {:.2g} % of the prior; must be finite "
               "everywhere: narrow the prior, or use a smooth formula that exists everywhere, such "
               "as log(a + 4) instead of log(a)",
               *wrong, values_used(prior, formula, theta.row(wrong - values.begin())),
               100.0 * static_cast<double>(count) / static_cast<double>(values.size())));
  }
  std::ranges::sort(values);
  constexpr double kMostOfOne = 0.01;
  const std::size_t step = std::max<std::size_t>(
      1, static_cast<std::size_t>(kMostOfOne * static_cast<double>(values.size())));
  for (std::size_t i = 0; i + step < values.size(); ++i) {
    if (values[i] != values[i + step]) continue;
    refuse(prior, k,
           fmt::format("is exactly {} in more than {:g} % of the prior; it must vary smoothly, so "
                       "that it has a density: use a formula without min, max, floor or conditions",
                       values[i], 100 * kMostOfOne));
  }
  return values;
}

// Numbers of the sorted draws at which there are knots: close to each other at both ends, and in
// the middle in steps of equal mass.
std::vector<std::size_t> knot_numbers(std::size_t draws) {
  const auto last = static_cast<Index>(draws) - 1;
  std::vector<std::size_t> numbers;
  for (Index k = 0; 2 * k < last;
       k += std::clamp(static_cast<Index>(kStepOfTail * static_cast<double>(k)), kShortestStep,
                       kLongestStep)) {
    numbers.push_back(static_cast<std::size_t>(k));
  }
  for (std::size_t i = numbers.size(); i > 0; --i) {
    numbers.push_back(static_cast<std::size_t>(last) - numbers[i - 1]);
  }
  return numbers;
}

// The first and the last of the knots around knot j that its density is a mean of. Near an end they
// must not reach far towards it: with the extreme draw among them, the mean would be that of the
// whole tail.
std::pair<std::size_t, std::size_t> around(const std::vector<double>& mass_below, std::size_t j) {
  constexpr double kFactor = 1.7;  // between the mass beyond the knot and that beyond its reach
  const std::size_t last = mass_below.size() - 1;
  const auto tail = [&](std::size_t k) { return std::min(mass_below[k], 1 - mass_below[k]); };
  const auto too_far = [&](std::size_t k) {
    return tail(k) * kFactor < tail(j) || tail(k) > kFactor * tail(j);
  };
  std::size_t reach = std::min({kReach, j, last - j});
  while (reach > 1 && (too_far(j - reach) || too_far(j + reach))) --reach;
  reach = std::max<std::size_t>(1, reach);
  return {j < reach ? 0 : j - reach, std::min(j + reach, last)};
}

// Where the density is curved, its means over several knots have too much mass or too little
// between them. Scaled by what is missing around each knot, they follow the masses.
void scale_to_masses(std::vector<double>& density, const std::vector<double>& x,
                     const std::vector<double>& mass_below) {
  std::vector<double> below{0};
  for (std::size_t j = 1; j < x.size(); ++j) {
    below.push_back(below.back() + 0.5 * (x[j] - x[j - 1]) * (density[j - 1] + density[j]));
  }
  for (std::size_t j = 0; j < x.size(); ++j) {
    const auto [low, high] = around(mass_below, j);
    density[j] *= (mass_below[high] - mass_below[low]) / (below[high] - below[low]);
  }
}

DistributionPointer distribution_of(const std::vector<double>& sorted, std::string_view where) {
  std::vector<double> x, mass_below;
  for (const std::size_t number : knot_numbers(sorted.size())) {
    if (!x.empty() && sorted[number] <= x.back()) continue;
    x.push_back(sorted[number]);
    mass_below.push_back(static_cast<double>(number) / static_cast<double>(sorted.size() - 1));
  }
  mass_below.back() = 1;  // also if several draws have the largest value
  std::vector<double> density;
  for (std::size_t j = 0; j < x.size(); ++j) {
    const auto [low, high] = around(mass_below, j);
    density.push_back((mass_below[high] - mass_below[low]) / (x[high] - x[low]));
  }
  scale_to_masses(density, x, mass_below);
  return make_distribution(
      {.kind = "tabulated", .numbers = {}, .arrays = {{"x", x}, {"density", density}}}, where);
}

}  // namespace

TruncatedPrior with_derived_axes(const TruncatedPrior& prior) {
  const Prior& base = prior.prior();
  const PriorSamples draws = prior.sample(kDraws, Rng(0).child("derived quantities"));
  std::vector<Parameter> quantities = base.parameters();
  std::vector<std::vector<Interval>> axes;
  for (int d = 0; d < base.dimensions(); ++d) axes.push_back(prior.region().axis(d));
  for (std::size_t k = 0; k < base.derived().size(); ++k) {
    const DerivedQuantity& one = base.derived()[k];
    const std::string place = fmt::format("derived[{}].value", k);
    quantities.push_back(
        {one.name, one.label, distribution_of(checked_values(base, k, draws.theta), place)});
    axes.push_back(Region::whole(1).axis(0));
  }
  return {Prior(std::move(quantities)), Region(std::move(axes))};
}

Matrix<double> with_derived_columns(const TruncatedPrior& prior, const TruncatedPrior& axes,
                                    MatrixView<const double> local) {
  const Prior& base = prior.prior();
  const int parameters = base.dimensions();
  HONE_ASSERT(local.cols() == parameters && axes.dimensions() <= base.quantities());
  Matrix<double> theta(local.rows(), parameters), result(local.rows(), axes.dimensions());
  for (Index i = 0; i < local.rows(); ++i) {
    std::ranges::copy(local.row(i), result.row(i).begin());
    for (int d = 0; d < parameters; ++d) {
      // A rounded coordinate may be at the very end, which may be infinitely far away.
      theta(i, d) = prior.to_theta(d, std::clamp(local(i, d), 1e-9, 1 - 1e-9));
    }
  }
  for (int d = parameters; d < axes.dimensions(); ++d) {
    const auto values = base.formula(static_cast<std::size_t>(d - parameters))(theta);
    const Distribution& axis = axes.prior()[d];
    for (Index i = 0; i < local.rows(); ++i) {
      // Draws found no value outside, nor one that does not exist: what still does is at an end.
      const double value = values[static_cast<std::size_t>(i)];
      const bool above = value > axis.lower();
      result(i, d) = axes.to_local(d, above ? std::min(value, axis.upper()) : axis.lower());
    }
  }
  return result;
}

void check_derived(const Prior& prior) {
  if (prior.derived().empty()) return;
  constexpr Index kFew = 4096;
  const PriorSamples draws =
      sample(prior, Region::whole(prior.dimensions()), kFew, Rng(0).child("derived quantities"));
  for (std::size_t k = 0; k < prior.derived().size(); ++k) checked_values(prior, k, draws.theta);
}

}  // namespace hone
