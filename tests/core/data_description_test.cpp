#include "hone/core/data_description.h"

#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "hone/core/error.h"

namespace hone {
namespace {

DataDescription spectrum_and_map() {
  return DataDescription(
      {{.name = "spectrum", .kind = DataKind::series, .shape = {20}},
       {.name = "map", .kind = DataKind::image, .shape = {4, 5}, .label = "sky", .unit = "mK"},
       {.name = "total", .kind = DataKind::vector, .shape = {1}}});
}

std::string message_of(const std::string& text) {
  try {
    data_description_from_json(nlohmann::json::parse(text));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    return error.what();
  }
  return "accepted";
}

TEST(DataDescription, NamesColumns) {
  const DataDescription data = spectrum_and_map();
  EXPECT_EQ(data.size(), 41);
  EXPECT_EQ(data.name_of(0), "spectrum[0]");
  EXPECT_EQ(data.name_of(17), "spectrum[17]");
  EXPECT_EQ(data.name_of(20), "map[0,0]");
  EXPECT_EQ(data.name_of(20 + 3 * 5 + 4), "map[3,4]");
  EXPECT_EQ(data.name_of(40), "total");
}

TEST(DataDescription, SaysNothingWhereNothingIsDeclared) {
  const DataDescription nothing;
  EXPECT_FALSE(nothing.declared());
  EXPECT_EQ(nothing.name_of(17), "column 17");
  EXPECT_NO_THROW(nothing.check_size(3));
  EXPECT_EQ(data_description_from_json(nlohmann::json::array()), nothing);
}

TEST(DataDescription, SurvivesJson) {
  const DataDescription data = spectrum_and_map();
  EXPECT_EQ(data_description_from_json(nlohmann::json::parse(to_json(data).dump())), data);
  EXPECT_EQ(to_json(data)[1].dump(),
            R"({"name":"map","kind":"image","shape":[4,5],"label":"sky","unit":"mK"})");
  EXPECT_FALSE(to_json(data)[0].contains("unit"));
}

TEST(DataDescription, SaysWhereValuesMayBeMissing) {
  const DataDescription data(
      {{.name = "a", .shape = {2}},
       {.name = "b", .shape = {1}, .missing = Missing::simulated},
       {.name = "c", .kind = DataKind::set, .shape = {2}, .missing = Missing::random}});
  EXPECT_EQ(data.may_be_missing(), (std::vector<char>{0, 0, 1, 1, 1}));
  EXPECT_TRUE(spectrum_and_map().may_be_missing().empty());
  EXPECT_EQ(data_description_from_json(nlohmann::json::parse(to_json(data).dump())), data);
  EXPECT_EQ(to_json(data)[1].dump(), R"({"name":"b","kind":"vector","shape":[1],"missing":true})");
  EXPECT_EQ(to_json(data)[2]["missing"], "random");
  EXPECT_FALSE(to_json(data)[0].contains("missing"));
  const double nan = std::nan("");
  EXPECT_NO_THROW(data.check_gaps(std::vector<double>{1, 2, nan, nan, nan}));
  EXPECT_THROW(data.check_gaps(std::vector<double>{1, nan, 2, 3, 4}), Error);
  EXPECT_THROW(DataDescription().check_gaps(std::vector{nan}), Error);
  EXPECT_EQ(message_of(R"([{"name":"m","kind":"vector","shape":[1],"missing":"often"}])"),
            "data 'm': missing must be true, false or \"random\"");
}

TEST(DataDescription, RefusesASizeThatDoesNotAddUp) {
  EXPECT_NO_THROW(spectrum_and_map().check_size(41));
  try {
    spectrum_and_map().check_size(40);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "data: the blocks have 41 values ('spectrum' 20, 'map' 20, 'total' 1), the "
                 "observation has 40");
  }
}

TEST(DataDescription, RefusesWhatMakesNoSenseWithTheName) {
  EXPECT_EQ(
      message_of(R"([{"name":"map","kind":"image","shape":[4]}])"),
      "data 'map': the shape [4] does not fit the kind 'image'; it must be [rows, columns] or "
      "[rows, columns, channels]");
  EXPECT_EQ(message_of(R"([{"name":"a","kind":"vector","shape":[2]},
                           {"name":"a","kind":"vector","shape":[3]}])"),
            "data: there are two blocks 'a'");
  EXPECT_NE(message_of(R"([{"name":"map","kind":"imagee","shape":[4,5]}])").find("'image'"),
            std::string::npos);
  for (const char* text :
       {"3", "{}", "[3]", "[{}]", R"([{"name":3,"kind":"image","shape":[4,5]}])",
        R"([{"name":"map","shape":[4,5]}])", R"([{"name":"map","kind":"image"}])",
        R"([{"name":"map","kind":"image","shape":4}])",
        R"([{"name":"map","kind":"image","shape":[4,0]}])",
        R"([{"name":"map","kind":"image","shape":[4,-5]}])",
        R"([{"name":"map","kind":"image","shape":[4,5.5]}])",
        R"([{"name":"map","kind":"image","shape":[4294967296,4294967296]}])",
        R"([{"name":"map","kind":"image","shape":[4,5],"unit":7}])",
        R"([{"name":"a[0]","kind":"vector","shape":[4]}])",
        R"([{"name":"","kind":"vector","shape":[4]}])"}) {
    EXPECT_NE(message_of(text), "accepted") << text;
  }
}

}  // namespace
}  // namespace hone
