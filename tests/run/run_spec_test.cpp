#include "hone/run/run_spec.h"

#include <gtest/gtest.h>

#include "files/test_files.h"

namespace hone {
namespace {

using Json = nlohmann::json;

RunSpec some_spec() {
  SimulatorSpec simulator;
  simulator.task = "torus";
  return {.name = "some",
          .simulator = simulator,
          .seed = 3,
          .prior = prior_from_json(
              Json::parse(R"([{"name": "a", "prior": {"kind": "uniform", "low": 0, "high": 1}}])")),
          .observation = {0.5},
          .marginals = {{0}},
          .options = preset("paper")};
}

TEST(RunSpec, ComesBackAsItWasWritten) {
  const Json json = to_json(some_spec());
  EXPECT_EQ(json.at("format"), 4);
  EXPECT_EQ(Json(to_json(run_spec_from_json(json))), json);
  EXPECT_TRUE(run_spec_from_json(json).options == preset("paper"));
}

TEST(RunSpec, OfAnOlderFormatMeansByAMissingOptionWhatHoneDidThen) {
  Json json = to_json(some_spec());
  json["format"] = 1;
  json["options"] = {{"budget", 500}};
  InferenceOptions expected = old_run_defaults();
  expected.budget = 500;
  EXPECT_TRUE(run_spec_from_json(json).options == expected);
  EXPECT_FALSE(expected.round_minimum == preset("default").round_minimum);
}

TEST(RunSpec, OfTodayMustHaveEveryOption) {
  Json json = to_json(some_spec());
  json["options"].erase("round_minimum");
  EXPECT_TRUE(contains(refusal([&] { run_spec_from_json(json); }), "options.round_minimum"));
}

TEST(RunSpec, OfAnUnknownFormatIsRefused) {
  Json json = to_json(some_spec());
  for (const int format : {0, 5}) {
    json["format"] = format;
    const auto text = error_text([&] { run_spec_from_json(json); });
    EXPECT_TRUE(contains(text, "reads formats 1 to 4")) << text;
  }
}

}  // namespace
}  // namespace hone
