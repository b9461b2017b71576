#pragma once

#include <string>

#include <fmt/format.h>

// Problem files of two parameters a and b, for tests of the program. Simulator and further sections
// begin in line 2.

namespace hone {

inline constexpr const char* kUniformPrior = "{ kind = 'uniform', low = 0, high = 1 }";
inline constexpr const char* kNormalPrior = "{ kind = 'normal', mean = 0, sigma = 1 }";

// Networks that train in a moment.
inline constexpr const char* kQuickNetworks =
    "estimators = 'ratio'\nensemble = 1\nround_ensemble = 1\nensemble_rows = 0\nhidden = 16\n";

// x = theta, by a program that stays: sed turns each request into its answer.
inline constexpr const char* kEchoWorker = R"(command = ["sed", "-u", "-E", )"
                                           R"('s/^.*"id": ?([0-9]+),.*"theta": ?\[([^]]*)\].*$/)"
                                           R"({{"id": \1, "x": [\2]}}/'])";

struct ProblemText {
  std::string simulator;      // lines of its section
  std::string sections = "";  // such as that of the noise
  std::string observed = "[0.2, 0.7]";
  std::string prior_a = kUniformPrior, prior_b = kUniformPrior;
  std::string inference = "";  // lines of its section
};

inline std::string to_toml(const ProblemText& problem) {
  return fmt::format(
      "[simulator]\n{}\n{}\n[observation]\nvalues = {}\n"
      "[[parameters]]\nname = 'a'\nprior = {}\n[[parameters]]\nname = 'b'\nprior = {}\n"
      "[inference]\n{}",
      problem.simulator, problem.sections, problem.observed, problem.prior_a, problem.prior_b,
      problem.inference);
}

}  // namespace hone
