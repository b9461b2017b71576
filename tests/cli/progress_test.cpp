#include <algorithm>
#include <regex>

#include "cli/program.h"

namespace hone {
namespace {

// Enough work for a few redraws.
Arguments visible_run(const std::string& output) {
  return {"run",
          "torus",
          "-o",
          output,
          "--budget",
          "3000",
          "--max-epochs",
          "60",
          "--learning-rate",
          "0.005",
          "--estimators",
          "ratio",
          "--ensemble",
          "1",
          "--round-ensemble",
          "1",
          "--patience",
          "60"};
}

// What stands on the terminal in the end, and every state of a line on the way. Knows \r, \n,
// and "erase to the end of the line".
struct Screen {
  std::vector<std::string> lines{""};
  std::vector<std::string> drawn;  // states of the last line

  explicit Screen(const std::string& text) {
    std::size_t at = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      std::string& line = lines.back();
      if (text.compare(i, 3, "\x1b[K") == 0) {
        line.resize(std::min(line.size(), at));
        drawn.push_back(line);
        i += 2;
      } else if (text[i] == '\r') {
        at = 0;
      } else if (text[i] == '\n') {
        lines.emplace_back();
        at = 0;
      } else {
        line.resize(std::max(line.size(), at + 1), ' ');
        line[at++] = text[i];
      }
    }
  }
};

bool any_matches(const std::vector<std::string>& lines, const char* pattern) {
  const std::regex regex(pattern);
  return std::any_of(lines.begin(), lines.end(),
                     [&](const std::string& line) { return std::regex_search(line, regex); });
}

TEST(Progress, APipeGetsPlainLines) {
  const TemporaryDirectory scratch;
  const ProgramResult result = run_program(scratch.path(), small_run("run"));
  EXPECT_EQ(result.code, 0) << result;
  for (const std::string& text : {result.out, result.err}) {
    EXPECT_EQ(text.find('\r'), std::string::npos) << text;
    EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
  }
  for (const char* part : {"writing to run\n", "round 1, prior mass 1: 200 simulations\n",
                           "round 2, prior mass ", "final region, prior mass ", "network epochs"}) {
    EXPECT_TRUE(contains(result.err, part)) << part << "\n" << result;
  }
  for (const char* part : {"theta_2", "68 % interval", "time: ", "results: run\n"}) {
    EXPECT_TRUE(contains(result.out, part)) << part << "\n" << result;
  }
}

TEST(Progress, ATerminalGetsABarThatFitsAndLeavesNothingBehind) {
  if (!terminals_exist()) GTEST_SKIP() << "there are no pseudo-terminals here";
  const TemporaryDirectory scratch;
  RunningProgram program(scratch.path(), visible_run("run"), RunningProgram::Output::terminal, 80);
  const ProgramResult result = program.wait();
  EXPECT_EQ(result.code, 0) << result;
  const Screen screen(result.out);
  EXPECT_TRUE(any_matches(screen.drawn, "^round 2, prior mass [0-9.e-]+  train +\\[#*\\.*\\]"));
  EXPECT_TRUE(any_matches(screen.drawn, "/s +[0-9:]+ left$")) << result;
  EXPECT_TRUE(any_matches(screen.drawn, "train +\\[#+\\.+\\]")) << "training stood still";
  for (const std::string& line : screen.drawn) EXPECT_LT(line.size(), 80U) << line;
  for (const std::string& line : screen.lines) {
    EXPECT_FALSE(contains(line, "[#") || contains(line, "[.")) << "left behind: " << line;
  }
  EXPECT_TRUE(contains(result.out, "results: run"));
}

TEST(Progress, ANarrowTerminalGetsWhatFits) {
  if (!terminals_exist()) GTEST_SKIP() << "there are no pseudo-terminals here";
  const TemporaryDirectory scratch;
  for (const int columns : {20, 45, 60}) {
    const std::string name = "run" + std::to_string(columns);
    RunningProgram program(scratch.path(), small_run(name), RunningProgram::Output::terminal,
                           columns);
    const ProgramResult result = program.wait();
    EXPECT_EQ(result.code, 0) << result;
    const Screen screen(result.out);
    ASSERT_FALSE(screen.drawn.empty());
    for (const std::string& line : screen.drawn) {
      EXPECT_LT(line.size(), static_cast<std::size_t>(columns)) << line;
    }
  }
}

// "time: 20.7 s, check 0.9 s (4 %), simulate 0.2 s (1 %), train 19.2 s (93 %), other 0.4 s (2 %)"
TEST(Progress, TheTimeByStageIsPrintedAndLittleOfItIsOther) {
  const TemporaryDirectory scratch;
  const ProgramResult result = run_program(
      scratch.path(), {"run", "torus", "-o", "run", "--budget", "8000", "--max-epochs", "30",
                       "--estimators", "ratio", "--ensemble", "2", "--round-ensemble", "1"});
  EXPECT_EQ(result.code, 0) << result;
  std::smatch match;
  const std::regex times(
      "time: ([0-9.]+) s, check ([0-9.]+) s \\(\\d+ %\\), simulate ([0-9.]+) s \\(\\d+ %\\), train "
      "([0-9.]+) s \\(\\d+ %\\), other ([0-9.]+) s \\((\\d+) %\\)");
  ASSERT_TRUE(std::regex_search(result.out, match, times)) << result;
  EXPECT_LT(std::stoi(match[6]), 10) << match[0];
  double sum = 0;
  for (std::size_t stage = 2; stage <= 5; ++stage) sum += std::stod(match[stage]);
  EXPECT_NEAR(std::stod(match[1]), sum, 0.25);
}

}  // namespace
}  // namespace hone
