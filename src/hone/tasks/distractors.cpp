#include "hone/tasks/distractors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "hone/core/error.h"
#include "hone/tasks/numpy_legacy.h"

namespace hone {
namespace {

constexpr double kFreedom = 2;  // degrees of freedom; draw() and log_density() rely on 2

// |L^-1 (noise - mean)|^2
double squared_distance(const Matrix<double>& factor, std::span<const double> mean,
                        std::span<const double> noise) {
  std::array<double, Distractors::kSize> z{};
  double sum = 0;
  for (Index i = 0; i < Distractors::kSize; ++i) {
    const auto k = static_cast<std::size_t>(i);
    double rest = noise[k] - mean[k];
    for (std::size_t j = 0; j < k; ++j) rest -= factor(i, static_cast<Index>(j)) * z[j];
    z[k] = rest / factor(i, i);
    sum += z[k] * z[k];
  }
  return sum;
}

}  // namespace

const Distractors& Distractors::instance() {
  static const Distractors distractors;
  return distractors;
}

// The order of the draws is sbibm's: all means, then the factors, then the permutation.
Distractors::Distractors() : means_(kComponents, kSize) {
  NumpyLegacyRandom random(42);
  for (int c = 0; c < kComponents; ++c) {
    for (double& mean : means_.row(c)) mean = 15 * random.normal();
  }
  for (int c = 0; c < kComponents; ++c) {
    Matrix<double> factor(kSize, kSize);
    for (Index i = 0; i < kSize; ++i) {
      for (Index j = 0; j < kSize; ++j) {
        const double value = random.normal();
        factor(i, j) = j <= i ? 3 * value : 0;
      }
    }
    double log_determinant = 0;
    for (Index i = 0; i < kSize; ++i) {
      factor(i, i) += 3 * std::exp(random.normal());
      // Negative diagonal elements are possible; the distribution only sees L L^T.
      log_determinant += std::log(std::abs(factor(i, i)));
    }
    factors_.push_back(std::move(factor));
    log_determinants_.push_back(log_determinant);
  }
  order_ = random.permutation(kShown);
}

const Matrix<double>& Distractors::factor(int component) const {
  return factors_[static_cast<std::size_t>(component)];
}

// mean + L n / sqrt(w) with w = chi^2 / degrees of freedom, which is exponential for two.
void Distractors::draw(std::span<double> noise, Rng& rng) const {
  HONE_ASSERT(std::ssize(noise) == kSize);
  const auto component = static_cast<int>(rng.below(kComponents));
  const double scale = 1 / std::sqrt(-std::log(rng.uniform()));
  std::array<double, kSize> normal{};
  for (double& value : normal) value = scale * rng.normal();
  const Matrix<double>& l = factor(component);
  for (Index i = 0; i < kSize; ++i) {
    double sum = means_(component, i);
    for (Index j = 0; j <= i; ++j) sum += l(i, j) * normal[static_cast<std::size_t>(j)];
    noise[static_cast<std::size_t>(i)] = sum;
  }
}

double Distractors::log_density(std::span<const double> noise) const {
  HONE_ASSERT(std::ssize(noise) == kSize);
  std::array<double, kComponents> terms{};
  for (int c = 0; c < kComponents; ++c) {
    const auto k = static_cast<std::size_t>(c);
    terms[k] = -log_determinants_[k] -
               (kFreedom + kSize) / 2 *
                   std::log1p(squared_distance(factors_[k], means_.row(c), noise) / kFreedom);
  }
  const double largest = *std::max_element(terms.begin(), terms.end());
  double sum = 0;
  for (const double term : terms) sum += std::exp(term - largest);
  return largest + std::log(sum / kComponents) + std::lgamma((kFreedom + kSize) / 2) -
         std::lgamma(kFreedom / 2) - kSize / 2.0 * std::log(kFreedom * std::numbers::pi);
}

void Distractors::hide(std::span<double> shown, std::span<const double> data,
                       std::span<const double> noise) const {
  for (std::size_t j = 0; j < order_.size(); ++j) {
    const auto source = static_cast<std::size_t>(order_[j]);
    shown[j] = source < data.size() ? data[source] : noise[source - data.size()];
  }
}

void Distractors::find(std::span<double> data, std::span<double> noise,
                       std::span<const double> shown) const {
  for (std::size_t j = 0; j < order_.size(); ++j) {
    const auto source = static_cast<std::size_t>(order_[j]);
    (source < data.size() ? data[source] : noise[source - data.size()]) = shown[j];
  }
}

}  // namespace hone
