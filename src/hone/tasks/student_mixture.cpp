#include "hone/tasks/student_mixture.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "hone/core/cholesky.h"
#include "hone/core/error.h"

namespace hone {
namespace {

using Component = StudentMixture::Component;

constexpr double kFreedom = 8;  // even: chi^2 is a sum of exponentials
constexpr int kIterations = 10;

double squared_distance(const Component& component, std::span<const double> z,
                        std::vector<double>& scratch) {
  scratch.resize(z.size());
  for (std::size_t d = 0; d < z.size(); ++d) scratch[d] = z[d] - component.mean[d];
  solve_lower(scratch, component.factor, scratch);
  double sum = 0;
  for (const double value : scratch) sum += value * value;
  return sum;
}

// exp(terms) / sum exp(terms), in place; returns the logarithm of that sum.
double normalise(std::span<double> terms) {
  const double largest = *std::max_element(terms.begin(), terms.end());
  double sum = 0;
  for (double& term : terms) sum += term = std::exp(term - largest);
  for (double& term : terms) term /= sum;
  return largest + std::log(sum);
}

// Weighted by column k of `shares`; `mass` is their sum.
std::vector<double> weighted_mean(MatrixView<const double> points, const Matrix<double>& shares,
                                  Index k, double mass) {
  std::vector<double> mean(static_cast<std::size_t>(points.cols()));
  for (Index i = 0; i < points.rows(); ++i) {
    for (std::size_t d = 0; d < mean.size(); ++d) {
      mean[d] += shares(i, k) / mass * points(i, static_cast<Index>(d));
    }
  }
  return mean;
}

Matrix<double> weighted_covariance(MatrixView<const double> points, const Matrix<double>& shares,
                                   Index k, double mass, std::span<const double> mean) {
  const Index n = points.cols();
  Matrix<double> covariance(n, n);
  for (Index i = 0; i < points.rows(); ++i) {
    if (shares(i, k) == 0) continue;
    for (Index a = 0; a < n; ++a) {
      const double left = shares(i, k) / mass * (points(i, a) - mean[static_cast<std::size_t>(a)]);
      for (Index b = 0; b <= a; ++b) {
        covariance(a, b) += left * (points(i, b) - mean[static_cast<std::size_t>(b)]);
      }
    }
  }
  return covariance;
}

// Expectation maximisation for the Gaussian mixture behind StudentMixture::fit.
class Fit {
 public:
  Fit(MatrixView<const double> points, int components)
      : points_(points), components_(components), whole_(points.rows(), 1) {
    std::fill_n(whole_.data(), whole_.rows(), 1.0);
    const auto n = static_cast<double>(points.rows());
    mean_ = weighted_mean(points, whole_, 0, n);
    common_ = weighted_covariance(points, whole_, 0, n, mean_);
    // Volume of one of K equal parts.
    const double shrink = std::pow(components, -2.0 / static_cast<double>(points.cols()));
    for (Index a = 0; a < common_.rows(); ++a) {
      for (Index b = 0; b <= a; ++b) common_(a, b) *= shrink;
    }
  }

  // Components of equal shape around points chosen at random.
  std::vector<Component> start(Rng& rng) const {
    std::vector<Component> mixture;
    for (int k = 0; k < components_; ++k) {
      const auto row =
          points_.row(static_cast<Index>(rng.below(static_cast<std::uint64_t>(points_.rows()))));
      mixture.push_back({1.0 / components_, {row.begin(), row.end()}, cholesky(common_)});
    }
    return mixture;
  }

  std::vector<Component> step(const std::vector<Component>& mixture) const {
    const Matrix<double> shares = responsibilities(mixture);
    std::vector<Component> next;
    for (Index k = 0; k < shares.cols(); ++k) {
      double mass = 0;
      for (Index i = 0; i < shares.rows(); ++i) mass += shares(i, k);
      if (mass < 1) continue;  // fewer than one point: not needed
      next.push_back(component(shares, k, mass));
    }
    return next;
  }

 private:
  Matrix<double> responsibilities(const std::vector<Component>& mixture) const {
    Matrix<double> shares(points_.rows(), std::ssize(mixture));
    std::vector<double> log_norms;
    for (const Component& c : mixture) {
      log_norms.push_back(std::log(c.weight) - log_determinant(c.factor));
    }
    std::vector<double> scratch;
    for (Index i = 0; i < points_.rows(); ++i) {
      for (std::size_t k = 0; k < mixture.size(); ++k) {
        shares(i, static_cast<Index>(k)) =
            log_norms[k] - squared_distance(mixture[k], points_.row(i), scratch) / 2;
      }
      normalise(shares.row(i));
    }
    return shares;
  }

  Component component(const Matrix<double>& shares, Index k, double mass) const {
    const auto n = static_cast<double>(points_.rows());
    Component result{mass / n, weighted_mean(points_, shares, k, mass), {}};
    Matrix<double> covariance = weighted_covariance(points_, shares, k, mass, result.mean);
    // As if `borrowed` points had the common covariance.
    const auto borrowed = static_cast<double>(points_.cols());
    for (Index a = 0; a < covariance.rows(); ++a) {
      for (Index b = 0; b <= a; ++b) {
        covariance(a, b) = (mass * covariance(a, b) + borrowed * common_(a, b)) / (mass + borrowed);
      }
    }
    result.factor = cholesky(covariance);
    return result;
  }

  MatrixView<const double> points_;
  int components_;
  Matrix<double> whole_;
  std::vector<double> mean_;
  Matrix<double> common_;  // covariance a component leans towards
};

}  // namespace

StudentMixture::StudentMixture(std::vector<Component> components)
    : components_(std::move(components)) {
  HONE_ASSERT(!components_.empty());
  double total = 0;
  for (const Component& component : components_) total += component.weight;
  for (Component& component : components_) {
    component.weight /= total;
    log_norms_.push_back(std::log(component.weight) - log_determinant(component.factor));
  }
}

StudentMixture StudentMixture::fit(MatrixView<const double> points, int components, Rng rng) {
  const Fit fit(points, components);
  std::vector<Component> mixture = fit.start(rng);
  for (int i = 0; i < kIterations; ++i) mixture = fit.step(mixture);
  return StudentMixture(std::move(mixture));
}

void StudentMixture::draw(std::span<double> z, Rng& rng) const {
  double u = rng.uniform();
  auto component = components_.begin();
  while (component + 1 != components_.end() && u > component->weight) {
    u -= component->weight;
    ++component;
  }
  double chi_square = 0;
  for (int i = 0; i < static_cast<int>(kFreedom) / 2; ++i)
    chi_square -= 2 * std::log(rng.uniform());
  const double scale = std::sqrt(kFreedom / chi_square);
  std::vector<double> normal(z.size());
  for (double& value : normal) value = scale * rng.normal();
  for (std::size_t a = 0; a < z.size(); ++a) {
    z[a] = component->mean[a];
    for (std::size_t b = 0; b <= a; ++b) {
      z[a] += component->factor(static_cast<Index>(a), static_cast<Index>(b)) * normal[b];
    }
  }
}

double StudentMixture::log_density(std::span<const double> z) const {
  std::vector<double> scratch;
  std::vector<double> terms;
  const auto dimensions = static_cast<double>(z.size());
  for (std::size_t k = 0; k < components_.size(); ++k) {
    terms.push_back(log_norms_[k] -
                    (kFreedom + dimensions) / 2 *
                        std::log1p(squared_distance(components_[k], z, scratch) / kFreedom));
  }
  return normalise(terms) + std::lgamma((kFreedom + dimensions) / 2) - std::lgamma(kFreedom / 2) -
         dimensions / 2 * std::log(kFreedom * std::numbers::pi);
}

}  // namespace hone
