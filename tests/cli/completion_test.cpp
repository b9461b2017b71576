#include <algorithm>
#include <cstdio>
#include <fstream>
#include <regex>
#include <sstream>

#include "cli/program.h"

namespace hone {
namespace {

// Asks bash as it asks the script when the user presses the tab key after these words.
class Completion : public testing::Test {
 protected:
  void SetUp() override {
    const ProgramResult script = run_program(scratch.path(), {"completion", "bash"});
    ASSERT_EQ(script.code, 0) << script;
    std::ofstream(scratch.path() / "hone.bash") << script.out;
    std::ofstream(scratch.path() / "my problem.toml") << "";
  }

  std::vector<std::string> offered(const std::string& words) {
    const std::string command = "cd '" + scratch.path().string() +
                                "' && bash -c 'source ./hone.bash; COMP_WORDS=(" + words +
                                "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _hone; "
                                "printf \"%s\\n\" \"${COMPREPLY[@]}\"'";
    FILE* pipe = popen(command.c_str(), "r");
    std::string text;
    for (int c = fgetc(pipe); c != EOF; c = fgetc(pipe)) text += static_cast<char>(c);
    EXPECT_EQ(pclose(pipe), 0) << command;
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
      if (!line.empty()) lines.push_back(line);
    }
    return lines;
  }

  TemporaryDirectory scratch;
};

using Words = std::vector<std::string>;

TEST_F(Completion, OffersCommandsAndTheCommandsBelowThem) {
  EXPECT_EQ(offered("hone re"), (Words{"resume", "report"}));
  EXPECT_EQ(offered("hone bench rot"), Words{"rotated_eggbox"});
  EXPECT_EQ(offered("hone nonsense"), Words{});
}

TEST_F(Completion, OffersEveryOptionOfTheHelpAndNoOther) {
  const std::string help = run_program(scratch.path(), {"run", "--help"}).out;
  Words flags;
  const std::regex flag("\n  (?:-[a-z],)?(--[a-z0-9-]+)");
  for (std::sregex_iterator it(help.begin(), help.end(), flag), end; it != end; ++it) {
    flags.push_back((*it)[1]);
  }
  ASSERT_GT(flags.size(), 50u);
  Words found = offered("hone run --");
  std::ranges::sort(found);
  std::ranges::sort(flags);
  EXPECT_EQ(found, flags);
}

TEST_F(Completion, OffersTasksMethodsPresetsAndValues) {
  EXPECT_EQ(offered("hone run two"), Words{"two_moons"});
  EXPECT_EQ(offered("hone run my"), Words{"my problem.toml"});
  EXPECT_EQ(offered("hone run torus --method tm"), Words{"tmnre"});
  EXPECT_EQ(offered("hone run torus --preset = pap"), (Words{"paper", "paper_spectra"}));
  EXPECT_EQ(offered("hone run --optimizer ad"), (Words{"adam", "adamw"}));
  EXPECT_EQ(offered("hone bench sbibm --tasks two"), Words{"two_moons"});
  EXPECT_EQ(offered("hone completion z"), Words{"zsh"});
  EXPECT_EQ(offered("hone run --budget t"), Words{}) << "a number: no task is offered";
  EXPECT_EQ(offered("hone run --dry-run two"), Words{"two_moons"}) << "a flag takes no value";
}

TEST_F(Completion, OfZshKnowsTheSameWords) {
  const std::string script = run_program(scratch.path(), {"completion", "zsh"}).out;
  EXPECT_TRUE(script.starts_with("#compdef hone\n"));
  for (const char* part : {"_hone_bench_sbibm()", "(adam adamw)", "two_moons", "paper_spectra"}) {
    EXPECT_TRUE(contains(script, part)) << part;
  }
  std::ofstream(scratch.path() / "_hone") << script;
  const std::string check =
      "! command -v zsh >/dev/null || zsh -n '" + scratch.path().string() + "/_hone'";
  EXPECT_EQ(std::system(check.c_str()), 0);
  expect_refused(run_program(scratch.path(), {"completion", "fish"}), 2, {"bash", "zsh"});
}

}  // namespace
}  // namespace hone
