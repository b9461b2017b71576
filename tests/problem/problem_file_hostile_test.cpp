// Problem files cut or changed at random: an Error{input} or a problem, never a crash.
#include <random>

#include <gtest/gtest.h>

#include "problem/problem_files.h"

namespace hone {
namespace {

class HostileProblemFile : public ProblemFiles {
 protected:
  void survives(const std::string& text) {
    try {
      read(text);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input) << error.what();
      EXPECT_TRUE(contains(error.what(), "problem.toml")) << error.what();
      EXPECT_LT(std::string(error.what()).size(), 4000u);
    }
  }
};

TEST_F(HostileProblemFile, MayBeCutAnywhere) {
  const std::string text = starter_problem_file() + good_problem();
  for (const std::string& good : {good_problem(), starter_problem_file(), text}) {
    for (std::size_t length = 0; length < good.size(); ++length) survives(good.substr(0, length));
  }
}

TEST_F(HostileProblemFile, MayBeChangedAtRandom) {
  const std::string good = good_problem() + "marginals = [\"1d\", [\"mass\", \"age\"]]\nseed = 3\n";
  const std::string alphabet = "\n\"'[]{}=.,#\\0123456789eE+-_naif truxX\t\xff\x80";
  std::mt19937 random(2);
  for (int trial = 0; trial < 6000; ++trial) {
    std::string changed = good;
    for (int i = 0; i < 1 + trial % 5; ++i) {
      const std::size_t place = random() % changed.size();
      const char letter =
          trial % 2 == 0 ? alphabet[random() % alphabet.size()] : static_cast<char>(random());
      if (random() % 3 == 0) {
        changed.insert(place, 1, letter);
      } else if (random() % 3 == 0) {
        changed.erase(place, 1 + random() % 10);
      } else {
        changed[place] = letter;
      }
    }
    survives(changed);
  }
}

TEST_F(HostileProblemFile, MayHaveItsLinesShuffled) {
  std::vector<std::string> lines;
  std::istringstream text(good_problem());
  for (std::string line; std::getline(text, line);) lines.push_back(line + "\n");
  std::mt19937 random(4);
  for (int trial = 0; trial < 1000; ++trial) {
    std::string mixed;
    for (int i = 0; i < 12; ++i) mixed += lines[random() % lines.size()];
    survives(mixed);
  }
}

TEST_F(HostileProblemFile, MayNestWithoutEnd) {
  std::string dots = "a";
  for (int i = 0; i < 300000; ++i) dots += ".a";
  survives(dots + " = 1\n");
  survives("[" + dots + "]\n");
  survives("a = " + std::string(100000, '[') + "\n");
  survives("a = " + std::string(200, '[') + std::string(200, ']') + "\n");
  std::string tables = "a = ";
  for (int i = 0; i < 100000; ++i) tables += "{a = ";
  survives(tables);
  std::string both = "a = ";
  for (int i = 0; i < 31; ++i) both += "{a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a = ";
  survives(both + "1" + std::string(31, '}') + "\n");
  survives(std::string(100000, '\0'));
  survives("\xff\xfe" + good_problem());
  survives("[simulator]\ntask = \"" + std::string(100000, 'x') + "\"\n");
  survives(std::string(std::size_t{9} << 20, '#'));
}

TEST_F(HostileProblemFile, MayBeADirectoryOrMissing) {
  const auto place = directory_.path() / "problem.toml";
  EXPECT_TRUE(contains(error_text([&] { read_problem_file(place); }, ErrorKind::input),
                       "problem.toml: cannot open: No such file"));
  std::filesystem::create_directory(place);
  EXPECT_TRUE(contains(error_text([&] { read_problem_file(place); }, ErrorKind::input),
                       "not a regular file"));
}

}  // namespace
}  // namespace hone
