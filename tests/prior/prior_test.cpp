#include "hone/prior/prior.h"

#include <cmath>
#include <functional>
#include <numbers>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "files/test_files.h"
#include "hone/core/error.h"

namespace hone {
namespace {

DistributionPointer unit_uniform() {
  return make_distribution({"uniform", {{"low", 0}, {"high", 1}}, {}});
}

Prior named(const std::vector<std::string>& names) {
  std::vector<Parameter> parameters;
  for (const std::string& name : names) parameters.push_back({name, "", unit_uniform()});
  return Prior(std::move(parameters));
}

Prior mixed() {
  return Prior(
      {{"mass", "$M$", make_distribution({"loguniform", {{"low", 0.1}, {"high", 10}}, {}})},
       {"shift", "", make_distribution({"normal", {{"mean", 1}, {"sigma", 2}}, {}})}});
}

TEST(Prior, FindsParametersByName) {
  const Prior prior = mixed();
  EXPECT_EQ(prior.index_of("shift"), 1);
  EXPECT_EQ(prior.parameter(1).label, "shift");
  EXPECT_EQ(refusal([&] { prior.index_of("mas"); }),
            "no parameter is called 'mas'; did you mean 'mass'? allowed: mass, shift");
}

TEST(Prior, RefusesNamesThatCannotHeadAColumn) {
  EXPECT_EQ(refusal([] { named({}); }), "parameters: there must be at least one");
  EXPECT_EQ(refusal([] { named({"a", ""}); }), "parameters[1].name = '': must not be empty");
  EXPECT_EQ(refusal([] {
              named({"a", "b", "a"});
            }),
            "parameters[2].name = 'a': already the name of parameters[0]");
  for (const char* name : {"a,b", "12", "a\nb", " a", "a\"b"}) {
    SCOPED_TRACE(name);
    refusal([name] { named({name}); });
  }
  EXPECT_NO_THROW(named({"log10 M", "Ω_m", "x1"}));
}

TEST(Prior, MapsRowsToUnitCoordinatesAndBack) {
  const Prior prior = mixed();
  Matrix<double> theta(3, 2);
  const double rows[3][2] = {{0.2, -3}, {1, 1}, {9, 4}};
  for (int i = 0; i < 3; ++i) {
    for (int d = 0; d < 2; ++d) theta(i, d) = rows[i][d];
  }
  Matrix<double> u(3, 2);
  prior.to_unit(u, theta);
  EXPECT_DOUBLE_EQ(u(1, 0), 0.5);
  EXPECT_DOUBLE_EQ(u(1, 1), 0.5);
  Matrix<double> back(3, 2);
  prior.to_theta(back, u);
  for (int i = 0; i < 3; ++i) {
    for (int d = 0; d < 2; ++d) EXPECT_NEAR(back(i, d), theta(i, d), 1e-13);
  }
}

TEST(Prior, LogDensityIsTheSumOverAxes) {
  const Prior prior = mixed();
  const double theta[] = {1, 1};
  const double exact = -std::log(std::log(100.0)) - std::log(2 * std::sqrt(2 * std::numbers::pi));
  EXPECT_NEAR(prior.log_density(theta), exact, 1e-14);
}

TEST(Prior, SurvivesJson) {
  const Prior prior = mixed();
  const Prior again = prior_from_json(nlohmann::json::parse(to_json(prior).dump()));
  EXPECT_EQ(again, prior);
  EXPECT_FALSE(again == named({"mass", "shift"}));
}

TEST(Prior, JsonRefusalsSayWhere) {
  const auto refused = [](const char* text) {
    return refusal([text] { prior_from_json(nlohmann::json::parse(text)); });
  };
  EXPECT_EQ(refused("{}"), "parameters: must be a list of tables");
  EXPECT_EQ(refused("[3]"), "parameters[0]: must be a table with name, label and prior");
  EXPECT_EQ(refused(R"([{"prior":{}}])"), "parameters[0].name: missing");
  EXPECT_EQ(refused(R"([{"name":"a"}])"), "parameters[0].prior: missing");
  EXPECT_EQ(refused(R"([{"name":7,"prior":{"kind":"exponential","scale":1}}])"),
            "parameters[0].name: must be text");
  EXPECT_EQ(
      refused(R"([{"name":"a","pior":{}}])"),
      "parameters[0]: unknown field 'pior'; did you mean 'prior'? allowed: name, label, prior, "
      "correlations");
  EXPECT_EQ(refused(R"([{"name":"a","prior":{"kind":"uniform","low":1,"high":0}}])"),
            "parameters[0].prior.high = 0: must be greater than low = 1");
}

}  // namespace
}  // namespace hone
