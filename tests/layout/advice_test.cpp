// Messages of the library reach the command line and Python alike: what to do is an Action
// (core/error.h), which each of them phrases.
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include <gtest/gtest.h>

namespace {

namespace fs = std::filesystem;

// Who may name a command, how often, and why.
const std::map<std::string, int> kKnown = {
    {"core/error.cpp", 15},                 // the words of the command line
    {"inference/option_reference.cpp", 2},  // a page about commands
    {"inference/option_table.cpp", 1},      // the same
    {"problem/starter_problem.cpp", 1},     // a file that `hone init` writes
    {"run/chunks.cpp", 3},                  // chunks are made and carried out by commands alone
};

bool names_a_command(const std::string& line) {
  const auto command = line.find("`hone ");
  return command != std::string::npos && line.rfind('"', command) != std::string::npos &&
         line.find("//") > command;
}

TEST(Advice, NamesNoCommandInTheLibrary) {
  const fs::path root = fs::path(HONE_SOURCE_DIR) / "src/hone";
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") continue;
    const std::string name = fs::relative(entry.path(), root).string();
    std::ifstream lines(entry.path());
    int found = 0;
    for (std::string line; std::getline(lines, line);) found += names_a_command(line) ? 1 : 0;
    const auto known = kKnown.find(name);
    EXPECT_EQ(found, known == kKnown.end() ? 0 : known->second)
        << "src/hone/" << name << ": use an Action, which Python phrases as a call";
  }
}

TEST(Advice, NegativeControlCommandsAreFound) {
  EXPECT_TRUE(names_a_command(R"("; go on with `hone resume`")"));
  EXPECT_FALSE(names_a_command("// what `hone resume` does"));
  EXPECT_FALSE(names_a_command("#include \"a.h\"  // `hone resume`"));
}

}  // namespace
