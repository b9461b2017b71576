// The cosmology task against the numbers of its specification, and against an independent program
// that read the same emulator.

#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "hone/core/error.h"
#include "hone/tasks/cmb_emulator.h"
#include "hone/tasks/cmb_likelihood.h"
#include "hone/tasks/cmb_noise.h"
#include "tasks/statistics.h"
#include "tasks/two_sample.h"

namespace hone {
namespace {

constexpr std::array kUnits = CmbEmulator::kFisherSigma;

std::vector<double> point(std::array<double, 6> y) {
  std::vector<double> theta(6);
  for (std::size_t d = 0; d < 6; ++d) theta[d] = CmbEmulator::kCentre[d] + 5 * y[d] * kUnits[d];
  return theta;
}

std::size_t place(int spectrum, Index multipole) {
  return static_cast<std::size_t>(spectrum * kCmbMultipoles + multipole - kCmbFirstMultipole);
}

struct Known {
  std::array<double, 6> y;
  std::array<double, 7> spectra;  // TT 2, 220, 2500; TE 2, 310; EE 5, 1000
  double log_likelihood;
};
const Known kKnown[] = {
    {{0.58, 0.59, 0.03, -0.41, -0.85, -0.22},
     {1146.728, 0.7620869, 7.94752e-05, 2.970155, 0.007994712, 0.003998147, 0.0002646145},
     -231.889727},
    {{-0.17, -0.86, -0.86, 0.95, 0.29, -0.5},
     {1176.692, 0.8295745, 8.763303e-05, 2.556055, 0.008818407, 0.002418875, 0.0002959047},
     -2129.336022},
    {{-0.12, 0.9, 0.76, 0.65, -0.2, -0.01},
     {1109.68, 0.7678492, 8.269735e-05, 2.987057, 0.008071743, 0.005313786, 0.0002752827},
     -100.795721}};

// Standard deviation of a datum by cosmic variance at the fiducial spectra.
double cosmic_sigma(int spectrum, Index multipole) {
  const std::vector<double>& x = find_task("cmb").observation;
  const double tt = x[place(0, multipole)], te = x[place(1, multipole)],
               ee = x[place(2, multipole)];
  const double square = spectrum == 0   ? 2 * tt * tt
                        : spectrum == 1 ? te * te + tt * ee
                                        : 2 * ee * ee;
  return std::sqrt(square / cmb_modes(multipole));
}

TEST(Cmb, EmulatorGivesTheKnownSpectra) {
  const std::pair<int, Index> places[] = {{0, 2},   {0, 220}, {0, 2500}, {1, 2},
                                          {1, 310}, {2, 5},   {2, 1000}};
  std::vector<double> c(kCmbValues);
  for (const Known& known : kKnown) {
    CmbEmulator::instance().spectra(c, point(known.y));
    for (std::size_t k = 0; k < known.spectra.size(); ++k) {
      const auto [spectrum, multipole] = places[k];
      EXPECT_NEAR(c[place(spectrum, multipole)], known.spectra[k],
                  2e-4 * cosmic_sigma(spectrum, multipole))
          << spectrum << " " << multipole;
    }
  }
}

TEST(Cmb, EmulatorMeetsTheFiducialSpectraAtTheCentre) {
  std::vector<double> c(kCmbValues);
  CmbEmulator::instance().spectra(c, CmbEmulator::kCentre);
  for (Index l = 2; l <= 2500; ++l) {
    for (int s = 0; s < 3; ++s) {
      ASSERT_NEAR(c[place(s, l)], CmbEmulator::instance().fiducial()[place(s, l)],
                  0.006 * cosmic_sigma(s, l));
    }
  }
}

TEST(Cmb, InstrumentNoiseHasItsKnownValues) {
  const std::span<const double> noise = cmb_instrument_noise();
  const auto near = [&](int spectrum, Index multipole, double value) {
    EXPECT_NEAR(noise[place(spectrum, multipole)], value, 5e-4 * value) << multipole;
  };
  near(0, 2, 1.103e-4);
  near(0, 1000, 2.801e-4);
  near(0, 2500, 1.877e-2);
  near(2, 2, 3.573e-4);
  near(2, 1000, 9.513e-4);
  near(2, 2500, 6.768e-2);
  EXPECT_EQ(noise[place(1, 700)], 0);
}

TEST(Cmb, PriorReachesFiveFisherSigmas) {
  const Prior& prior = find_task("cmb").prior;
  EXPECT_NEAR(prior[0].lower(), 0.021628920, 1e-9);
  EXPECT_NEAR(prior[5].upper(), 0.075390233, 1e-9);
}

TEST(Cmb, LikelihoodHasItsKnownValues) {
  const CmbLikelihood likelihood(find_task("cmb").observation);
  EXPECT_NEAR(likelihood.log_ratio(CmbEmulator::kCentre), 0, 1e-3);
  for (const Known& known : kKnown) {
    const double tolerance = 1e-3 + 2e-5 * std::abs(known.log_likelihood);
    EXPECT_NEAR(likelihood.log_ratio(point(known.y)), known.log_likelihood, tolerance);
  }
}

TEST(Cmb, RefusesSpectraThatCannotBeMeasured) {
  const Task& task = find_task("cmb");
  std::vector<double> x = task.observation;
  x[place(1, 30)] = 10 * x[place(0, 30)];  // more correlated than can be
  try {
    task.reference.log_likelihood(x, task.truth);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_NE(std::string(error.what()).find("multipole 30"), std::string::npos) << error.what();
  }
  const std::span<const double> fiducial = CmbEmulator::instance().fiducial();
  std::vector<double> c(fiducial.begin(), fiducial.end());
  EXPECT_FALSE(make_cmb_noise()->check(c));
  c[place(2, 7)] = -c[place(2, 7)];
  EXPECT_TRUE(make_cmb_noise()->check(c));
}

// Many noisy copies of one spectrum.
class CosmicVariance : public testing::Test {
 protected:
  static constexpr Index kDraws = 4000;

  static void SetUpTestSuite() {
    std::vector<double> c(kCmbValues);
    CmbEmulator::instance().spectra(c, point(kKnown[0].y));
    for (std::size_t j = 0; j < c.size(); ++j) mean_[j] = c[j] + cmb_instrument_noise()[j];
    x_ = Matrix<float>(kDraws, kCmbValues);
    Matrix<float> noiseless(1, kCmbValues);
    std::copy(c.begin(), c.end(), noiseless.row(0).begin());
    const auto noise = make_cmb_noise();
    for (Index i = 0; i < kDraws; ++i) {
      Rng stream = test_rng().child("cosmic variance", static_cast<std::uint64_t>(i));
      noise->apply(x_.view().rows(i, 1), noiseless, std::span(&stream, 1));
    }
  }
  static void TearDownTestSuite() { x_ = {}; }

  static std::vector<double> draws(int spectrum, Index multipole) {
    std::vector<double> values;
    const auto column = static_cast<Index>(place(spectrum, multipole));
    for (Index i = 0; i < kDraws; ++i) values.push_back(static_cast<double>(x_(i, column)));
    return values;
  }

  // Products of the distances of two spectra from their means: their mean is the covariance.
  static Moments products(int a, int b, Index multipole_a, Index multipole_b) {
    const std::vector<double> x = draws(a, multipole_a), y = draws(b, multipole_b);
    std::vector<double> product;
    for (std::size_t i = 0; i < x.size(); ++i) {
      product.push_back((x[i] - mean_[place(a, multipole_a)]) *
                        (y[i] - mean_[place(b, multipole_b)]));
    }
    return moments(product);
  }

  inline static std::vector<double> mean_ = std::vector<double>(kCmbValues);
  inline static Matrix<float> x_;
};

// (TT, TE, EE) of a Wishart matrix over its degrees of freedom have the same covariance as their
// Gaussian limit; only the spectra it is taken at differ.
double covariance(int a, int b, std::span<const double> x, Index multipole, double n) {
  const double tt = x[place(0, multipole)], te = x[place(1, multipole)],
               ee = x[place(2, multipole)];
  if (a > b) std::swap(a, b);
  const double same[] = {2 * tt * tt, te * te + tt * ee, 2 * ee * ee};
  if (a == b) return same[a] / n;
  if (a == 0) return (b == 1 ? 2 * tt * te : 2 * te * te) / n;
  return 2 * te * ee / n;
}

TEST_F(CosmicVariance, LeavesTheMeanAlone) {
  for (const Index multipole : {2, 3, 17, 50, 51, 400, 2500}) {
    for (int s = 0; s < 3; ++s) {
      const Moments found = moments(draws(s, multipole));
      const double mean = mean_[place(s, multipole)];
      EXPECT_LT(std::abs(found.mean - mean), 4.5 * found.standard_error) << s << " " << multipole;
      const double without = mean - cmb_instrument_noise()[place(s, multipole)];
      if (s != 1 && multipole == 2500) {
        EXPECT_GT(std::abs(found.mean - without), 4.5 * found.standard_error);
      }
    }
  }
}

TEST_F(CosmicVariance, IsWishartUpTo50) {
  for (const Index multipole : {2, 3, 17, 50}) {
    const double n = std::round(cmb_modes(multipole));
    for (int a = 0; a < 3; ++a) {
      for (int b = a; b < 3; ++b) {
        const Moments found = products(a, b, multipole, multipole);
        const double expected = covariance(a, b, mean_, multipole, n);
        EXPECT_LT(std::abs(found.mean - expected), 4.5 * found.standard_error)
            << a << b << " at " << multipole;
        // Control: full sky.
        if (a != b) continue;
        const double full =
            covariance(a, b, mean_, multipole, 2.0 * static_cast<double>(multipole) + 1);
        EXPECT_GT(std::abs(found.mean - full), 4.5 * found.standard_error);
      }
    }
    // The third central moment of chi^2_n / n, which a Gaussian does not have.
    std::vector<double> cubes;
    for (const double x : draws(0, multipole)) {
      cubes.push_back(std::pow(x / mean_[place(0, multipole)] - 1, 3));
    }
    EXPECT_LT(std::abs(moments(cubes).mean - 8 / (n * n)), 4.5 * moments(cubes).standard_error);
    EXPECT_GT(std::abs(moments(cubes).mean), 4.5 * moments(cubes).standard_error);
  }
}

TEST_F(CosmicVariance, IsGaussianWithTheFiducialCovarianceFrom51) {
  const std::vector<double>& fiducial = find_task("cmb").observation;
  for (const Index multipole : {51, 300, 1400, 2500}) {
    const double n = cmb_modes(multipole);
    for (int a = 0; a < 3; ++a) {
      for (int b = a; b < 3; ++b) {
        const Moments found = products(a, b, multipole, multipole);
        const double expected = covariance(a, b, fiducial, multipole, n);
        EXPECT_LT(std::abs(found.mean - expected), 4.5 * found.standard_error)
            << a << b << " at " << multipole;
      }
      const Moments square = products(a, a, multipole, multipole);
      EXPECT_GT(std::abs(square.mean - 0.6 * covariance(a, a, fiducial, multipole, n)),
                4.5 * square.standard_error);
    }
  }
}

TEST_F(CosmicVariance, IsIndependentBetweenMultipoles) {
  for (const auto& [one, other] : {std::pair<Index, Index>{2, 3}, {50, 51}, {700, 701}}) {
    for (int a = 0; a < 3; ++a) {
      for (int b = 0; b < 3; ++b) {
        const Moments found = products(a, b, one, other);
        EXPECT_LT(std::abs(found.mean), 4.5 * found.standard_error);
      }
    }
  }
}

// The known answer: a long Markov chain by others; means and standard deviations as printed.
TEST(Cmb, ReferenceHasTheKnownMeansAndWidths) {
  const Task& task = find_task("cmb");
  const double mean[] = {0.022403, 0.11999, 1.04110, 3.0764, 0.96507, 0.05457};
  const double sigma[] = {0.000152, 0.00140, 0.00033, 0.0089, 0.00395, 0.00437};
  const Index rows = 4000;
  const Matrix<double> samples = task.reference.samples(task.observation, rows, test_rng());
  for (int d = 0; d < 6; ++d) {
    const Moments found = moments(column(samples, d));
    // 0.02 sigma: what the chain's own error and the printed digits are worth.
    EXPECT_LT(std::abs(found.mean - mean[d]), 4 * found.standard_error + 0.02 * sigma[d]) << d;
    EXPECT_GT(std::abs(found.mean - mean[d] - 0.2 * sigma[d]),
              4 * found.standard_error + 0.02 * sigma[d]);
    const double ratio = std::sqrt(found.variance) / sigma[d];
    EXPECT_NEAR(ratio, 1, 4 / std::sqrt(2.0 * rows) + 0.02) << d;
  }
}

}  // namespace
}  // namespace hone
