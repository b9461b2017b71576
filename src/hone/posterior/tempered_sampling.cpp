#include "hone/posterior/tempered_sampling.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "hone/core/error.h"
#include "hone/metrics/effective_size.h"

namespace hone {
namespace {

using LogDensity = std::function<std::vector<double>(const Matrix<double>&)>;
constexpr double kNothing = -std::numeric_limits<double>::infinity();

struct Particles {
  Matrix<double> points;
  std::vector<double> density;  // log, without the power
};

std::vector<double> checked(const LogDensity& log_density, const Matrix<double>& points) {
  std::vector<double> values = log_density(points);
  for (const double value : values) {
    if (std::isnan(value) || value == -kNothing) {
      fail(ErrorKind::numerical, "the density that is sampled is not a number somewhere");
    }
  }
  return values;
}

// exp(rise x density) of each particle over the largest.
std::vector<double> rise_weights(const std::vector<double>& density, double rise) {
  const double peak = *std::ranges::max_element(density);
  std::vector<double> weights;
  weights.reserve(density.size());
  for (const double value : density) weights.push_back(std::exp(rise * (value - peak)));
  return weights;
}

// The largest rise of the power that leaves `step` of the particles effective.
double find_rise(const std::vector<double>& density, double left, double step) {
  const double wanted = step * static_cast<double>(std::ranges::count_if(
                                   density, [](double value) { return value > kNothing; }));
  const auto enough = [&](double rise) {
    return effective_size_of_weights(rise_weights(density, rise)) >= wanted;
  };
  if (enough(left)) return left;
  double low = 0, high = left;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (enough(middle) ? low : high) = middle;
  }
  return std::max(low, 1e-12 * left);
}

// Systematic: a particle of weight w has floor(w n) or ceil(w n) copies.
Particles resampled(const Particles& old, const std::vector<double>& weights, Rng rng) {
  const Index n = old.points.rows();
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  Particles result{Matrix<double>(n, old.points.cols()), std::vector<double>(std::size_t(n))};
  const double shift = rng.uniform();
  double passed = weights[0] / total;
  std::size_t from = 0;
  for (Index i = 0; i < n; ++i) {
    const double at = (static_cast<double>(i) + shift) / static_cast<double>(n);
    while (passed < at && from + 1 < weights.size()) passed += weights[++from] / total;
    std::ranges::copy(old.points.row(static_cast<Index>(from)), result.points.row(i).begin());
    result.density[static_cast<std::size_t>(i)] = old.density[from];
  }
  // Copies stand side by side; the two halves that guide each other must be alike.
  const auto order = rng.permutation(n);
  Particles mixed{Matrix<double>(n, old.points.cols()), std::vector<double>(std::size_t(n))};
  for (Index i = 0; i < n; ++i) {
    const Index at = order[static_cast<std::size_t>(i)];
    std::ranges::copy(result.points.row(at), mixed.points.row(i).begin());
    mixed.density[static_cast<std::size_t>(i)] = result.density[static_cast<std::size_t>(at)];
  }
  return mixed;
}

// Coordinates that a move changes: one, about half, or all.
Index coordinates_to_move(std::vector<bool>& moved, Rng& rng) {
  const Index dimensions = std::ssize(moved);
  const double kind = rng.uniform();
  std::fill(moved.begin(), moved.end(), kind > 2.0 / 3);
  if (kind > 2.0 / 3) return dimensions;
  moved[static_cast<std::size_t>(rng.below(static_cast<std::uint64_t>(dimensions)))] = true;
  if (kind > 1.0 / 3) {
    for (Index d = 0; d < dimensions; ++d) {
      if (rng.uniform() < 0.5) moved[static_cast<std::size_t>(d)] = true;
    }
  }
  return std::ranges::count(moved, true);
}

// y = x + gamma (a - b), with a and b from the other half: the proposal is symmetric.
void propose(std::span<double> to, std::span<const double> from, const Matrix<double>& points,
             Index guides, Index half, std::vector<bool>& moved, Rng& rng) {
  const Index count = coordinates_to_move(moved, rng);
  const auto a = rng.below(static_cast<std::uint64_t>(half));
  const auto b = rng.below(static_cast<std::uint64_t>(half));
  const bool leap = rng.uniform() < 0.15;  // from mode to mode
  const double usual = 2.38 / std::sqrt(2 * static_cast<double>(count));
  const double gamma = leap ? 1 : usual * (0.5 + rng.uniform());
  for (std::size_t d = 0; d < to.size(); ++d) {
    to[d] = from[d];
    if (!moved[d]) continue;
    const double difference = points(guides + static_cast<Index>(a), static_cast<Index>(d)) -
                              points(guides + static_cast<Index>(b), static_cast<Index>(d));
    to[d] += gamma * difference + 1e-7 * rng.normal();
  }
}

// One move of half of the particles; returns how many were accepted.
Index move_half(Particles& particles, Index first, double power, const LogDensity& log_density,
                Rng& rng) {
  const Index half = particles.points.rows() / 2, dimensions = particles.points.cols();
  Matrix<double> proposal(half, dimensions);
  std::vector<bool> inside(static_cast<std::size_t>(half), true);
  std::vector<bool> moved(static_cast<std::size_t>(dimensions));
  for (Index i = 0; i < half; ++i) {
    propose(proposal.row(i), particles.points.row(first + i), particles.points, half - first, half,
            moved, rng);
    for (double& value : proposal.row(i)) {
      if (value > 0 && value < 1) continue;
      inside[static_cast<std::size_t>(i)] = false;
      value = 0.5;
    }
  }
  const std::vector<double> density = checked(log_density, proposal);
  Index accepted = 0;
  for (Index i = 0; i < half; ++i) {
    double& old = particles.density[static_cast<std::size_t>(first + i)];
    const double fresh = density[static_cast<std::size_t>(i)];
    const bool wins = std::log(rng.uniform()) < power * (fresh - old);
    if (!inside[static_cast<std::size_t>(i)] || fresh == kNothing || !wins) continue;
    ++accepted;
    old = fresh;
    std::ranges::copy(proposal.row(i), particles.points.row(first + i).begin());
  }
  return accepted;
}

// Share of accepted moves.
double move_all(Particles& particles, double power, Index moves, const LogDensity& log_density,
                const Rng& rng) {
  const Index half = particles.points.rows() / 2;
  Index accepted = 0;
  for (Index m = 0; m < moves; ++m) {
    Rng move = rng.child("move", static_cast<std::uint64_t>(m));
    accepted += move_half(particles, 0, power, log_density, move);
    accepted += move_half(particles, half, power, log_density, move);
  }
  return static_cast<double>(accepted) / static_cast<double>(std::max<Index>(1, 2 * half * moves));
}

Index count_distinct(const Matrix<double>& points) {
  std::vector<Index> order(static_cast<std::size_t>(points.rows()));
  std::iota(order.begin(), order.end(), Index{0});
  const auto less = [&](Index a, Index b) {
    return std::ranges::lexicographical_compare(points.row(a), points.row(b));
  };
  std::ranges::sort(order, less);
  Index distinct = 1;
  for (std::size_t i = 1; i < order.size(); ++i) distinct += less(order[i - 1], order[i]);
  return distinct;
}

}  // namespace

TemperedSamples tempered_samples(const LogDensity& log_density, Index dimensions, const Rng& rng,
                                 const TemperedOptions& options) {
  const Index n = options.particles;
  HONE_ASSERT(n >= 4 && n % 2 == 0 && dimensions >= 1 && options.step > 0 && options.step < 1);
  Particles particles{Matrix<double>(n, dimensions), {}};
  for (Index i = 0; i < n; ++i) {
    Rng start = rng.child("start", static_cast<std::uint64_t>(i));
    for (double& value : particles.points.row(i)) value = start.uniform();
  }
  particles.density = checked(log_density, particles.points);
  if (*std::ranges::max_element(particles.density) == kNothing) {
    fail(ErrorKind::numerical, "the density that is sampled is 0 at all of {} points", n);
  }
  TemperedSamples result;
  double power = 0;
  while (power < 1) {
    const double rise = find_rise(particles.density, 1 - power, options.step);
    const std::vector<double> weights = rise_weights(particles.density, rise);
    const double peak = *std::ranges::max_element(particles.density);
    const double mean =
        std::accumulate(weights.begin(), weights.end(), 0.0) / static_cast<double>(n);
    result.log_mean += rise * peak + std::log(mean);
    power = rise == 1 - power ? 1 : power + rise;
    const Rng step = rng.child("power", static_cast<std::uint64_t>(result.powers++));
    particles = resampled(particles, weights, step.child("resample"));
    result.acceptance = move_all(particles, power, power < 1 ? options.moves : options.last_moves,
                                 log_density, step);
  }
  result.distinct = count_distinct(particles.points);
  result.points = std::move(particles.points);
  return result;
}

}  // namespace hone
