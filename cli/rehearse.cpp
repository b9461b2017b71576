#include "cli/rehearse.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

#include <fmt/format.h>

#include "cli/text.h"
#include "cli/time_estimate.h"
#include "cli/wrong_use.h"
#include "hone/check/data_look.h"
#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "hone/inference/method.h"
#include "hone/problem/resolve_noise.h"
#include "hone/session/open_simulator.h"

namespace hone::cli {
namespace {

struct Rehearsal {
  std::vector<double> x;     // what the first simulation makes
  std::vector<float> noisy;  // with noise; empty if there is none
  Matrix<double> more = {};  // the same parameters again and again, then others
  Index repeats = 1;
  double seconds = 0;  // per simulation, all cores together
};

// Simulations that are fast are made more often: five parameter vectors, eight times each.
constexpr Index kGroups = 5, kRepeats = 8;
constexpr double kPatience = 5;  // seconds for them, about

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

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

// As many as there is time for; failed ones make `more` empty, since groups have to be whole.
void simulate_more(Rehearsal& rehearsal, Executor& executor, const TruncatedPrior& prior,
                   const Rng& rng, double first) {
  const Index repeats = first * kGroups * kRepeats < kPatience ? kRepeats
                        : first * kGroups * 2 < kPatience      ? 2
                                                               : 0;
  rehearsal.seconds = first;
  if (repeats == 0) return;
  const Matrix<double> theta = prior.sample(kGroups, rng.child("look")).theta;
  SimulationRequest request{
      .ids = {}, .theta = Matrix<double>(kGroups * repeats, theta.cols()), .seeds = {}};
  for (Index i = 0; i < kGroups * repeats; ++i) {
    request.ids.push_back(i);
    request.seeds.push_back(rng.child("look", static_cast<std::uint64_t>(i)).bits64());
    std::ranges::copy(theta.row(i / repeats), request.theta.row(i).begin());
  }
  Matrix<double> x(request.rows(), std::ssize(rehearsal.x));
  Index good = 0;
  const auto start = Clock::now();
  executor.run(request, [&](const FinishedSimulations& finished) {
    for (std::size_t i = 0; i < finished.rows.size(); ++i) {
      if (finished.failures[i]) continue;
      ++good;
      std::ranges::copy(finished.x.row(static_cast<Index>(i)), x.row(finished.rows[i]).begin());
    }
  });
  rehearsal.seconds = seconds_since(start) / static_cast<double>(request.rows());
  if (good < request.rows()) return;
  rehearsal.more = std::move(x);
  rehearsal.repeats = repeats;
}

// One simulation, and some more; Error{simulator} with the reason if it fails.
Rehearsal simulate_some(const RunSpec& spec) {
  const Rng rng(spec.seed);
  const TruncatedPrior prior(spec.prior, Region::whole(spec.prior.dimensions()));
  SimulationRequest request{
      .ids = {0}, .theta = prior.sample(1, rng).theta, .seeds = {rng.child("one").bits64()}};
  const OpenSimulator open = open_run_simulator(
      spec, [](int, std::string_view line) { print_error(fmt::format("simulator: {}\n", line)); });
  NoiseSpec stated = spec.noise;
  if (stated.kind == NoiseKind::none && open.executor->noise() != nullptr) {
    stated.kind = NoiseKind::simulator;  // as a run will note
  }
  const auto noise = resolve_noise(stated, open.executor->noise(), spec.prior.dimensions(),
                                   std::ssize(spec.observation));
  Rehearsal rehearsal;
  const auto start = Clock::now();
  open.executor->run(request, [&](const FinishedSimulations& finished) {
    if (finished.failures[0]) {
      fail(ErrorKind::simulator, "the simulation failed: {}", *finished.failures[0]);
    }
    const auto row = finished.x.row(0);
    rehearsal.x.assign(row.begin(), row.end());
  });
  const double first = seconds_since(start);
  if (noise != nullptr) {
    rehearsal.noisy = with_noise_once(rehearsal.x, *noise, rng.child("noise"));
  }
  simulate_more(rehearsal, *open.executor, prior, rng, first);
  return rehearsal;
}

void print_time(const RunSpec& spec, const Rehearsal& rehearsal, bool has_rounds) {
  const double simulating = rehearsal.seconds * static_cast<double>(spec.options.budget);
  print(
      fmt::format("a simulation takes {} on these cores; all of them {}, the whole run about {}\n",
                  in_words(rehearsal.seconds), in_words(simulating),
                  in_words(simulating + seconds_to_learn(spec, has_rounds))));
}

void print_remarks(const Rehearsal& rehearsal) {
  const Matrix<double>& more = rehearsal.more;
  if (more.rows() == 0) return;
  // With gaps nothing is said: the look is at whole data.
  if (std::any_of(more.data(), more.data() + more.rows() * more.cols(),
                  [](double value) { return std::isnan(value); })) {
    return;
  }
  for (const Remark& remark : look_at_data({rehearsal.more, rehearsal.repeats})) {
    print(fmt::format("seen: {}\n", remark.seen));
    if (!remark.advice.empty()) print(fmt::format("      {}\n", remark.advice));
  }
}

template <typename Values>
std::string range_of(const Values& x) {
  std::vector<double> there;
  for (const auto value : x) {
    if (!std::isnan(value)) there.push_back(static_cast<double>(value));
  }
  if (there.empty()) return fmt::format("{} values, all of them missing", x.size());
  const auto gaps = x.size() - there.size();
  return fmt::format("{} values from {:.4g} to {:.4g}{}", x.size(), std::ranges::min(there),
                     std::ranges::max(there),
                     gaps == 0 ? "" : fmt::format(", {} of them missing", gaps));
}

}  // namespace

std::string many_marginals_warning(const RunSpec& spec) {
  constexpr std::size_t kMany = 1000;  // all pairs of 45 parameters
  if (spec.marginals.size() < kMany) return "";
  const auto pairs = std::ranges::count(spec.marginals, 2U, &Marginal::size);
  const Index networks = std::ssize(spec.marginals) * spec.options.ensemble;
  return fmt::format(
      "warning: {} marginals, {} of them pairs: at least {} networks, each about a second of a "
      "core\n"
      "         or more. Name those that you want: --marginal 1d --marginal {},{} ..., or "
      "marginals =\n"
      "         [\"1d\"] in the problem file; `hone train` adds others later, without new "
      "simulations\n",
      spec.marginals.size(), pairs, networks, spec.prior.parameter(0).name,
      spec.prior.parameter(1).name);
}

void rehearse(const RunSpec& spec, int threads) {
  print_error(many_marginals_warning(spec));  // first: what follows may take long, or fail
  const auto& groups = find_method(spec.options.method).option_groups;
  const bool has_rounds = std::ranges::find(groups, "Rounds") != groups.end();
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
    try {
      with_threads(threads, [&] { once = simulate_some(spec); });
    } catch (const Error& error) {
      throw without_resume(error);
    }
    print(fmt::format("one simulation: {}\n", range_of(once.x)));
    if (!once.noisy.empty()) print(fmt::format("with noise: {}\n", range_of(once.noisy)));
    print_time(spec, once, has_rounds);
    print_remarks(once);
  }
  const Index existing = spec.simulator.dataset_rows;
  if (existing > 0 && spec.simulator.kind != SimulatorKind::dataset) {
    print(fmt::format("would begin with the {} simulations of the data set\n", existing));
  }
  print(fmt::format(
      "would run {} simulations{} and train {} marginals with at least {} networks each\n",
      spec.options.budget,
      has_rounds ? fmt::format(" in at most {} rounds", spec.options.max_rounds) : "",
      spec.marginals.size(), spec.options.ensemble));
}

}  // namespace hone::cli
