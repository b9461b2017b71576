// How often does the probe for lost modes flag a run that lost none? Seeded runs of the tasks and
// of problems as scientists bring them; for each the fraction of exact posterior samples inside the
// final region, which says whether the run is healthy, and what the probe found.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "hone/bench/default_problem.h"
#include "hone/check/cuts.h"
#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "hone/run/execute_run.h"
#include "hone/tasks/task.h"

namespace hone::bench {
namespace {

using Json = nlohmann::ordered_json;

// Where at least so much of the exact posterior is left, no mode was lost.
constexpr double kHealthy = 0.999;

// What a run needs, of a task or of a problem.
struct Target {
  std::string name;
  Prior prior;
  std::function<std::unique_ptr<Simulator>()> simulator;
  std::vector<double> observation;
  DataDescription data;
  std::function<Matrix<double>(std::span<const double> x, Index rows, const Rng& rng)> exact;
  bool may_draw = true;  // exact samples for other observations are quickly made
};

Target of_task(const Task& task) {
  return {.name = task.name,
          .prior = task.prior,
          .simulator = task.simulator,
          .observation = task.observation,
          .data = task.data,
          .exact = task.reference.samples};
}

Target of_problem(const DefaultProblem& problem) {
  return {.name = problem.name,
          .prior = problem.prior,
          .simulator = [&problem] { return make_simulator(problem.data_size, problem.simulate); },
          .observation = problem.observation(),
          .data = problem.data,
          .exact = [&problem](std::span<const double>, Index rows,
                              const Rng&) { return problem.reference_draws(rows); },
          .may_draw = false};
}

std::vector<Target> targets(const std::vector<std::string>& chosen) {
  std::vector<Target> all;
  for (const Task& task : all_tasks()) {
    if (task.name != "cmb") all.push_back(of_task(task));  // minutes for a run
  }
  for (const char* name : {"oscillator", "ricker", "spectrum"}) {
    all.push_back(of_problem(find_default_problem(name)));
  }
  if (!chosen.empty()) {
    std::erase_if(all, [&](const Target& one) { return !std::ranges::count(chosen, one.name); });
  }
  if (all.empty()) fail(ErrorKind::input, "--problems: none of them is known");
  return all;
}

// What a simulation with parameters from the prior looks like.
std::vector<double> draw_observation(const Target& target, const Rng& rng) {
  const PriorSamples truth =
      sample(target.prior, Region::whole(target.prior.dimensions()), 1, rng.child("truth"));
  const std::uint64_t seed = rng.child("observation").bits64();
  const auto simulator = target.simulator();
  Matrix<double> x(1, simulator->data_size());
  Failure failure;
  simulator->simulate(x, {&failure, 1}, {truth.theta, {&seed, 1}});
  return {x.row(0).begin(), x.row(0).end()};
}

// A run in a directory that is removed again.
class TemporaryRun {
 public:
  TemporaryRun() { std::filesystem::remove_all(path_); }
  ~TemporaryRun() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("hone-probe-alarms-" + std::to_string(::getpid()));
};

Json run_case(const Target& target, std::uint64_t seed, Index budget, bool own, Index samples) {
  const Rng rng(seed);
  const bool drawn = own && target.may_draw;
  const std::vector<double> observation =
      drawn ? draw_observation(target, rng.child(target.name)) : target.observation;
  InferenceOptions options;
  options.budget = budget;
  options.estimators = Estimators::ratio;
  const TemporaryRun place;
  RunDirectory run =
      RunDirectory::create(place.path(), {.name = target.name,
                                          .simulator = {},
                                          .seed = seed,
                                          .prior = target.prior,
                                          .observation = observation,
                                          .data = target.data,
                                          .marginals = one_dimensional(target.prior.dimensions()),
                                          .options = options});
  const auto simulator = target.simulator();
  const auto executor = make_thread_executor(*simulator, {});
  execute_run(run, {*executor});
  const TrainedPosterior final = run.final_posterior();
  const Region region = *run.final_region();
  const auto cuts = check_cuts(run, *final.posterior, nullptr, rng.child("checks").child("cuts"),
                               silent_observer());
  const Matrix<double> exact = target.exact(observation, samples, rng.child("exact"));
  Index inside = 0;
  for (Index i = 0; i < exact.rows(); ++i) inside += region.contains(target.prior, exact.row(i));
  const double held = static_cast<double>(inside) / static_cast<double>(exact.rows());
  Json json{{"problem", target.name},
            {"seed", seed},
            {"budget", budget},
            {"observation", drawn ? "drawn" : "default"},
            {"rounds", run.rounds().size()},
            {"mass_held", held},
            {"healthy", held >= kHealthy}};
  if (cuts.empty()) {
    json["probe"] = nullptr;  // nothing was cut
    return json;
  }
  const CheckResult found = probe_result(cuts);
  json["probe"] = to_string(found.status);
  json["reason"] = found.reason;
  for (const auto& [name, value] : found.numbers) json[name] = value;
  return json;
}

// Runs with cuts that lost nothing, and how many of them were flagged; and the others.
struct Tally {
  int healthy = 0, alarms = 0, lost = 0, seen = 0, uncut = 0;
  void add(const Json& run) {
    if (run["probe"].is_null()) {
      ++uncut;
      return;
    }
    const bool flagged = run["probe"] != to_string(Status::pass);
    const bool well = run["healthy"];
    (well ? healthy : lost) += 1;
    (well ? alarms : seen) += flagged;
  }
};

int main(int argc, char** argv) {
  CLI::App app("False alarms of the probe for lost modes, over seeded runs");
  std::string output;
  int runs = 100, threads = 0;
  std::uint64_t first_seed = 1;
  Index samples = 20000;
  std::vector<std::string> problems;
  std::vector<Index> budgets{1000, 2000, 5000};
  app.add_option("--output", output, "Write the JSON here as well");
  app.add_option("--problems", problems, "Only these")->delimiter(',');
  app.add_option("--budgets", budgets, "Simulations of a run")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--runs", runs, "Seeded runs")->check(CLI::Range(1, 100000));
  app.add_option("--seed", first_seed, "Seed of the first run");
  app.add_option("--samples", samples, "Exact samples per run")->check(CLI::Range(2000, 10000000));
  app.add_option("--threads", threads, "Threads; 0: all cores")->check(CLI::Range(0, 1024));
  CLI11_PARSE(app, argc, argv);

  Json json{{"healthy_from", kHealthy}, {"samples", samples}};
  json["runs"] = Json::array();
  Tally tally;
  try {
    const std::vector<Target> all = targets(problems);
    for (int i = 0; i < runs; ++i) {  // problems take turns, then budgets, then observations
      const auto turn = static_cast<std::size_t>(i), lap = turn / all.size();
      const auto begin = std::chrono::steady_clock::now();
      Json run;
      with_threads(threads, [&] {
        run = run_case(all[turn % all.size()], first_seed + turn, budgets[lap % budgets.size()],
                       lap % 2 == 1, samples);
      });
      run["seconds"] =
          std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      std::fprintf(stderr, "%s\n", run.dump().c_str());
      tally.add(run);
      json["runs"].push_back(std::move(run));
    }
  } catch (const Error& error) {
    std::fprintf(stderr, "probe_alarms: %s\n", error.what());
    return error.kind() == ErrorKind::input ? 2 : 1;
  }
  json["healthy_runs"] = tally.healthy;
  json["false_alarms"] = tally.alarms;
  json["runs_that_lost_mass"] = tally.lost;
  json["of_these_seen"] = tally.seen;
  json["runs_without_a_cut"] = tally.uncut;
  const std::string text = json.dump(2) + "\n";
  std::fputs(text.c_str(), stdout);
  if (!output.empty()) std::ofstream(output) << text;
  return 0;
}

}  // namespace
}  // namespace hone::bench

int main(int argc, char** argv) {
  return hone::bench::main(argc, argv);
}
