// The paper's torus: g(theta) = (theta_0, |(theta_0, theta_1) - (a, b)|, theta_2) on the unit cube.
// theta_2 is independent of the others given x; in the plane of the others the posterior is a thin
// ring around (a, b), cut by the measurement of theta_0.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "hone/core/error.h"
#include "hone/tasks/builtin.h"
#include "hone/tasks/gaussian_noise.h"
#include "hone/tasks/reference.h"

namespace hone {
namespace {

constexpr int kDimensions = 3;
constexpr double kCentre[] = {0.6, 0.8};  // a, b
constexpr double kSigma[] = {0.03, 0.005, 0.2};
constexpr const char* kName = "torus";

double radius(double theta_0, double theta_1) {
  return std::hypot(theta_0 - kCentre[0], theta_1 - kCentre[1]);
}

DistributionPointer cut_normal(double mean, double sigma, double high) {
  return make_distribution(
      {"truncated_normal", {{"mean", mean}, {"sigma", sigma}, {"low", 0}, {"high", high}}, {}});
}

// Exact draws of (theta_0, theta_1) in polar coordinates around (a, b), where the posterior is
// r N(r; x_1) N(theta_0; x_0) inside the square.
class RingSampler {
 public:
  explicit RingSampler(std::span<const double> x)
      : x_0_(x[0]),
        normal_(cut_normal(x[1], kSigma[1], kLargest)),
        // The factor r is bounded by `usual_` in all but 1e-9 of the draws, by the largest radius
        // in the rest; two pieces of one envelope keep this exact without wasting draws.
        usual_(std::min(kLargest, std::max(x[1], 0.0) + 6 * kSigma[1])),
        usual_mass_(normal_->cdf(usual_)),
        rest_mass_(normal_->cdf_complement(usual_)) {}

  // Writes theta_0 and theta_1.
  void draw(std::span<double> theta, Rng& rng) const {
    // 2 ms and some 10^4 tries a sample for the worst of 1,000 observations from the prior.
    constexpr int kTries = 10000000;
    for (int i = 0; i < kTries; ++i) {
      const double r = draw_radius(rng);
      const double angle = 2 * std::numbers::pi * rng.uniform();
      theta[0] = kCentre[0] + r * std::cos(angle);
      theta[1] = kCentre[1] + r * std::sin(angle);
      const bool inside = theta[0] >= 0 && theta[0] <= 1 && theta[1] >= 0 && theta[1] <= 1;
      if (inside && rng.uniform() < likelihood_of_theta_0(theta[0])) return;
    }
    fail(ErrorKind::numerical,
         "torus: no posterior sample in {} tries; the observation is far from any simulation",
         kTries);
  }

 private:
  static constexpr double kLargest = 1;  // from (0.6, 0.8) to the corner (0, 0)

  // Density proportional to r N(r; x_1), 0 < r < kLargest.
  double draw_radius(Rng& rng) const {
    const double weight = usual_ * usual_mass_;
    while (true) {
      const bool usual = rng.uniform() * (weight + kLargest * rest_mass_) < weight;
      const double r = usual ? normal_->quantile(usual_mass_ * rng.uniform())
                             : normal_->quantile_complement(rest_mass_ * rng.uniform());
      if (rng.uniform() * (usual ? usual_ : kLargest) < r) return r;
    }
  }

  // Relative to the best theta_0 in the square.
  double likelihood_of_theta_0(double theta_0) const {
    return std::exp(log_normal_density(x_0_, theta_0, kSigma[0]) -
                    log_normal_density(x_0_, std::clamp(x_0_, 0.0, 1.0), kSigma[0]));
  }

  double x_0_;
  DistributionPointer normal_;
  double usual_;
  double usual_mass_;
  double rest_mass_;
};

Matrix<double> reference_samples(std::span<const double> x, Index rows, const Rng& rng) {
  require_observation(x, kDimensions, kName);
  const RingSampler ring(x);
  const DistributionPointer theta_2 = cut_normal(x[2], kSigma[2], 1);
  return draw_rows(rows, kDimensions, rng, [&](std::span<double> theta, Rng& draw) {
    ring.draw(theta, draw);
    theta[2] = theta_2->quantile(draw.uniform());
  });
}

// The densities in the plane of the ring, by quadrature.
class Ring {
 public:
  explicit Ring(std::span<const double> x) : x_0_(x[0]), x_1_(x[1]) {
    evidence_ = integrate([this](double theta_0) { return over_theta_1(theta_0); }, 0, 1);
    if (!(evidence_ > 0)) {
      fail(ErrorKind::numerical, "torus: the observation is too far from any simulation");
    }
  }

  double joint(double theta_0, double theta_1) const {
    return product(theta_0, theta_1) / evidence_;
  }
  double of_theta_0(double theta_0) const { return over_theta_1(theta_0) / evidence_; }
  double of_theta_1(double theta_1) const {
    return integrate([&](double theta_0) { return product(theta_0, theta_1); }, 0, 1) / evidence_;
  }

 private:
  double product(double theta_0, double theta_1) const {
    return std::exp(log_normal_density(x_0_, theta_0, kSigma[0]) +
                    log_normal_density(x_1_, radius(theta_0, theta_1), kSigma[1]));
  }
  double over_theta_1(double theta_0) const {
    return integrate([&](double theta_1) { return product(theta_0, theta_1); }, 0, 1);
  }

  double x_0_;
  double x_1_;
  double evidence_ = 0;
};

std::vector<double> marginal_density(std::span<const double> x, const Marginal& marginal,
                                     MatrixView<const double> points) {
  require_observation(x, kDimensions, kName);
  HONE_ASSERT(points.cols() == std::ssize(marginal));
  const DistributionPointer theta_2 = cut_normal(x[2], kSigma[2], 1);
  const Ring ring(x);
  const auto column = [&marginal](int d) {  // of parameter d in points; -1 if it is not there
    const auto found = std::find(marginal.begin(), marginal.end(), d);
    return found == marginal.end() ? -1 : static_cast<Index>(found - marginal.begin());
  };
  const Index columns[] = {column(0), column(1), column(2)};
  std::vector<double> density;
  for (Index i = 0; i < points.rows(); ++i) {
    const auto row = points.row(i);
    const bool inside =
        std::all_of(row.begin(), row.end(), [](double theta) { return theta >= 0 && theta <= 1; });
    double value = inside ? 1 : 0;
    if (columns[0] >= 0 && columns[1] >= 0) {
      value *= ring.joint(points(i, columns[0]), points(i, columns[1]));
    } else if (columns[0] >= 0) {
      value *= ring.of_theta_0(points(i, columns[0]));
    } else if (columns[1] >= 0) {
      value *= ring.of_theta_1(points(i, columns[1]));
    }
    if (columns[2] >= 0) value *= std::exp(theta_2->log_density(points(i, columns[2])));
    density.push_back(value);
  }
  return density;
}

}  // namespace

Task torus_task() {
  const GaussianNoise model{kName,
                            [](std::span<double> x, std::span<const double> theta) {
                              x[0] = theta[0];
                              x[1] = radius(theta[0], theta[1]);
                              x[2] = theta[2];
                            },
                            {std::begin(kSigma), std::end(kSigma)}};
  const std::vector<double> truth = {0.57, 0.8, 1.0};
  return {
      .name = kName,
      .description = "A thin ring in two parameters, a wide posterior in the third.",
      .prior =
          same_prior(kDimensions, make_distribution({"uniform", {{"low", 0}, {"high", 1}}, {}})),
      .truth = truth,
      .observation = model.noiseless(truth),
      .budget = 32032,  // what the paper's four rounds used
      .simulator = [model] { return model.simulator(); },
      .reference = model.with_likelihood({{}, reference_samples, marginal_density}),
  };
}

}  // namespace hone
