#include "hone/check/advice.h"

#include <fmt/format.h>

namespace hone {
namespace {

// Where networks see every column by themselves, more columns than this ask for a compression.
constexpr std::size_t kLongData = 100;
// Fewer columns have little noise to tell from the signal.
constexpr std::size_t kNoisyData = 20;

// Beside what a check advises by itself.
std::string other_means(const RunSpec& spec, const std::string& advice) {
  const std::size_t columns = spec.observation.size();
  std::string text;
  const auto says = [&](const char* words) { return advice.find(words) != std::string::npos; };
  if (columns >= kLongData && !spec.data.declared() && !says("(data)")) {
    text += fmt::format(
        "; if the {} numbers are a series, an image or a set, say so (data): networks that are "
        "made for it may do more than simulations",
        columns);
  }
  if (columns >= kNoisyData && !says("declare the noise") && spec.noise.kind == NoiseKind::none &&
      facts_of(spec.simulator.kind).simulates) {
    text +=
        "; if the noise is additive and Gaussian, or Poisson, leave it out of the simulator and "
        "declare it (noise): training then draws it afresh";
  }
  return text;
}

}  // namespace

void add_fitting_advice(std::vector<CheckResult>& checks, const RunSpec& spec) {
  const bool simulates = facts_of(spec.simulator.kind).simulates;
  const std::string more =
      simulates ? fmt::format(" (`hone resume DIR --budget {}`)", 2 * spec.options.budget) : "";
  const std::string wanted = "more simulations";
  for (CheckResult& check : checks) {
    if (check.status == Status::pass) continue;
    const std::size_t at = check.advice.find("use " + wanted);
    const bool per_round = check.advice.find(wanted + " per round") != std::string::npos;
    if (at == std::string::npos || per_round) continue;
    check.advice.insert(at + 4 + wanted.size(), more);
    check.advice += other_means(spec, check.advice);
  }
}

}  // namespace hone
