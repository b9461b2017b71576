#include "cli/rehearse.h"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "cli/open_executor.h"
#include "cli/text.h"
#include "hone/core/error.h"
#include "hone/core/parallel.h"

namespace hone::cli {
namespace {

// x of one simulation; Error{simulator} with the reason if it fails.
std::vector<double> simulate_once(const RunSpec& spec) {
  const Rng rng(spec.seed);
  const TruncatedPrior prior(spec.prior, Region::whole(spec.prior.dimensions()));
  SimulationRequest request{.ids = {0}, .theta = prior.sample(1, rng).theta, .seeds = {1}};
  const OpenExecutor open = open_executor(spec, [](int, std::string_view line) {
    std::fprintf(stderr, "simulator: %.*s\n", static_cast<int>(line.size()), line.data());
  });
  std::vector<double> x;
  open.executor->run(request, [&](const FinishedSimulations& finished) {
    if (finished.failures[0]) {
      fail(ErrorKind::simulator, "the simulation failed: {}", *finished.failures[0]);
    }
    const auto row = finished.x.row(0);
    x.assign(row.begin(), row.end());
  });
  return x;
}

}  // namespace

void rehearse(const RunSpec& spec, int threads) {
  std::vector<std::vector<std::string>> rows{{"parameter", "prior"}};
  for (const Parameter& p : spec.prior.parameters()) {
    rows.push_back({p.name, p.distribution->kind()});
  }
  print(fmt::format("{}: {} parameters, {} data values, simulator: {}\n", spec.name,
                    spec.prior.dimensions(), spec.observation.size(),
                    to_string(spec.simulator.kind)));
  print(table(rows));
  const SimulatorKind kind = spec.simulator.kind;
  if (kind != SimulatorKind::dataset && kind != SimulatorKind::by_hand) {
    std::vector<double> x;
    with_threads(threads, [&] { x = simulate_once(spec); });
    print(fmt::format("one simulation: {} values from {:.4g} to {:.4g}\n", x.size(),
                      *std::ranges::min_element(x), *std::ranges::max_element(x)));
  }
  print(fmt::format(
      "would run {} simulations in at most {} rounds and train {} marginals with {} "
      "networks each\n",
      spec.options.budget, spec.options.max_rounds, spec.marginals.size(), spec.options.ensemble));
}

}  // namespace hone::cli
