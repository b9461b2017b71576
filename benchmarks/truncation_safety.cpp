// Does truncation keep the truth? Seeded runs over the tasks, at small and at usual budgets; for
// each the fraction of exact posterior samples inside the final region, and how small the region
// is. Every other run has an observation of its own, simulated from a draw of the prior.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "hone/inference/option_table.h"
#include "hone/inference/tmnre.h"
#include "hone/tasks/task.h"

namespace hone::bench {
namespace {

using Json = nlohmann::ordered_json;

struct Case {
  std::string task;
  std::uint64_t seed;
  Index budget;
  bool own_observation;
};

// Tasks take turns, then budgets, then the two kinds of observation.
std::vector<Case> make_cases(const std::vector<std::string>& tasks,
                             const std::vector<Index>& budgets, int runs) {
  std::vector<Case> cases;
  for (int i = 0; i < runs; ++i) {
    const auto turn = static_cast<std::size_t>(i), budget = turn / tasks.size();
    cases.push_back({tasks[turn % tasks.size()], turn + 1, budgets[budget % budgets.size()],
                     budget / budgets.size() % 2 == 1});
  }
  return cases;
}

// What a simulation with parameters from the prior looks like.
std::vector<double> draw_observation(const Task& task, const Rng& rng) {
  const PriorSamples truth =
      sample(task.prior, Region::whole(task.prior.dimensions()), 1, rng.child("truth"));
  const std::uint64_t seed = rng.child("observation").bits64();
  const auto simulator = task.simulator();
  Matrix<double> x(1, simulator->data_size());
  Failure failure;
  simulator->simulate(x, {&failure, 1}, {truth.theta, {&seed, 1}});
  return {x.row(0).begin(), x.row(0).end()};
}

// Fraction of exact posterior samples inside the region; per axis the lowest.
struct Held {
  double mass = 0;
  double worst_axis = 0;
};
Held held_mass(const Task& task, const Region& region, std::span<const double> observation,
               Index samples, const Rng& rng) {
  const Matrix<double> exact = task.reference.samples(observation, samples, rng);
  const int dimensions = task.prior.dimensions();
  Index inside = 0;
  std::vector<Index> axis_inside(static_cast<std::size_t>(dimensions), 0);
  for (Index i = 0; i < samples; ++i) {
    inside += region.contains(task.prior, exact.row(i));
    for (int d = 0; d < dimensions; ++d) {
      axis_inside[static_cast<std::size_t>(d)] +=
          region.contains_axis(d, to_unit(task.prior[d], exact(i, d)));
    }
  }
  const double n = static_cast<double>(samples);
  return {static_cast<double>(inside) / n,
          static_cast<double>(*std::ranges::min_element(axis_inside)) / n};
}

// A store that is removed again.
class TemporaryStore {
 public:
  explicit TemporaryStore(const Task& task)
      : path_(std::filesystem::temp_directory_path() /
              ("hone-truncation-safety-" + std::to_string(::getpid()))),
        store_((std::filesystem::remove_all(path_),
                SimulationStore::create(path_, {task.prior.names(), std::ssize(task.observation),
                                                Precision::float32}))) {}
  ~TemporaryStore() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  SimulationStore& get() { return store_; }

 private:
  std::filesystem::path path_;
  SimulationStore store_;
};

Json run_case(const Case& c, InferenceOptions options, Index samples) {
  const Task& task = find_task(c.task);
  options.budget = c.budget;
  const Rng rng(c.seed);
  const std::vector<double> observation =
      c.own_observation ? draw_observation(task, rng) : task.observation;
  TemporaryStore store(task);
  const auto simulator = task.simulator();
  const auto executor = make_thread_executor(*simulator, {});
  Simulations simulations(task.prior, store.get(), *executor, rng);
  // One marginal is enough: what counts is the region.
  const InferenceResult result = tmnre({.simulations = simulations,
                                        .observation = observation,
                                        .marginals = {{0}},
                                        .options = options,
                                        .rng = rng.child("inference")});
  const Held held = held_mass(task, result.region, observation, samples, rng.child("exact"));
  double lost = 0;
  for (const Round& round : result.rounds) {
    lost = std::max(lost, *std::ranges::max_element(round.cut.lost_mass));
  }
  Index intervals = 0;
  for (int d = 0; d < result.region.dimensions(); ++d) {
    intervals += std::ssize(result.region.axis(d));
  }
  return {{"task", c.task},
          {"seed", c.seed},
          {"budget", c.budget},
          {"observation", c.own_observation ? "drawn" : "default"},
          {"mass_held", held.mass},
          {"worst_axis_held", held.worst_axis},
          {"largest_lost_mass_estimated", lost},
          {"prior_mass", result.region.mass()},
          {"intervals", intervals},
          {"rounds", result.rounds.size()},
          {"converged", result.converged},
          {"rows_in_region", result.rows}};
}

void set_options(InferenceOptions& options, const std::vector<std::string>& assignments) {
  for (const std::string& assignment : assignments) {
    const std::size_t equals = assignment.find('=');
    if (equals == std::string::npos) {
      fail(ErrorKind::input, "--set {}: must be name=value", assignment);
    }
    set_option(options, assignment.substr(0, equals), assignment.substr(equals + 1));
  }
  validate(options);
}

int main(int argc, char** argv) {
  CLI::App app("Truncation safety: exact posterior mass held by the final region of seeded runs");
  std::string output, preset_name = "default";
  int runs = 54, threads = 0;
  Index samples = 100000;
  std::vector<std::string> assignments, tasks{"torus", "eggbox", "gaussian_linear"};
  std::vector<Index> budgets{1000, 2000, 10000};
  app.add_option("--output", output, "Write the JSON here as well");
  app.add_option("--preset", preset_name, "Options to start from (see `hone options`)");
  app.add_option("--set", assignments, "name=value of an inference option");
  app.add_option("--tasks", tasks, "Built-in problems")->delimiter(',')->capture_default_str();
  app.add_option("--budgets", budgets, "Simulations of a run")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--runs", runs, "Seeded runs")->check(CLI::Range(1, 100000));
  app.add_option("--samples", samples, "Exact samples per run")->check(CLI::Range(1000, 10000000));
  app.add_option("--threads", threads, "Threads; 0: all cores")->check(CLI::Range(0, 1024));
  CLI11_PARSE(app, argc, argv);

  constexpr double kLimit = 0.999;
  Json json{{"limit", kLimit},    {"samples", samples}, {"preset", preset_name},
            {"set", assignments}, {"below_limit", 0},   {"lowest_mass_held", 1.0}};
  json["runs"] = Json::array();
  try {
    InferenceOptions options = preset(preset_name);
    set_options(options, assignments);
    int below = 0;
    double lowest = 1;
    for (const Case& c : make_cases(tasks, budgets, runs)) {
      Json run;
      with_threads(threads, [&] { run = run_case(c, options, samples); });
      std::fprintf(stderr, "%s\n", run.dump().c_str());
      const double held = run["mass_held"];
      below += held < kLimit;
      lowest = std::min(lowest, held);
      json["runs"].push_back(std::move(run));
    }
    json["below_limit"] = below;
    json["lowest_mass_held"] = lowest;
  } catch (const Error& error) {
    std::fprintf(stderr, "truncation_safety: %s\n", error.what());
    return error.kind() == ErrorKind::input ? 2 : 1;
  }
  const std::string text = json.dump(2) + "\n";
  std::fputs(text.c_str(), stdout);
  if (!output.empty()) std::ofstream(output) << text;
  return json["below_limit"] == 0 ? 0 : 1;
}

}  // namespace
}  // namespace hone::bench

int main(int argc, char** argv) {
  return hone::bench::main(argc, argv);
}
