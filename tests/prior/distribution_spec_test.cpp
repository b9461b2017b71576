#include "hone/prior/distribution_spec.h"

#include <cmath>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "files/test_files.h"
#include "hone/core/error.h"
#include "hone/core/suggestion.h"
#include "hone/prior/distribution.h"

namespace hone {
namespace {

DistributionPointer make(const std::string& text) {
  return make_distribution(distribution_spec_from_json(nlohmann::json::parse(text)));
}

// The message with which the spec is refused as wrong input.
std::string refusal(const std::string& text) {
  return error_text([&] { make(text); }, ErrorKind::input);
}

TEST(DistributionSpec, SurvivesJsonBitForBit) {
  for (const char* text :
       {R"({"kind":"uniform","low":0.1,"high":0.30000000000000004})",
        R"({"kind":"truncated_normal","mean":1e-300,"sigma":3.0000000000000004,"low":-0.1})",
        R"({"kind":"tabulated","x":[0.1,0.2,0.7],"density":[1e-17,5e-324,0.3]})"}) {
    const DistributionSpec spec = make(text)->spec();
    const auto again = nlohmann::json::parse(to_json(spec).dump());
    EXPECT_EQ(make_distribution(distribution_spec_from_json(again))->spec(), spec) << text;
  }
}

TEST(DistributionSpec, FillsDefaultsAndReplacesAliases) {
  const DistributionSpec spec = make(R"({"kind":"student_t","df":3})")->spec();
  EXPECT_EQ(spec.number("degrees_of_freedom"), 3);
  EXPECT_EQ(spec.number("location"), 0);
  EXPECT_EQ(spec.number("scale"), 1);
  EXPECT_FALSE(spec.numbers.contains("df"));
}

TEST(DistributionSpec, RefusalsNameFieldValueAndLimit) {
  EXPECT_EQ(refusal(R"({"kind":"uniform","low":1,"high":0})"),
            "prior.high = 0: must be greater than low = 1");
  EXPECT_EQ(refusal(R"({"kind":"normal","mean":0,"sigma":-2})"),
            "prior.sigma = -2: must be greater than 0");
  EXPECT_EQ(refusal(R"({"kind":"gamma","shape":1e9,"scale":1})"),
            "prior.shape = 1000000000: must be at most 1000000");
  EXPECT_EQ(refusal(R"({"kind":"beta","alpha":0,"beta":1})"),
            "prior.alpha = 0: must be greater than 0.001");
  EXPECT_EQ(refusal(R"({"kind":"loguniform","low":0,"high":2})"),
            "prior.low = 0: must be greater than 0");
  EXPECT_EQ(refusal(R"({"kind":"triangular","low":0,"mode":-1,"high":2})"),
            "prior.mode = -1: must be at least low = 0");
  EXPECT_EQ(refusal(R"({"kind":"triangular","low":0,"mode":3,"high":2})"),
            "prior.mode = 3: must be at most high = 2");
  EXPECT_EQ(refusal(R"({"kind":"truncated_normal","mean":0,"sigma":1,"low":1,"high":1})"),
            "prior.high = 1: must be greater than low = 1");
  EXPECT_EQ(refusal(R"({"kind":"uniform","low":0})"),
            "prior.high: missing; 'uniform' needs it (upper end)");
  EXPECT_EQ(refusal(R"({"kind":"uniform","low":0,"high":[1,2]})"),
            "prior.high: must be one number, not a list");
  EXPECT_EQ(refusal(R"({"kind":"uniform","low":0,"high":"1"})"),
            "prior.high = \"1\": must be a number");
  EXPECT_EQ(refusal(R"({"kind":"uniform","low":0,"high":true})"),
            "prior.high = true: must be a number");
  EXPECT_EQ(refusal(R"({"kind":"normal","mean":0,"sigma":1,"std":1})"),
            "prior.sigma: given twice, as 'std' and under another name; keep one");
  EXPECT_EQ(refusal(R"({"kind":"uniform","low":-1.7e308,"high":1.7e308})"),
            "prior.high = 1.7e+308: high - low = inf is out of the range of double precision");
  EXPECT_EQ(refusal(R"({"kind":"truncated_normal","mean":0,"sigma":1})"),
            "prior: a truncated_normal needs low or high; without both use 'normal'");
  EXPECT_EQ(refusal(R"({"kind":"truncated_normal","mean":0,"sigma":1e-308,"low":1e10})"),
            "prior.sigma = 1e-308: too small for the distance of [10000000000, inf] from mean = 0");
  DistributionSpec spec{"uniform", {{"low", 0}, {"high", std::nan("")}}, {}};
  EXPECT_THROW(make_distribution(spec), Error);
  spec.numbers["high"] = HUGE_VAL;
  EXPECT_THROW(make_distribution(spec), Error);
}

TEST(DistributionSpec, UnknownWordsAreAnsweredWithTheNearest) {
  const std::string kind = refusal(R"({"kind":"unifrom","low":1,"high":0})");
  EXPECT_NE(kind.find("prior.kind = 'unifrom': unknown; did you mean 'uniform'?"), kind.npos);
  EXPECT_NE(kind.find("tabulated"), kind.npos);
  EXPECT_EQ(refusal(R"({"kind":"uniform","low":0,"hihg":1})"),
            "prior: 'uniform' has no field 'hihg'; did you mean 'high'? allowed: low, high");
  EXPECT_NE(refusal(R"({"kind":"Truncated Normal"})").find("'truncated_normal'?"), kind.npos);
  EXPECT_EQ(refusal(R"({"kind":"zzzzzzzzzz"})").find("did you mean"), kind.npos);
}

TEST(DistributionSpec, RefusesWhatIsNoSpecAtAll) {
  EXPECT_NE(refusal("3").find("must be a table"), std::string::npos);
  EXPECT_NE(refusal("[1]").find("must be a table"), std::string::npos);
  EXPECT_EQ(refusal("{}"), "prior.kind: missing");
  EXPECT_EQ(refusal(R"({"kind":3})"), "prior.kind = 3: must be a name");
  EXPECT_EQ(refusal(R"({"kind":"tabulated","x":[0,"a"],"density":[1,1]})"),
            "prior.x[1] = \"a\": must be a number");
}

TEST(DistributionSpec, TabulatedGridsAreChecked) {
  EXPECT_EQ(refusal(R"({"kind":"tabulated","x":[0],"density":[1]})"),
            "prior.x: has 1 points; must have at least 2");
  EXPECT_EQ(refusal(R"({"kind":"tabulated","x":[0,1],"density":[1]})"),
            "prior.density: has 1 values; must have one for each of the 2 points of x");
  EXPECT_EQ(refusal(R"({"kind":"tabulated","x":[0,1,1],"density":[1,1,1]})"),
            "prior.x[2] = 1: must be greater than x[1] = 1");
  EXPECT_EQ(refusal(R"({"kind":"tabulated","x":[0,1],"density":[1,-1]})"),
            "prior.density[1] = -1: must not be negative");
  EXPECT_EQ(refusal(R"({"kind":"tabulated","x":[0,1],"density":[0,0]})"),
            "prior.density: must be positive somewhere");
  EXPECT_EQ(refusal(R"({"kind":"tabulated","x":1,"density":[0,0]})"),
            "prior.x: must be a list of numbers");
}

}  // namespace
}  // namespace hone
