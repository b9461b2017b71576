#include "hone/run/computed_with.h"

#include <algorithm>

#include "hone/core/error.h"

namespace hone {

std::vector<Arithmetic> computed_with(const RunDirectory& run) {
  if (!run.computed_with_file().exists()) return {};
  return read_json_as(run.computed_with_file(), [](const nlohmann::json& json) {
    std::vector<Arithmetic> used;
    for (const nlohmann::json& one : json.at("computed_with")) {
      used.push_back({one.at("kernels"), one.at("products"), one.at("functions")});
    }
    return used;
  });
}

namespace {

void write(const RunDirectory& run, const std::vector<Arithmetic>& used) {
  auto list = nlohmann::ordered_json::array();
  for (const Arithmetic& one : used) {
    list.push_back(
        {{"kernels", one.kernels}, {"products", one.products}, {"functions", one.functions}});
  }
  write_json(run.computed_with_file(), {{"computed_with", list}});
}

}  // namespace

void note_arithmetic(const RunDirectory& run, bool exact, Observer& observer) {
  std::vector<Arithmetic> used = computed_with(run);
  if (exact && used.empty() && (run.has_round(1) || run.has_final_posterior())) {
    fail(ErrorKind::input,
         "{} does not say what its parts were computed with (there is no computed_with.json); "
         "continue it without `exact`",
         run.path().string());
  }
  const Arithmetic& here = this_arithmetic();
  const auto other = std::ranges::find_if(used, [&](const Arithmetic& a) { return a != here; });
  if (other != used.end()) {
    const std::string difference =
        fmt::format("{} was computed with {}; this process has {}", run.path().string(),
                    describe(*other), describe(here));
    if (exact) {
      fail(
          ErrorKind::input,
          "{}. Continue it on a machine of the first kind, or set HONE_INSTRUCTION_SET={} if only "
          "the "
          "kernels differ. Without `exact` the run continues here: the result is equally good, but "
          "not identical bit for bit",
          difference, other->kernels);
    }
    observer.log(LogLevel::warning,
                 difference + ": the result is equally good, but not identical bit for bit");
  }
  if (std::ranges::find(used, here) != used.end()) return;
  used.push_back(here);
  write(run, used);
}

}  // namespace hone
