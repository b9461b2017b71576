#include "hone/check/sharpness.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include <fmt/format.h>

#include "hone/core/parallel.h"

namespace hone {
namespace {

// News farther out than this many times its root mean square is taken for as far: an estimate that
// is wild at the observation must not move the mean by as much.
constexpr double kFarthest = 3;
// A posterior is computed on points that lie 0.006 apart: a deviation below this is rounding.
constexpr double kNarrowest = 1e-3;
// Exceedances after which a probability is known well enough (Besag & Clifford 1991), and
// permutations for each case that a probability just at the limit would let pass.
constexpr int kEnough = 10, kResolution = 3;

// A number for each test draw, and one for the observation. Sums are over test draws alone.
struct Values {
  std::vector<double> draws;
  double observed = 0;
};

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

void subtract(Values& v, double factor, const Values& other) {
  for (std::size_t i = 0; i < v.draws.size(); ++i) v.draws[i] -= factor * other.draws[i];
  v.observed -= factor * other.observed;
}

// v without its projection on each of the others, which are at right angles to each other.
void take_out(Values& v, const std::vector<Values>& others) {
  for (const Values& other : others) {
    subtract(v, dot(v.draws, other.draws) / dot(other.draws, other.draws), other);
  }
}

// 1, m, m^2 and s, over s, made orthogonal: whatever the posterior's mean and deviation say.
std::vector<Values> known_functions(const LocalDraws& posterior, std::size_t n) {
  const std::vector<double> means(posterior.mean.begin(),
                                  posterior.mean.begin() + static_cast<std::ptrdiff_t>(n));
  const double middle = std::accumulate(means.begin(), means.end(), 0.0) / static_cast<double>(n);
  const auto function = [&](const auto& f) {
    Values v;
    for (std::size_t i = 0; i < n; ++i) {
      const double s = std::max(posterior.deviation[i], kNarrowest);
      v.draws.push_back(f(means[i] - middle, s) / s);
    }
    const double s = std::max(posterior.observed_deviation, kNarrowest);
    v.observed = f(posterior.observed_mean - middle, s) / s;
    return v;
  };
  std::vector<Values> result;
  for (Values v :
       {function([](double, double) { return 1.0; }), function([](double m, double) { return m; }),
        function([](double m, double) { return m * m; }),
        function([](double, double s) { return s; })}) {
    const double before = dot(v.draws, v.draws);
    take_out(v, result);
    take_out(v, result);  // again, against rounding
    if (dot(v.draws, v.draws) > 1e-9 * before) result.push_back(std::move(v));
  }
  return result;
}

// What a rival knows that cannot be told from the posterior itself.
Values news_of(const Rival& rival, const LocalDraws& posterior, const std::vector<Values>& known,
               std::size_t n) {
  Values v;
  for (std::size_t i = 0; i < n; ++i) {
    v.draws.push_back((rival.draws[i] - posterior.mean[i]) /
                      std::max(posterior.deviation[i], kNarrowest));
  }
  v.observed = (rival.observed - posterior.observed_mean) /
               std::max(posterior.observed_deviation, kNarrowest);
  take_out(v, known);
  const double far = kFarthest * std::sqrt(dot(v.draws, v.draws) / static_cast<double>(n));
  for (double& value : v.draws) value = std::clamp(value, -far, far);
  v.observed = std::clamp(v.observed, -far, far);
  return v;
}

// Of mean 0 and norm 1; of equal values all 0. Products of two such lists are correlations.
std::vector<double> standardised(std::vector<double> values) {
  const double mean =
      std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  for (double& value : values) value -= mean;
  const double norm = std::sqrt(dot(values, values));
  for (double& value : values) value = norm > 1e-12 ? value / norm : 0;
  return values;
}

struct Largest {
  std::size_t rival = 0;
  double correlation = -1;
};
Largest largest_correlation(const std::vector<double>& phi,
                            const std::vector<std::vector<double>>& news) {
  Largest best;
  for (std::size_t j = 0; j < news.size(); ++j) {
    if (const double r = dot(phi, news[j]); r > best.correlation) best = {j, r};
  }
  return best;
}

// Of a largest correlation as large, if the order of u means nothing.
double permutation_probability(double found, const std::vector<double>& phi,
                               const std::vector<std::vector<double>>& news, double limit,
                               Rng rng) {
  std::vector<Index> order(phi.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::vector<double> permuted(phi.size());
  const auto most = static_cast<int>(std::ceil(kResolution / limit));
  int beyond = 0;
  for (int turn = 1; turn <= most; ++turn) {
    rng.shuffle(order);
    for (std::size_t i = 0; i < order.size(); ++i) {
      permuted[i] = phi[static_cast<std::size_t>(order[i])];
    }
    beyond += largest_correlation(permuted, news).correlation >= found;
    if (beyond == kEnough) return static_cast<double>(kEnough) / turn;
  }
  return static_cast<double>(beyond + 1) / (most + 1);
}

// What the true values would gain from the news.
void judge_size(Sharpness& one, const ComparedPosterior& data, const Values& news) {
  std::vector<double> errors;
  for (std::size_t i = 0; i < news.draws.size(); ++i) {
    errors.push_back((data.truths[i] - data.posterior.mean[i]) /
                     std::max(data.posterior.deviation[i], kNarrowest));
  }
  const double square = dot(news.draws, news.draws), product = dot(errors, news.draws);
  if (!(square > 0) || product <= 0) return;
  const double share = std::min(1.0, product * product / (square * dot(errors, errors)));
  one.narrower = 1 - std::sqrt(1 - share);
  one.shift = product / square * news.observed;
}

Status status_of(const Sharpness& one, const SharpnessLimits& limits) {
  const double shift = std::abs(one.shift);
  if (one.narrower > limits.narrower_fail || shift > limits.shift_fail) return Status::fail;
  const bool caution = one.narrower > limits.narrower_caution || shift > limits.shift_caution;
  return caution ? Status::caution : Status::pass;
}

// That every rival has an estimate of; none where there is no rival.
std::size_t draws_of(const ComparedPosterior& data) {
  if (data.rivals.empty()) return 0;
  const auto draws = [](const Rival& rival) { return rival.draws.size(); };
  return draws(*std::ranges::min_element(data.rivals, {}, draws));
}

Sharpness judge(const ComparedPosterior& data, double limit, const Rng& rng,
                const SharpnessLimits& limits) {
  const std::size_t n = draws_of(data);
  const std::vector<Values> known = known_functions(data.posterior, n);
  std::vector<Values> news;
  std::vector<std::vector<double>> directions;
  for (const Rival& rival : data.rivals) {
    news.push_back(news_of(rival, data.posterior, known, n));
    directions.push_back(standardised(news.back().draws));
  }
  std::vector<double> phi(data.posterior.cdf.begin(),
                          data.posterior.cdf.begin() + static_cast<std::ptrdiff_t>(n));
  phi = standardised(std::move(phi));
  const Largest best = largest_correlation(phi, directions);
  Sharpness one{.parameter = data.posterior.marginal,
                .rival = data.rivals[best.rival].kind,
                .correlation = best.correlation};
  one.probability = permutation_probability(best.correlation, phi, directions, limit, rng);
  judge_size(one, data, news[best.rival]);
  if (one.probability <= limit) one.status = status_of(one, limits);
  return one;
}

std::string words_for(RivalKind kind) {
  switch (kind) {
    case RivalKind::columns: return "a regression on the values of the data";
    case RivalKind::functions:
      return "a regression on squares, logarithms and products of the values of the data";
    case RivalKind::part: return "one of its own estimators";
  }
  HONE_ASSERT(false);
}

std::string advice_for(RivalKind kind, bool declared) {
  switch (kind) {
    case RivalKind::columns: return "use more simulations, or another embedding";
    case RivalKind::functions:
      return declared
                 ? "add columns to the data that say it plainly, such as mean products of "
                   "neighbouring values or residuals of a regression on the value before; or "
                   "declare the noise, if it is simple; or use more simulations"
                 : "if the data are a series, an image or a set, declare them as such (data); or "
                   "add columns that say it plainly, such as mean squares or products of "
                   "neighbouring values; or use more simulations";
    case RivalKind::part:
      return "use more simulations, or look at the estimators one by one (option estimators)";
  }
  HONE_ASSERT(false);
}

}  // namespace

std::vector<Sharpness> sharpness(const std::vector<ComparedPosterior>& parameters, const Rng& rng,
                                 const SharpnessLimits& limits) {
  std::vector<const ComparedPosterior*> judged;
  for (const ComparedPosterior& one : parameters) {
    if (std::cmp_less(draws_of(one), limits.fewest_draws)) continue;
    judged.push_back(&one);
  }
  std::vector<Sharpness> result(judged.size());
  const double limit = limits.false_alarms / std::max(1.0, static_cast<double>(judged.size()));
  parallel_for(std::ssize(judged), [&](Index k) {
    result[static_cast<std::size_t>(k)] =
        judge(*judged[static_cast<std::size_t>(k)], limit,
              rng.child("permute", static_cast<std::uint64_t>(k)), limits);
  });
  return result;
}

CheckResult sharpness_result(const std::vector<Sharpness>& parameters, bool declared,
                             const SharpnessLimits& limits) {
  CheckResult result{.name = "sharpness"};
  const auto rank = [](const Sharpness& s) {
    return std::tuple(s.status, -s.probability, s.narrower);
  };
  const Sharpness& worst =
      *std::ranges::max_element(parameters, {}, [&](const Sharpness& s) { return rank(s); });
  const auto flagged = std::ranges::count_if(
      parameters, [](const Sharpness& s) { return s.status != Status::pass; });
  result.status = worst.status;
  const std::string gain = fmt::format(
      "the posterior of {} would be {:.0f} % narrower and, at the observation, moved by {:+.2f} of "
      "its standard deviation",
      worst.parameter, 100 * worst.narrower, worst.shift);
  if (result.status != Status::pass) {
    result.reason =
        fmt::format("the posteriors miss something that is in the data: with the help of {} {}{}",
                    words_for(worst.rival), gain,
                    flagged > 1 ? fmt::format("; {} more are flagged", flagged - 1) : "");
    result.advice = "the intervals are wider than the data allow, and centred elsewhere: " +
                    advice_for(worst.rival, declared);
    // Of functions of the data the advice says already what does more.
    result.more_simulations = worst.rival != RivalKind::functions;
  } else if (worst.probability > limits.false_alarms / static_cast<double>(parameters.size())) {
    result.reason = fmt::format(
        "other estimates of the parameters found nothing that the posteriors miss; the "
        "largest hint, for {}, would occur by chance with probability {:.2g}",
        worst.parameter, worst.probability);
  } else {
    result.reason =
        "other estimates of the parameters found little that the posteriors miss: with their "
        "help " +
        gain;
  }
  result.numbers = {{"flagged", static_cast<double>(flagged)},
                    {"narrower", worst.narrower},
                    {"shift", worst.shift},
                    {"correlation", worst.correlation},
                    {"probability", worst.probability},
                    {"false_alarms", limits.false_alarms}};
  return result;
}

}  // namespace hone
