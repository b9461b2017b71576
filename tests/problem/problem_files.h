#pragma once

#include <string>

#include "files/test_files.h"
#include "hone/problem/problem_file.h"

namespace hone {

// A problem without surprises; tests replace parts of it.
inline std::string good_problem() {
  return R"(name = "galaxy"
[simulator]
by_hand = true
[observation]
values = [1, 2.5, 3]
[[parameters]]
name = "mass"
label = "M"
prior = { kind = "uniform", low = 0, high = 10 }
[[parameters]]
name = "age"
prior = { kind = "normal", mean = 5, sigma = 1.5 }
[inference]
budget = 5000
)";
}

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t place = text.find(from);
  EXPECT_NE(place, std::string::npos) << from;
  return text.replace(place, from.size(), to);
}

// A directory with a problem file in it.
class ProblemFiles : public testing::Test {
 protected:
  Problem read(const std::string& text) {
    put("problem.toml", text);
    return read_problem_file(directory_.path() / "problem.toml", &ProblemFiles::find_task);
  }
  std::string refusal(const std::string& text) {
    return error_text([&] { read(text); }, ErrorKind::input);
  }
  // Expects the message to hold "line <n>" and each part.
  void expect_refused(const std::string& text, int line, const std::vector<std::string>& parts) {
    const std::string message = refusal(text);
    EXPECT_TRUE(contains(message, "problem.toml, line " + std::to_string(line) + ": ")) << message;
    for (const std::string& part : parts) EXPECT_TRUE(contains(message, part)) << message;
  }
  void put(const std::string& name, const std::string& bytes) {
    put_bytes(directory_.path() / name, bytes);
  }
  void put_program(const std::string& name) {
    put(name, "#!/bin/sh\n");
    std::filesystem::permissions(directory_.path() / name, std::filesystem::perms::owner_all);
  }

  static KnownTask find_task(const std::string& name) {
    if (name != "ring") fail(ErrorKind::input, "no task is called '{}'", name.substr(0, 60));
    return {Prior({{"r", "", make_distribution({"uniform", {{"low", 0}, {"high", 1}}, {}})}}),
            {0.5, 0.5},
            777};
  }

  TemporaryDirectory directory_;
};

}  // namespace hone
