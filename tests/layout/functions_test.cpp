// Functions short enough to see at once. What a function is, is told by its braces: the outermost
// ones that are neither of a namespace, a type nor a list of values.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace {

namespace fs = std::filesystem;

constexpr int kMostLines = 60;

// Longer ones by file and signature, each with its reason.
const std::map<std::string, std::string> kLonger = {
    {"src/hone/inference/option_table.cpp: std::vector<OptionEntry> make_table()",
     "a table: one row per option"},
    {"src/hone/inference/method_table.cpp: const std::vector<Method>& method_table()",
     "a table: one row per method"},
};

struct Function {
  std::string head;
  int lines = 0;
};

std::string text_of(const fs::path& file) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

// Where the text, comment, literal or preprocessor line that begins at `i` ends; `i` if none does.
std::size_t skipped(const std::string& code, std::size_t i) {
  const auto past = [&](const std::string& end, std::size_t from) {
    const std::size_t at = code.find(end, from);
    return at == std::string::npos ? code.size() : at + end.size();
  };
  if (code.compare(i, 2, "//") == 0) return past("\n", i) - 1;
  if (code.compare(i, 2, "/*") == 0) return past("*/", i + 2);
  if (code.compare(i, 2, "R\"") == 0) {
    const std::size_t open = code.find('(', i);
    return past(")" + code.substr(i + 2, open - i - 2) + "\"", open);
  }
  const bool digit_separator = i > 0 && std::isxdigit(code[i - 1]) != 0;
  if (code[i] == '"' || (code[i] == '\'' && !digit_separator)) {
    std::size_t end = i + 1;
    while (end < code.size() && code[end] != code[i]) end += code[end] == '\\' ? 2 : 1;
    return end + 1;
  }
  if (code[i] == '#') {
    std::size_t end = code.find('\n', i);
    while (end != std::string::npos && code[end - 1] == '\\') end = code.find('\n', end + 1);
    return std::min(end, code.size());
  }
  return i;
}

// What stands before a brace, on one line.
std::string in_one_line(const std::string& head) {
  static const std::regex blanks(R"(\s+)"), ends(R"(^ | $)");
  return std::regex_replace(std::regex_replace(head, blanks, " "), ends, "");
}

bool opens_type_or_namespace(const std::string& head) {
  static const std::regex word(
      R"(^(template ?<.*> )?(inline |typedef )?(namespace|class|struct|union|enum|extern "C")\b[^()]*$)");
  return std::regex_search(head, word) || head.starts_with("extern");
}

// Nothing stands before the body of a constructor whose last member was made with braces.
bool opens_function(const std::string& head) {
  if (head.empty()) return true;
  return head.find('(') != std::string::npos && !head.ends_with("=") && !head.ends_with(",") &&
         !head.ends_with("(") && !opens_type_or_namespace(head);
}

// Of C and C++: the outermost braces of functions, inside which nothing else counts.
class BraceReader {
 public:
  explicit BraceReader(const std::string& code) : code_(code) {}

  std::vector<Function> functions() {
    for (std::size_t i = 0; i < code_.size();) {
      const std::size_t end = skipped(code_, i);
      for (; i < end; ++i) line_ += code_[i] == '\n';
      if (i < code_.size()) read(code_[i++]);
    }
    return std::move(found_);
  }

 private:
  void read(char c) {
    line_ += c == '\n';
    if (c == '{') open();
    if (c == '}') close();
    if (c == '{' || c == '}' || c == ';') {
      head_.clear();
    } else if (!head_.empty() || std::isspace(static_cast<unsigned char>(c)) == 0) {
      if (head_.empty()) first_line_ = line_;
      head_ += c;
    }
  }

  void open() {
    const std::string head = in_one_line(head_);
    if (depth_ > 0 || !opens_type_or_namespace(head)) ++depth_;
    if (depth_ == 1) is_function_ = opens_function(head);
    if (depth_ == 1) current_ = {head, first_line_};
  }

  // Types and namespaces have no depth: neither has what closes them.
  void close() {
    if (depth_ == 0 || --depth_ > 0 || !is_function_) return;
    found_.push_back({current_.head, line_ - current_.lines + 1});
  }

  const std::string& code_;
  std::vector<Function> found_ = {};
  Function current_ = {};  // its lines: the number of the first
  bool is_function_ = false;
  int depth_ = 0;  // of braces inside a function or a list of values
  std::string head_ = {};
  int line_ = 1, first_line_ = 1;
};

// Of Python: from `def` to the last line that is indented further, without the first text in it.
std::vector<Function> python_functions_of(const std::string& code) {
  static const std::regex define(R"(^( *)(async )?def (\w+).*)");
  std::vector<std::string> lines;
  std::stringstream stream(code);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  const auto indent = [](const std::string& line) { return line.find_first_not_of(" )"); };
  std::vector<Function> found;
  std::smatch match;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!std::regex_match(lines[i], match, define)) continue;
    const auto depth = static_cast<std::size_t>(match[1].length());
    Function one{match[3], 1};
    bool in_text = false, had_text = false;
    int blank = 0;
    for (std::size_t k = i + 1; k < lines.size(); ++k) {
      if (lines[k].empty()) {
        ++blank;
        continue;
      }
      if (!in_text && indent(lines[k]) <= depth && lines[k].find(')') != depth) break;
      const std::size_t quotes = lines[k].find("\"\"\"");
      const bool both = quotes != lines[k].rfind("\"\"\"");
      if (quotes != std::string::npos && !had_text && !both) {
        had_text = in_text;
        in_text = !in_text;
      } else if (!in_text) {
        one.lines += 1 + blank;
      }
      blank = 0;
    }
    found.push_back(one);
  }
  return found;
}

TEST(Functions, AreShortEnoughToSeeAtOnce) {
  const fs::path root = HONE_SOURCE_DIR;
  std::size_t functions = 0;
  std::map<std::string, std::string> unneeded = kLonger;
  for (const char* top : {"src/hone", "cli", "python", "tests", "benchmarks", "scripts"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
      const std::string ending = entry.path().extension().string();
      const bool python = ending == ".py";
      if (!python && ending != ".h" && ending != ".cpp" && ending != ".c") continue;
      const std::string code = text_of(entry.path());
      for (const Function& one :
           python ? python_functions_of(code) : BraceReader(code).functions()) {
        ++functions;
        if (one.lines <= kMostLines) continue;
        const std::string name =
            fmt::format("{}: {}", fs::relative(entry.path(), root).string(), one.head);
        unneeded.erase(name);
        EXPECT_TRUE(kLonger.contains(name))
            << name << " has " << one.lines << " lines; it probably does two things";
      }
    }
  }
  EXPECT_GT(functions, 3000U);
  for (const auto& [name, reason] : unneeded) ADD_FAILURE() << name << " needs no exception";
}

std::string words(const std::vector<Function>& functions) {
  std::string text;
  for (const Function& one : functions) text += fmt::format("{}: {}\n", one.head, one.lines);
  return text;
}

TEST(Functions, NegativeControlTheirLinesAreCounted) {
  const std::string code = R"code(#include <a.h>
#define OPEN {
namespace hone {
struct A : B {
  int x = 1;  // no {
  explicit A(int y)
      : x(y) {
    if (y > 0) {
      throw "}";
    }
  }
};
const std::map<int, char> kTable = {{1, '{'},
                                    {2, '\\''}};
template <typename T>
T twice(const T& one,
        T other) {
  const auto f = [&] { return R"(
    } )"; };
  return one * 1'000 + T{other};
}
}
)code";
  EXPECT_EQ(words(BraceReader(code).functions()),
            "explicit A(int y) : x(y): 6\n"
            "template <typename T> T twice(const T& one, T other): 7\n");
}

TEST(Functions, NegativeControlLinesOfPythonAreCounted) {
  const std::string code =
      "def f(a,\n      b):\n    \"\"\"What.\n\n    More.\n    \"\"\"\n    x = 1\n\n"
      "    return x\n\n\nclass C:\n    def g(\n        self\n    ):\n        return 1\n\ny = 2\n";
  EXPECT_EQ(words(python_functions_of(code)), "f: 5\ng: 4\n");
}

}  // namespace
