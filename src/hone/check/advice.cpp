#include "hone/check/advice.h"

#include <fmt/format.h>

namespace hone {
namespace {

// Where networks see every column by themselves, more columns than this ask for a compression.
constexpr std::size_t kLongData = 100;
// Fewer columns have little noise to tell from the signal.
constexpr std::size_t kNoisyData = 20;

std::string other_means(const RunSpec& spec) {
  const std::size_t columns = spec.observation.size();
  std::string text;
  if (columns >= kLongData && !spec.data.declared()) {
    text += fmt::format(
        "; if the {} numbers are a series, an image or a set, say so (data): networks that are "
        "made "
        "for it may do more than simulations",
        columns);
  }
  if (columns >= kNoisyData && spec.noise.kind == NoiseKind::none &&
      facts_of(spec.simulator.kind).simulates) {
    text +=
        "; if the noise is additive and Gaussian, or Poisson, leave it out of the simulator and "
        "declare it (noise): training then draws it afresh";
  }
  return text;
}

}  // namespace

void add_fitting_advice(std::vector<CheckResult>& checks, const RunSpec& spec) {
  AdviceText more;
  if (facts_of(spec.simulator.kind).simulates) {
    more = "; for more simulations " + AdviceText(Action::larger_budget, 2 * spec.options.budget);
  }
  more += other_means(spec);
  for (CheckResult& check : checks) {
    if (check.status != Status::pass && check.more_simulations) check.advice += more;
  }
}

}  // namespace hone
