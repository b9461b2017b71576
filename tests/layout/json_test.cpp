// All JSON is read by files/json_text.h, which limits its nesting.
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace {

namespace fs = std::filesystem;

constexpr const char* kReader = "src/hone/files/json_text.cpp";

bool reads_json_directly(const std::string& line) {
  static const std::regex call(
      R"((json|Json)::(parse|accept|sax_parse|from_(cbor|msgpack|ubjson|bson|bjdata))\s*\(|>>\s*\w*[jJ]son\b)");
  return std::regex_search(line, call);
}

TEST(Json, IsReadInOnePlaceOnly) {
  const fs::path root = HONE_SOURCE_DIR;
  int files = 0, calls_in_reader = 0;
  for (const char* top : {"src/hone", "cli", "python/core"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".h" && extension != ".cpp") continue;
      ++files;
      const std::string name = fs::relative(entry.path(), root).string();
      std::ifstream lines(entry.path());
      for (std::string line; std::getline(lines, line);) {
        if (!reads_json_directly(line)) continue;
        ++calls_in_reader;
        EXPECT_EQ(name, kReader) << "use parse_json() of files/json_text.h: " << line;
      }
    }
  }
  EXPECT_GT(files, 100);
  EXPECT_GT(calls_in_reader, 0) << "the pattern finds nothing any more";
}

TEST(Json, NegativeControlDirectCallsAreFound) {
  for (const char* line :
       {"auto a = nlohmann::json::parse(text);", "Json::parse(file, nullptr, false)",
        "OrderedJson::parse (text)", "nlohmann::ordered_json::accept(text)", "file >> json;",
        "const Json a = json::from_cbor(bytes);"}) {
    EXPECT_TRUE(reads_json_directly(line)) << line;
  }
  for (const char* line : {"parse_json(text)", "toml::parse(text)", "CommandTemplate::parse(x)"}) {
    EXPECT_FALSE(reads_json_directly(line)) << line;
  }
}

}  // namespace
