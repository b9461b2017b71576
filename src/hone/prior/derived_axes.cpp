#include "hone/prior/derived_axes.h"

#include <algorithm>
#include <cmath>

#include "hone/core/error.h"

namespace hone {
namespace {

// The density at a knot is the mean over kReach knots on both sides, 16,384 draws: it must be
// smooth, for posteriors in units of the quantity are drawn with it. It need not be exact: networks
// learn against points that are uniform in the local coordinate, whatever that is.
constexpr Index kKnots = 257, kDraws = (kKnots - 1) * 1024;
constexpr std::size_t kReach = 8;

std::string place_of(std::size_t k, const DerivedQuantity& quantity) {
  return fmt::format("derived[{}].value = '{}'", k, quantity.value);
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
  const std::string place = place_of(k, prior.derived()[k]);
  const auto wrong = std::ranges::find_if_not(values, [](double v) { return std::isfinite(v); });
  if (wrong != values.end()) {
    const auto count = std::ranges::count_if(values, [](double v) { return !std::isfinite(v); });
    fail(ErrorKind::input,
         "{}: is {} where {}, and not finite in {:.2g} % of the prior; must be finite everywhere: "
         "narrow the prior, or bound it with min and max",
         place, *wrong, values_used(prior, formula, theta.row(wrong - values.begin())),
         100.0 * static_cast<double>(count) / static_cast<double>(values.size()));
  }
  std::ranges::sort(values);
  constexpr double kMostOfOne = 0.01;
  const std::size_t step = std::max<std::size_t>(
      1, static_cast<std::size_t>(kMostOfOne * static_cast<double>(values.size())));
  for (std::size_t i = 0; i + step < values.size(); ++i) {
    if (values[i] != values[i + step]) continue;
    fail(
        ErrorKind::input,
        "{}: is exactly {} in more than {:g} % of the prior; it must vary smoothly, so that it has "
        "a density",
        place, values[i], 100 * kMostOfOne);
  }
  return values;
}

// Knots of equal mass between them, and the mean density around each: fewer knots near the ends.
DistributionPointer distribution_of(const std::vector<double>& sorted, std::string_view where) {
  std::vector<double> x, mass_below;
  const double last = static_cast<double>(sorted.size() - 1);
  for (Index j = 0; j < kKnots; ++j) {
    const double share = static_cast<double>(j) / static_cast<double>(kKnots - 1);
    const double value = sorted[static_cast<std::size_t>(std::llround(share * last))];
    if (!x.empty() && value <= x.back()) continue;
    x.push_back(value);
    mass_below.push_back(share);
  }
  std::vector<double> density;
  for (std::size_t j = 0; j < x.size(); ++j) {
    const std::size_t reach =
        std::min({kReach, std::max<std::size_t>(1, j), std::max<std::size_t>(1, x.size() - 1 - j)});
    const std::size_t low = j < reach ? 0 : j - reach, high = std::min(j + reach, x.size() - 1);
    density.push_back((mass_below[high] - mass_below[low]) / (x[high] - x[low]));
  }
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
    quantities.push_back({one.name, one.label,
                          distribution_of(checked_values(base, k, draws.theta), place_of(k, one))});
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
