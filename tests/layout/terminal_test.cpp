// Commands print through cli/text.h, which makes the text of others harmless.
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <string>

#include <gtest/gtest.h>

namespace {

namespace fs = std::filesystem;

// Who may write to the terminal directly, how often, and why.
const std::map<std::string, int> kDirect = {
    {"text.cpp", 2},            // the door itself
    {"progress.cpp", 2},        // draws the bar with codes of its own
    {"main.cpp", 2},            // words of the system and of hone only
    {"ask_command.cpp", 1},     // data for a program
    {"sample_command.cpp", 1},  // samples
};

bool writes_directly(const std::string& line) {
  static const std::regex call(
      R"(\b(fputs|fprintf|printf|puts|fwrite|putc)\s*\(|std::c(out|err)\b)");
  return std::regex_search(line, call);
}

TEST(Terminal, IsWrittenToInOnePlaceOnly) {
  for (const auto& entry : fs::directory_iterator(fs::path(HONE_SOURCE_DIR) / "cli")) {
    if (entry.path().extension() != ".cpp") continue;
    const std::string name = entry.path().filename().string();
    std::ifstream lines(entry.path());
    int calls = 0;
    for (std::string line; std::getline(lines, line);) calls += writes_directly(line) ? 1 : 0;
    const auto allowed = kDirect.find(name);
    EXPECT_EQ(calls, allowed == kDirect.end() ? 0 : allowed->second)
        << "cli/" << name << ": use print() or print_error() of cli/text.h";
  }
}

TEST(Terminal, NegativeControlDirectWritesAreFound) {
  EXPECT_TRUE(writes_directly("std::fprintf(stderr, \"%s\", x);"));
  EXPECT_TRUE(writes_directly("  std::cerr << name;"));
  EXPECT_FALSE(writes_directly("print_error(fmt::format(\"{}\", x));"));
}

}  // namespace
