#include "hone/problem/problem_file.h"

#include <algorithm>
#include <optional>

#include "hone/core/error.h"
#include "hone/problem/problem_sections.h"
#include "hone/store/small_columns.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

// The name becomes part of a directory's name.
std::string read_name(const TomlTable& root, const fs::path& path) {
  const auto given = root.text("name");
  if (!given) return path.stem().string();
  const bool usable = !given->empty() && given->size() <= 100 && given->front() != '.' &&
                      given->find_first_of("/\\\n\t") == std::string::npos;
  if (!usable) {
    root.refuse("name", "must have 1 to 100 characters, no slash, and not begin with a dot");
  }
  return *given;
}

KnownTask find_known_task(const TomlTable& root, const std::string& name,
                          const TaskLookup& find_task) {
  const TomlTable section = root.table("simulator");
  if (!find_task) section.refuse("task", "there are no built-in tasks here");
  try {
    return find_task(name);
  } catch (const Error& error) {
    section.refuse("task", error.what());
  }
}

void check_length(const TomlTable& root, std::size_t given, std::size_t expected,
                  const std::string& whose) {
  if (given == expected) return;
  root.refuse_at("observation",
                 fmt::format("observation: it has {} numbers, {} has {}", given, whose, expected));
}

// How many values a row of x must have, if the problem file can know.
std::optional<Index> expected_size(const Problem& problem, const TaskLookup& find_task) {
  if (problem.simulator.kind == SimulatorKind::library) return std::nullopt;  // it may add noise
  if (problem.simulator.kind == SimulatorKind::task) {
    return find_task(problem.simulator.task).simulated_size;
  }
  return simulated_size(problem.noise, std::ssize(problem.observation));
}

DataDescription known_names(const Problem& problem, Index values) {
  return problem.data.size() == values ? problem.data : DataDescription();
}

// Reads the data set and counts its rows. As a first round it must have been drawn from the prior:
// the others are, and its posterior cannot be mended later.
void check_dataset(Problem& problem, const TomlTable& root, const TaskLookup& find_task) {
  const TomlTable section = root.table("simulator");
  const DatasetSource source = dataset_source(problem.simulator);
  Index values = 0;
  try {
    const ExistingSimulations found = read_dataset(source, problem.prior.names());
    const SimulationRows rows = dataset_rows(found, problem.prior, source);  // checks theta
    problem.simulator.dataset_rows = found.rows();
    problem.simulator.dataset_checksum = dataset_checksum(found);
    values = found.x.cols();
    if (problem.noise.kind == NoiseKind::none) check_columns(rows, known_names(problem, values));
    const auto mismatches = prior_mismatches(rows, problem.prior);
    const bool first_round = problem.simulator.kind != SimulatorKind::dataset;
    if (first_round && !mismatches.empty()) fail(ErrorKind::input, "{}", mismatches[0]);
  } catch (const Error& error) {
    section.refuse("dataset", error.what());
  }
  const Index expected = expected_size(problem, find_task).value_or(values);
  if (values == expected) return;
  const bool by_noise = problem.noise.kind == NoiseKind::library;
  root.refuse_at(
      by_noise ? "noise" : "observation",
      fmt::format("{} has {} numbers, a row of x in the data set has {}",
                  by_noise ? "noise: what it is added to" : "observation: it", expected, values));
}

// One round with all there is, unless the file says otherwise.
void adapt_to_dataset(InferenceOptions& options, Index rows) {
  options.method = "mnre";
  options.budget = rows;
  options.round_fraction = 1;
  options.poisson_counts = false;
  options.final_fraction = 0;
}

void check_budget(const Problem& problem, const TomlTable& root) {
  with_line(root, "inference.", [&] { problem.simulator.check_budget(problem.options.budget); });
}

Problem with_task(const TomlTable& root, SimulatorSpec spec, const fs::path& folder,
                  const TaskLookup& find_task) {
  const KnownTask task = find_known_task(root, spec.task, find_task);
  if (root.has("parameters")) {
    root.refuse_with("parameters", fmt::format("parameters: the task '{}' has its own", spec.task));
  }
  if (root.has("noise")) {
    root.refuse_with("noise", fmt::format("noise: the data of task '{}' have theirs", spec.task));
  }
  Problem problem{.name = {},
                  .prior = read_derived_sections(root, task.prior),
                  .observation = task.observation,
                  .data = task.data,
                  .simulator = std::move(spec),
                  .options = {},
                  .marginals = {},
                  .seed = {}};
  if (root.has("observation")) {
    problem.observation = read_observation_section(root, folder);
    check_length(root, problem.observation.size(), task.observation.size(),
                 "the data of task '" + problem.simulator.task + "'");
  }
  if (!problem.simulator.dataset.empty()) check_dataset(problem, root, find_task);
  read_inference_section(problem, root, task.preset,
                         [&](InferenceOptions& options) { options.budget = task.budget; });
  check_budget(problem, root);
  return problem;
}

}  // namespace

DatasetSource dataset_source(const SimulatorSpec& spec) {
  HONE_ASSERT(!spec.dataset.empty());
  const fs::path folder = spec.directory;
  return {.file = folder / spec.dataset[0],
          .x_file = spec.dataset.size() > 1 ? folder / spec.dataset[1] : fs::path(),
          .theta = spec.theta,
          .x = spec.x};
}

OneShotOptions one_shot_options(const SimulatorSpec& spec,
                                const std::vector<std::string>& parameters) {
  HONE_ASSERT(spec.kind == SimulatorKind::run);
  return {.command = spec.arguments,
          .parameters = parameters,
          .directory = spec.directory,
          .parameter_file = spec.parameters,
          .result_file = spec.result,
          .workers = std::max(1, spec.workers),
          .timeout_seconds = spec.timeout,
          .retries = spec.retries,
          .scratch = {},
          .log = {}};
}

Problem read_problem_file(const fs::path& path, const TaskLookup& find_task) {
  const TomlDocument document = read_toml(path);
  const TomlTable root(document);
  root.allow_only(
      {"name", "simulator", "noise", "observation", "data", "parameters", "derived", "inference"});
  const std::string name = read_name(root, path);
  const fs::path folder = fs::absolute(path).parent_path().lexically_normal();
  SimulatorSpec spec = read_simulator_section(root, folder);
  if (spec.kind == SimulatorKind::task) {
    Problem problem = with_task(root, std::move(spec), folder, find_task);
    problem.name = name;
    if (root.has("data")) {
      problem.data = read_data_sections(root, problem.observation);
    }
    return problem;
  }
  Prior prior = read_derived_sections(root, read_parameter_sections(root));
  if (spec.kind == SimulatorKind::run) {
    try {
      check_placeholders(one_shot_options(spec, prior.names()));
    } catch (const Error& error) {
      root.table("simulator").refuse("run", error.what());
    }
  }
  Problem problem{.name = name,
                  .prior = std::move(prior),
                  .observation = read_observation_section(root, folder),
                  .simulator = std::move(spec),
                  .options = {},
                  .marginals = {},
                  .seed = {}};
  problem.data = read_data_sections(root, problem.observation);
  problem.noise =
      read_noise_section(root, folder, problem.prior.dimensions(), std::ssize(problem.observation));
  if (!problem.simulator.dataset.empty()) check_dataset(problem, root, find_task);
  read_inference_section(problem, root, "default", [&](InferenceOptions& options) {
    if (problem.simulator.kind != SimulatorKind::dataset) return;
    adapt_to_dataset(options, problem.simulator.dataset_rows);
  });
  check_budget(problem, root);
  return problem;
}

}  // namespace hone
