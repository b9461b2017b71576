#include "cli/rehearse.h"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "cli/text.h"
#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "hone/inference/method.h"
#include "hone/problem/resolve_noise.h"
#include "hone/session/open_simulator.h"

namespace hone::cli {
namespace {

struct Rehearsal {
  std::vector<double> x;     // what one simulation makes
  std::vector<float> noisy;  // with noise; empty if there is none
};

std::vector<float> with_noise_once(const std::vector<double>& x, const NoiseModel& noise, Rng rng) {
  if (const Failure failure = noise.check(x)) {
    fail(ErrorKind::simulator, "the simulation failed: {}", *failure);
  }
  HONE_ASSERT(std::ssize(x) == noise.input_size());
  Matrix<float> in(1, noise.input_size()), out(1, noise.data_size());
  std::ranges::transform(x, in.row(0).begin(), [](double v) { return static_cast<float>(v); });
  noise.apply(out, in, std::span(&rng, 1));
  return {out.row(0).begin(), out.row(0).end()};
}

// One simulation; Error{simulator} with the reason if it fails.
Rehearsal simulate_once(const RunSpec& spec) {
  const Rng rng(spec.seed);
  const TruncatedPrior prior(spec.prior, Region::whole(spec.prior.dimensions()));
  SimulationRequest request{.ids = {0}, .theta = prior.sample(1, rng).theta, .seeds = {1}};
  const OpenSimulator open = open_run_simulator(spec, [](int, std::string_view line) {
    std::fprintf(stderr, "simulator: %.*s\n", static_cast<int>(line.size()), line.data());
  });
  NoiseSpec stated = spec.noise;
  if (stated.kind == NoiseKind::none && open.executor->noise() != nullptr) {
    stated.kind = NoiseKind::simulator;  // as a run will note
  }
  const auto noise = resolve_noise(stated, open.executor->noise(), spec.prior.dimensions(),
                                   std::ssize(spec.observation));
  std::vector<double> x;
  open.executor->run(request, [&](const FinishedSimulations& finished) {
    if (finished.failures[0]) {
      fail(ErrorKind::simulator, "the simulation failed: {}", *finished.failures[0]);
    }
    const auto row = finished.x.row(0);
    x.assign(row.begin(), row.end());
  });
  if (noise == nullptr) return {std::move(x), {}};
  return {x, with_noise_once(x, *noise, rng.child("noise"))};
}

template <typename Values>
std::string range_of(const Values& x) {
  return fmt::format("{} values from {:.4g} to {:.4g}", x.size(), *std::ranges::min_element(x),
                     *std::ranges::max_element(x));
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
  if (spec.noise.kind != NoiseKind::none) {
    print(fmt::format("noise, fresh in every epoch: {}\n", describe(spec.noise)));
  }
  if (facts_of(spec.simulator.kind).simulates) {
    Rehearsal once;
    with_threads(threads, [&] { once = simulate_once(spec); });
    print(fmt::format("one simulation: {}\n", range_of(once.x)));
    if (!once.noisy.empty()) print(fmt::format("with noise: {}\n", range_of(once.noisy)));
  }
  const Index existing = spec.simulator.dataset_rows;
  if (existing > 0 && spec.simulator.kind != SimulatorKind::dataset) {
    print(fmt::format("would begin with the {} simulations of the data set\n", existing));
  }
  const auto& groups = find_method(spec.options.method).option_groups;
  const bool has_rounds = std::ranges::find(groups, "Rounds") != groups.end();
  print(fmt::format(
      "would run {} simulations{} and train {} marginals with at least {} networks each\n",
      spec.options.budget,
      has_rounds ? fmt::format(" in at most {} rounds", spec.options.max_rounds) : "",
      spec.marginals.size(), spec.options.ensemble));
}

}  // namespace hone::cli
