// The layers of src/hone/README.md, checked against the #include lines of the sources.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace {

namespace fs = std::filesystem;

// A folder may include itself and folders of a smaller number.
const std::map<std::string, int> kLevels = {
    {"core", 0},                                                      //
    {"prior", 1},     {"engine", 1},  {"files", 1},                   //
    {"simulator", 2}, {"store", 2},   {"metrics", 2}, {"export", 2},  //
    {"posterior", 3}, {"tasks", 3},                                   //
    {"estimate", 4},                                                  //
    {"inference", 5},                                                 //
    {"problem", 6},                                                   //
    {"run", 7},                                                       //
    {"check", 8},                                                     //
    {"report", 9},    {"mpi", 9},                                     //
    {"session", 10},                                                  //
    {"bench", 11},                                                    //
    {"cli", 12},      {"python", 12},
};

// {from, to} on one level that may include each other nevertheless, each with its reason. One
// direction only: a pair in both directions would be one folder.
const std::set<std::pair<std::string, std::string>> kSameLevelExceptions = {};

struct Include {
  std::string file;      // relative to the root of the tree
  std::string from;      // the folder it stands in: "core", "cli", ...; "" directly in src/hone
  std::string included;  // the text between the quotes or brackets
};

// The umbrella header hone/hone.h and other files directly in src/hone belong to no layer.
std::string folder_of(const fs::path& relative) {
  auto part = relative.begin();
  if (*part == "src") std::advance(part, 2);
  return std::distance(part, relative.end()) > 1 ? part->string() : "";
}

bool is_source(const fs::path& path) {
  static const std::set<std::string> extensions = {".h", ".hpp", ".cpp", ".c", ".inc"};
  return extensions.contains(path.extension().string());
}

void read_includes(std::vector<Include>& includes, const fs::path& root, const fs::path& file) {
  static const std::regex pattern(R"(^\s*#\s*include\s*["<]([^">]+)[">].*)");
  const fs::path relative = fs::relative(file, root);
  std::ifstream lines(file);
  std::smatch match;
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_match(line, match, pattern)) {
      includes.push_back({relative.string(), folder_of(relative), match[1]});
    }
  }
}

template <typename F>
void for_sources(const fs::path& root, F&& f) {
  for (const char* top : {"src/hone", "cli", "python"}) {
    if (!fs::exists(root / top)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
      if (is_source(entry.path())) f(entry.path());
    }
  }
}

std::vector<Include> includes_of(const fs::path& root) {
  std::vector<Include> includes;
  for_sources(root, [&](const fs::path& file) { read_includes(includes, root, file); });
  return includes;
}

// The folder an include leads to, "" if to none of ours: "hone/prior/region.h" -> "prior".
std::string target_of(const std::string& included) {
  static const std::regex library(R"(hone/([a-z_]+)/.*)");
  static const std::regex program(R"((cli|python)/.*)");
  std::smatch match;
  const bool ours =
      std::regex_match(included, match, library) || std::regex_match(included, match, program);
  return ours ? match[1].str() : "";
}

// What is wrong with an include, "" if nothing.
std::string layer_fault(const Include& include) {
  if (include.included.find("..") != std::string::npos) {
    return fmt::format("{}: includes {}; write it from the root, \"hone/...\"", include.file,
                       include.included);
  }
  const std::string to = target_of(include.included);
  if (include.from.empty() || to.empty() || include.from == to) return "";
  const auto from_level = kLevels.find(include.from);
  const auto to_level = kLevels.find(to);
  if (from_level == kLevels.end() || to_level == kLevels.end()) {
    return fmt::format(
        "{}: includes {}, but folder {} has no layer; add it to this test and to "
        "src/hone/README.md",
        include.file, include.included, from_level == kLevels.end() ? include.from : to);
  }
  if (to_level->second < from_level->second) return "";
  if (kSameLevelExceptions.contains({include.from, to})) return "";
  return fmt::format("{}: {} may not include {}", include.file, include.from, include.included);
}

// Where MPI is called: one file, which is a shared library of its own.
constexpr const char* kMpiFile = "src/hone/mpi/mpi_transport.cpp";

std::string mpi_fault(const Include& include) {
  static const std::regex header(R"((mpi|mpi-ext|mpicxx)\.h|boost/mpi.*)");
  if (include.file == kMpiFile || !std::regex_match(include.included, header)) return "";
  return fmt::format("{}: only {} may include <{}>", include.file, kMpiFile, include.included);
}

std::vector<std::string> mpi_calls(const fs::path& root) {
  static const std::regex call(R"(.*\bMPI_[A-Z]\w*\s*\(.*)");
  std::vector<std::string> found;
  for_sources(root, [&](const fs::path& file) {
    const std::string name = fs::relative(file, root).string();
    if (name == kMpiFile) return;
    std::ifstream lines(file);
    for (std::string line; std::getline(lines, line);) {
      if (std::regex_match(line, call)) {
        found.push_back(fmt::format("{}: only {} may call MPI", name, kMpiFile));
      }
    }
  });
  return found;
}

std::vector<std::string> faults(const fs::path& root) {
  std::vector<std::string> found = mpi_calls(root);
  for (const Include& include : includes_of(root)) {
    for (std::string fault : {layer_fault(include), mpi_fault(include)}) {
      if (!fault.empty()) found.push_back(std::move(fault));
    }
  }
  return found;
}

std::string joined(const std::vector<std::string>& lines) {
  return fmt::format("{}", fmt::join(lines, "\n"));
}

std::string text_of(const fs::path& file) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

// Folders of src/hone that the map does not name as `folder/`.
std::vector<std::string> folders_missing_from_map(const fs::path& root) {
  const std::string map = text_of(root / "src/hone/README.md");
  std::vector<std::string> missing;
  for (const auto& entry : fs::directory_iterator(root / "src/hone")) {
    const std::string name = entry.path().filename().string();
    if (entry.is_directory() && map.find(fmt::format("`{}/`", name)) == std::string::npos) {
      missing.push_back(name);
    }
  }
  return missing;
}

// A source tree in a temporary folder, removed at the end.
class SyntheticTree {
 public:
  SyntheticTree() {
    std::string name = (fs::temp_directory_path() / "hone-layers-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    root_ = name;
  }
  ~SyntheticTree() { fs::remove_all(root_); }
  SyntheticTree(const SyntheticTree&) = delete;
  SyntheticTree& operator=(const SyntheticTree&) = delete;

  const fs::path& root() const { return root_; }
  void write(const std::string& path, const std::string& text) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }

 private:
  fs::path root_;
};

TEST(Layers, NoIncludeGoesAgainstThem) {
  ASSERT_GT(includes_of(HONE_SOURCE_DIR).size(), 10U) << "no sources found";
  const auto found = faults(HONE_SOURCE_DIR);
  EXPECT_TRUE(found.empty()) << joined(found);
}

TEST(Layers, EveryFolderHasOneAndIsOnTheMap) {
  for (const auto& entry : fs::directory_iterator(fs::path(HONE_SOURCE_DIR) / "src/hone")) {
    if (!entry.is_directory()) continue;
    EXPECT_TRUE(kLevels.contains(entry.path().filename().string())) << entry.path();
  }
  const auto missing = folders_missing_from_map(HONE_SOURCE_DIR);
  EXPECT_TRUE(missing.empty()) << "not named in src/hone/README.md: " << joined(missing);
}

TEST(Layers, ExceptionsStayOnOneLevelAndInOneDirection) {
  for (const auto& [from, to] : kSameLevelExceptions) {
    EXPECT_EQ(kLevels.at(from), kLevels.at(to)) << from << " -> " << to;
    EXPECT_FALSE(kSameLevelExceptions.contains({to, from})) << from << " <-> " << to;
  }
}

TEST(Layers, NegativeControlEveryKindOfFaultIsFound) {
  const SyntheticTree tree;
  tree.write("src/hone/core/a.h", "#pragma once\n#include \"hone/engine/stack.h\"\n");
  tree.write("src/hone/engine/b.cpp", "  #  include \"hone/prior/region.h\"  // same level\n");
  tree.write("src/hone/store/deep/c.cpp", "#include <hone/report/page.h>\n");
  tree.write("src/hone/report/d.cpp", "#include \"cli/options.h\"\n");
  tree.write("src/hone/odd/e.cpp", "#include \"hone/core/rng.h\"\n");
  tree.write("src/hone/prior/g.cpp", "#include \"../engine/stack.h\"\n");
  tree.write("cli/f.cpp", "#include <mpi.h>\n  MPI_Send(x);\n");
  auto found = faults(tree.root());
  std::ranges::sort(found);
  ASSERT_EQ(found.size(), 8U) << joined(found);
  EXPECT_EQ(found[0], "cli/f.cpp: only src/hone/mpi/mpi_transport.cpp may call MPI");
  EXPECT_EQ(found[1], "cli/f.cpp: only src/hone/mpi/mpi_transport.cpp may include <mpi.h>");
  EXPECT_EQ(found[2], "src/hone/core/a.h: core may not include hone/engine/stack.h");
  EXPECT_EQ(found[3], "src/hone/engine/b.cpp: engine may not include hone/prior/region.h");
  EXPECT_NE(found[4].find("folder odd has no layer"), std::string::npos);
  EXPECT_NE(found[5].find("write it from the root"), std::string::npos);
  EXPECT_EQ(found[6], "src/hone/report/d.cpp: report may not include cli/options.h");
  EXPECT_EQ(found[7], "src/hone/store/deep/c.cpp: store may not include hone/report/page.h");
}

TEST(Layers, AllowWhatTheMapAllows) {
  const SyntheticTree tree;
  tree.write("src/hone/hone.h", "#include \"hone/report/page.h\"\n");
  tree.write("src/hone/inference/a.cpp", "#include \"hone/store/store.h\"\n#include <vector>\n");
  tree.write(kMpiFile, "#include <mpi.h>\n#include \"hone/run/run_spec.h\"\nMPI_Init(0, 0);\n");
  tree.write("src/hone/engine/c.cpp", "#include \"hone/engine/stack.h\"\n");
  tree.write("cli/d.cpp", "#include \"hone/hone.h\"\n#include \"hone/report/page.h\"\n");
  EXPECT_EQ(joined(faults(tree.root())), "");
}

TEST(Layers, NegativeControlAFolderMissingFromTheMapIsFound) {
  const SyntheticTree tree;
  tree.write("src/hone/README.md", "| `core/` | errors |\n");
  tree.write("src/hone/core/a.h", "");
  tree.write("src/hone/engine/b.h", "");
  EXPECT_EQ(folders_missing_from_map(tree.root()), std::vector<std::string>{"engine"});
}

}  // namespace
