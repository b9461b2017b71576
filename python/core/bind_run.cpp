#include <pybind11/stl.h>

#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "hone/inference/problem.h"
#include "hone/inference/run.h"
#include "hone/inference/run_files.h"
#include "hone/tasks/task.h"
#include "python/core/arrays.h"
#include "python/core/bindings.h"
#include "python/core/json.h"
#include "python/core/python_executor.h"

namespace hone::python {
namespace {

NoiseSpec noise_from(const py::dict& noise) {
  if (noise.empty()) return {};
  NoiseSpec spec = noise_spec_from_json(to_json(noise, "noise"));
  if (noise.contains("covariance")) {
    spec.covariance = to_vector(noise["covariance"].cast<DoubleArray>(), "noise.covariance");
  }
  return spec;
}

RunSpec make_spec(const std::string& name, const py::dict& simulator, const py::dict& noise,
                  std::uint64_t seed, const Prior& prior, const DoubleArray& observation,
                  const std::vector<Marginal>& marginals, const InferenceOptions& options) {
  RunSpec spec{.name = name,
               .simulator = simulator_spec_from_json(to_json(simulator, "simulator")),
               .noise = noise_from(noise),
               .seed = seed,
               .prior = prior,
               .observation = to_vector(observation, "observation"),
               .marginals = marginals,
               .options = options};
  spec.validate();
  make_noise(spec.noise, prior.dimensions(), std::ssize(spec.observation));  // does it fit?
  return spec;
}

// Built-in tasks need nothing from Python, data sets no simulator at all.
Summary execute_alone(Run& run, Observer& observer) {
  const SimulatorSpec& simulator = run.spec().simulator;
  if (simulator.kind == SimulatorKind::task) {
    const auto task = find_task(simulator.task).simulator();
    const auto executor = make_thread_executor(
        *task, {.max_failed_fraction = run.spec().options.max_failed_fraction});
    return run.execute(*executor, observer);
  }
  NoExecutor executor;
  return run.execute(executor, observer);
}

void execute(Run& run, const py::object& simulate, int threads, const py::object& progress) {
  const RunSpec& spec = run.spec();
  PythonThread python(progress);
  PythonExecutor executor(python, simulate,
                          simulated_size(spec.noise, std::ssize(spec.observation)),
                          {.max_failed_fraction = spec.options.max_failed_fraction});
  const bool alone = simulate.is_none();
  python.serve([&] {
    with_threads(threads,
                 [&] { alone ? execute_alone(run, python) : run.execute(executor, python); });
  });
}

void train_more(Run& run, const std::vector<Marginal>& marginals, int threads,
                const py::object& progress) {
  PythonThread python(progress);
  python.serve([&] { with_threads(threads, [&] { run.train_more(marginals, python); }); });
}

std::vector<std::shared_ptr<RatioEstimator>> estimators(const Run& run) {
  std::vector<std::shared_ptr<RatioEstimator>> shared;
  for (RatioEstimator& one : run.estimators()) {
    shared.push_back(std::make_shared<RatioEstimator>(std::move(one)));
  }
  return shared;
}

py::list rounds(const Run& run) {
  py::list list;
  for (const Round& round : run.rounds()) {
    py::dict facts;
    facts["number"] = round.number;
    facts["region"] = round.region;
    facts["kept"] = round.kept;
    facts["simulated"] = round.simulated;
    facts["mass_ratio"] = round.cut.mass_ratio;
    facts["lost_mass"] = round.cut.lost_mass;
    list.append(facts);
  }
  return list;
}

}  // namespace

void bind_run(py::module_& m) {
  py::class_<RunSpec>(m, "RunSpec")
      .def(py::init(&make_spec))
      .def("to_json", [](const RunSpec& spec) { return to_python(to_json(spec)); });
  py::class_<Run>(m, "Run")
      .def_static("create", [](const std::string& directory,
                               const RunSpec& spec) { return Run::create(directory, spec); })
      .def_static("open", [](const std::string& directory) { return Run::open(directory); })
      .def("spec", [](const Run& run) { return to_python(to_json(run.spec())); })
      .def("prior", [](const Run& run) { return run.spec().prior; })
      .def("observation", [](const Run& run) { return to_numpy(run.spec().observation); })
      .def("finished", &Run::finished)
      .def("complete", &Run::complete)
      .def("execute", &execute)
      .def("train", &train_more)
      .def("rounds", &rounds)
      .def("region", &Run::final_region)
      .def("estimators", &estimators)
      .def("simulations", &Run::simulations)
      .def("summary", [](const Run& run) -> py::object {
        const auto summary = run.summary();
        return summary ? to_python(to_json(*summary)) : py::none();
      });
}

}  // namespace hone::python
