#include "hone/posterior/lattice.h"

#include <cmath>

namespace hone {
namespace {

// In two dimensions neighbouring Fibonacci numbers (F_k, F_{k-1}) are the best spread there is.
Lattice fibonacci_lattice(Index points) {
  Index before = 1, size = 2;
  while (size + before <= points) {
    const Index next = size + before;
    before = size;
    size = next;
  }
  return {size, {1, before}};
}

// Powers of a number close to the golden section of a prime. Good enough for a posterior in more
// than two dimensions, which the few points cannot resolve anyway.
Lattice korobov_lattice(Index dimensions, Index points) {
  const auto is_prime = [](Index n) {
    for (Index d = 2; d * d <= n; ++d) {
      if (n % d == 0) return false;
    }
    return n > 1;
  };
  Index size = points;
  while (!is_prime(size)) --size;
  const Index base = std::llround(0.618033988749895 * static_cast<double>(size));
  Lattice lattice{size, {1}};
  for (Index d = 1; d < dimensions; ++d) {
    lattice.generator.push_back(lattice.generator.back() * base % size);
  }
  return lattice;
}

}  // namespace

Lattice make_lattice(Index dimensions, Index points) {
  HONE_ASSERT(dimensions >= 1 && points >= 3);
  if (dimensions == 1) return {points, {1}};
  if (dimensions == 2) return fibonacci_lattice(points);
  return korobov_lattice(dimensions, points);
}

void points_through(MatrixView<double> out, const Lattice& lattice, std::span<const double> point) {
  const double n = static_cast<double>(lattice.points);
  for (Index j = 0; j < lattice.points; ++j) {
    for (std::size_t d = 0; d < point.size(); ++d) {
      const double step = static_cast<double>(j * lattice.generator[d] % lattice.points) / n;
      const double moved = point[d] + step;
      out(j, static_cast<Index>(d)) = moved < 1 ? moved : moved - 1;
    }
  }
}

double weighted_rank(std::span<const double> weights, std::span<const double> value, double part) {
  double before = 0, level = 0, all = 0;
  for (std::size_t j = 0; j < weights.size(); ++j) {
    all += weights[j];
    if (value[j] < value[0]) before += weights[j];
    if (value[j] == value[0]) level += weights[j];
  }
  return (before + part * level) / all;
}

}  // namespace hone
