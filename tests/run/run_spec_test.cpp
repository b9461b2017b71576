#include "hone/run/run_spec.h"

#include <filesystem>
#include <set>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "files/test_files.h"
#include "hone/inference/option_table.h"

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
  EXPECT_EQ(json.at("format"), 5);
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

// The options that each format added to those of the formats before.
Json added_options() {
  return Json::parse(bytes_of(HONE_SOURCE_DIR "/tests/run/data/options.json"));
}

std::set<std::string> options_of(int format) {
  const Json added = added_options();
  std::set<std::string> names;
  for (int one = 1; one <= format; ++one) {
    for (const Json& name : added.at(std::to_string(one))) names.insert(name);
  }
  return names;
}

// Every option must be in a run.json of the newest format. One that is added to that format instead
// of the next makes runs unreadable that were made the day before.
TEST(RunSpec, OptionsThatAreAddedRaiseTheFormat) {
  const Json json = to_json(some_spec());
  const int format = json.at("format");
  ASSERT_EQ(added_options().size(), static_cast<std::size_t>(format));
  std::set<std::string> names;
  for (const auto& [name, value] : json.at("options").items()) names.insert(name);
  EXPECT_EQ(names, options_of(format))
      << "raise kFormat in run/run_spec.cpp, say in inference/old_run_defaults.cpp what hone did "
         "without the new option, and add the new format to tests/run/data/options.json; the lists "
         "of formats that are there already must not change";
}

TEST(RunSpec, OfEveryOlderFormatNeedsOnlyTheOptionsThatItHad) {
  const Json newest = to_json(some_spec());
  const Json then = to_json(old_run_defaults());
  for (int format = 1; format < newest.at("format"); ++format) {
    Json json = newest, expected = then;
    json["format"] = format;
    json["options"] = Json::object();
    for (const std::string& name : options_of(format)) {
      json["options"][name] = expected[name] = newest.at("options").at(name);
    }
    EXPECT_EQ(Json(to_json(run_spec_from_json(json).options)), expected) << format;
    json["format"] = newest.at("format");
    EXPECT_TRUE(contains(refusal([&] { run_spec_from_json(json); }), "missing")) << format;
  }
}

// What old_formats_test.cpp works with.
TEST(RunSpec, OfEveryOlderFormatHasRunsThatTestsOpen) {
  for (int format = 1; format < to_json(some_spec()).at("format"); ++format) {
    for (const char* run : {"finished", "unfinished"}) {
      const auto file =
          fmt::format("{}/tests/run/data/format-{}/{}/run.json", HONE_SOURCE_DIR, format, run);
      ASSERT_TRUE(std::filesystem::exists(file)) << "make it with the last version that wrote this "
                                                    "format, as tests/run/data/README.md says";
      EXPECT_EQ(Json::parse(bytes_of(file)).at("format"), format) << file;
    }
  }
}

TEST(RunSpec, OfAnUnknownFormatIsRefused) {
  Json json = to_json(some_spec());
  for (const int format : {0, 6}) {
    json["format"] = format;
    const auto text = error_text([&] { run_spec_from_json(json); });
    EXPECT_TRUE(contains(text, "reads formats 1 to 5")) << text;
  }
}

}  // namespace
}  // namespace hone
