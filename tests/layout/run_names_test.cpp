// Names of files in a run directory are spelled by run/run_directory.* alone.
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace {

namespace fs = std::filesystem;

// Others that may, each with its reason.
const std::map<std::string, std::string> kExceptions = {
    {"src/hone/problem/noise_spec.cpp",
     "a value inside run.json that says where the covariance is; layers before run/ know no paths"},
};

bool is_home(const std::string& file) {
  return file == "src/hone/run/run_directory.h" || file == "src/hone/run/run_directory.cpp";
}

// A literal without spaces is a name; a sentence may mention report.html. Folders have ordinary
// names, so they count where a path is put together.
bool spells_a_name(const std::string& line) {
  static const std::regex file(
      R"re(["']([^"' ]*/)?(run\.json|noise\.h5|computed_with\.json|extensions\.json)re"
      R"re(|derived\.json|checks\.json|simulator\.log|progress\.json|report\.html|posterior\.h5)re"
      R"re(|summary\.json|correction\.json|predictive\.json|dataset\.npz)[^"' ]*["'])re");
  static const std::regex folder(
      R"re(/ *["'](lock|figures|chunks|simulations|rounds|networks|checks|posterior|corrected)re"
      R"re(|predictive)["'/])re"
      R"re(|["'](rounds|networks|posterior|corrected|checks|predictive|chunks|figures)/)re");
  static const std::regex comment(R"((^|[^:"])(//|#).*)");
  const std::string code = std::regex_replace(line, comment, "$1");
  return std::regex_search(code, file) || std::regex_search(code, folder);
}

TEST(RunNames, AreSpelledInOnePlace) {
  const fs::path root = HONE_SOURCE_DIR;
  int at_home = 0;
  std::set<std::string> excused;
  for (const char* top : {"src/hone", "cli", "python/hone", "python/core"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
      const std::string ending = entry.path().extension().string();
      if (ending != ".h" && ending != ".cpp" && ending != ".py") continue;
      const std::string name = fs::relative(entry.path(), root).string();
      std::ifstream lines(entry.path());
      for (std::string line; std::getline(lines, line);) {
        if (!spells_a_name(line)) continue;
        if (is_home(name)) {
          ++at_home;
        } else if (kExceptions.contains(name)) {
          excused.insert(name);
        } else {
          ADD_FAILURE() << name << ": use a function of RunDirectory instead of the name in"
                        << line;
        }
      }
    }
  }
  EXPECT_GT(at_home, 10) << "the pattern finds nothing any more";
  EXPECT_EQ(excused.size(), kExceptions.size()) << "an exception is not needed any more";
}

TEST(RunNames, NegativeControlNamesAreFoundAndSentencesAreNot) {
  for (const char* line :
       {R"(write(run.path() / "figures");)", R"(const auto file = path / "progress.json";)",
        R"(open(directory / "simulator.log"))", R"(REPORT = 'report.html')",
        R"(if (name.starts_with("corrected/")) return;)", R"(read("posterior/summary.json"))",
        R"(std::ifstream lock(run / "lock");)"}) {
    EXPECT_TRUE(spells_a_name(line)) << line;
  }
  for (const char* line :
       {R"(fail("there is no run.json in it");)", R"(json["simulations"] = 3;)",
        R"(// the path inside the run, such as "rounds/round-01.h5")", R"(Stage("networks"))",
        R"("report", "Write report.html and figures of a finished run into its directory")"}) {
    EXPECT_FALSE(spells_a_name(line)) << line;
  }
}

}  // namespace
