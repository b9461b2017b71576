// Correlated priors against what is known of normal distributions.
#include "hone/prior/copula.h"

#include <cmath>
#include <functional>
#include <numbers>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "files/test_files.h"
#include "hone/core/error.h"
#include "hone/prior/truncated_prior.h"

namespace hone {
namespace {

constexpr double kRho = 0.8;

Prior correlated(double rho = kRho) {
  return {{{"a", "", make_distribution({"normal", {{"mean", 1}, {"sigma", 2}}, {}})},
           {"b", "", make_distribution({"normal", {{"mean", -3}, {"sigma", 0.5}}, {}})}},
          Copula(2, {{0, 1, rho}})};
}

struct Moments {
  double mean[2], variance[2], correlation;
};

Moments moments(const Matrix<double>& theta) {
  Moments m{};
  const double n = double(theta.rows());
  for (Index i = 0; i < theta.rows(); ++i) {
    for (int d = 0; d < 2; ++d) m.mean[d] += theta(i, d) / n;
  }
  double product = 0;
  for (Index i = 0; i < theta.rows(); ++i) {
    for (int d = 0; d < 2; ++d) m.variance[d] += std::pow(theta(i, d) - m.mean[d], 2) / n;
    product += (theta(i, 0) - m.mean[0]) * (theta(i, 1) - m.mean[1]) / n;
  }
  m.correlation = product / std::sqrt(m.variance[0] * m.variance[1]);
  return m;
}

TEST(Copula, GivesTheDensityOfACorrelatedNormal) {
  const Prior prior = correlated();
  for (const auto& [a, b] : {std::pair{1.0, -3.0}, {3.0, -2.5}, {-5.0, -2.0}, {9.0, -0.5}}) {
    const double x = (a - 1) / 2, y = (b + 3) / 0.5;
    const double exact = -std::log(2 * std::numbers::pi * 2 * 0.5 * std::sqrt(1 - kRho * kRho)) -
                         (x * x - 2 * kRho * x * y + y * y) / (2 * (1 - kRho * kRho));
    const double theta[] = {a, b};
    EXPECT_NEAR(prior.log_density(theta), exact, 1e-9 * std::abs(exact)) << a << " " << b;
    EXPECT_GT(std::abs(correlated(0.7).log_density(theta) - exact), 1e-3);
  }
}

TEST(Copula, DrawsTheWholePrior) {
  const Index n = 20000;
  const PriorSamples samples = sample(correlated(), Region::whole(2), n, Rng(1));
  const Moments m = moments(samples.theta);
  EXPECT_NEAR(m.mean[0], 1, 4 * 2 / std::sqrt(n));
  EXPECT_NEAR(m.mean[1], -3, 4 * 0.5 / std::sqrt(n));
  EXPECT_NEAR(m.variance[0] / 4, 1, 4 * std::sqrt(2.0 / n));
  EXPECT_NEAR(m.correlation, kRho, 4 * (1 - kRho * kRho) / std::sqrt(n));
}

// A box, and two intervals on an axis: as rejection from the whole prior has it.
TEST(Copula, DrawsInsideARegionAsRejectionDoes) {
  const Prior prior = correlated();
  const Region region({{{unit_point(0.6), unit_point(0.95)}},
                       {{unit_point(0.05), unit_point(0.3)}, {unit_point(0.5), unit_point(0.7)}}});
  const TruncatedPrior truncated(prior, region);
  const PriorSamples inside = truncated.sample(20000, Rng(2));
  const PriorSamples all = sample(prior, Region::whole(2), 400000, Rng(3));
  Index kept = 0;
  Matrix<double> by_rejection(all.theta.rows(), 2);
  for (Index i = 0; i < all.theta.rows(); ++i) {
    if (!region.contains(prior, all.theta.row(i))) continue;
    std::ranges::copy(all.theta.row(i), by_rejection.row(kept++).begin());
  }
  Matrix<double> reference(kept, 2);
  std::copy_n(by_rejection.data(), 2 * kept, reference.data());
  const Moments ours = moments(inside.theta), exact = moments(reference);
  const double error = std::sqrt(1.0 / 20000 + 1.0 / double(kept));
  for (int d = 0; d < 2; ++d) {
    EXPECT_NEAR(ours.mean[d], exact.mean[d], 4 * error * std::sqrt(exact.variance[d])) << d;
    EXPECT_NEAR(ours.variance[d] / exact.variance[d], 1, 4 * error * std::sqrt(2.0)) << d;
  }
  EXPECT_NEAR(ours.correlation, exact.correlation, 4 * error);
  for (Index i = 0; i < 20000; ++i) ASSERT_TRUE(region.contains(prior, inside.theta.row(i)));
  const double share = double(kept) / double(all.theta.rows());
  EXPECT_NEAR(std::exp(truncated.log_mass()), share, 5 * std::sqrt(share / 400000));
  // The control: independent parameters in the same region are others.
  const Moments independent =
      moments(sample(Prior(std::vector(prior.parameters())), region, 20000, Rng(4)).theta);
  EXPECT_GT(std::abs(independent.mean[1] - exact.mean[1]),
            4 * error * std::sqrt(exact.variance[1]));
}

TEST(Copula, SurvivesJson) {
  const Prior prior = correlated();
  const nlohmann::json json = to_json(prior);
  EXPECT_EQ(json[1]["correlations"], nlohmann::json({{"a", kRho}}));
  EXPECT_EQ(prior_from_json(json), prior);
  EXPECT_FALSE(prior_from_json(json) == correlated(0.7));
  EXPECT_FALSE(prior_from_json(json) == Prior(std::vector(prior.parameters())));
}

TEST(Copula, OfNoCorrelationIsNone) {
  EXPECT_EQ(correlated(0).copula(), nullptr);
  EXPECT_NE(correlated(0.1).copula(), nullptr);
  EXPECT_EQ(prior_from_json(to_json(correlated(0))).copula(), nullptr);
}

TEST(Copula, RefusesWhatCannotBe) {
  using Json = nlohmann::json;
  const auto make = [](const Json& a, const Json& b, const Json& c) {
    const Json prior = {{"kind", "uniform"}, {"low", 0}, {"high", 1}};
    Json json = Json::array();
    for (const char* name : {"a", "b", "c"}) json.push_back({{"name", name}, {"prior", prior}});
    if (!a.is_null()) json[0]["correlations"] = a;
    if (!b.is_null()) json[1]["correlations"] = b;
    if (!c.is_null()) json[2]["correlations"] = c;
    return prior_from_json(json);
  };
  const auto with = [&](const Json& a, const Json& b, const Json& c) {
    return refusal([&] { make(a, b, c); });
  };
  EXPECT_NO_THROW(make({}, {{"a", 0.5}}, {{"a", 0.5}, {"b", 0.5}}));
  EXPECT_EQ(with({}, {{"a", 1}}, {}),
            "parameters[1].correlations.a = 1: must be a number in (-1, 1)");
  EXPECT_EQ(with({}, {{"a", "much"}}, {}),
            "parameters[1].correlations.a = \"much\": must be a number in (-1, 1)");
  EXPECT_EQ(with({}, {{"b", 0.5}}, {}), "parameters[1].correlations.b: is the parameter itself");
  EXPECT_EQ(with({{"b", 0.5}}, {{"a", 0.5}}, {}), "parameters[1].correlations.a: is given twice");
  EXPECT_EQ(refusal([] {
              Copula(2, {{0, 1, 0.5}, {1, 0, 0.5}});
            }),
            "correlations: parameters 0 and 1 are there twice");
  EXPECT_NE(with({}, {{"aa", 0.5}}, {}).find("no parameter is called 'aa'"), std::string::npos);
  EXPECT_NE(with({}, 0.5, {}).find("must be a table"), std::string::npos);
  EXPECT_NE(with({}, {{"a", 0.9}}, {{"a", 0.9}, {"b", -0.9}}).find("not positive definite"),
            std::string::npos);
}

}  // namespace
}  // namespace hone
