#include <pybind11/stl.h>

#include "hone/check/check_run.h"
#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "hone/inference/problem.h"
#include "hone/inference/run.h"
#include "hone/inference/run_files.h"
#include "hone/report/report.h"
#include "hone/report/reproduce.h"
#include "python/core/arrays.h"
#include "python/core/bindings.h"
#include "python/core/json.h"
#include "python/core/with_workforce.h"

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

void execute(Run& run, Ranks* ranks, const py::object& simulate, int threads,
             const py::object& progress) {
  with_workforce(run, {ranks, simulate, threads, progress}, [&](const Workforce& all) {
    run.execute(all.executor, all.observer, all.trainer);
  });
}

void train_more(Run& run, Ranks* ranks, const std::vector<Marginal>& marginals, int threads,
                const py::object& progress) {
  with_workforce(run, {ranks, py::none(), threads, progress}, [&](const Workforce& all) {
    run.train_more(marginals, all.observer, all.executor.noise(), all.trainer);
  });
}

py::object check(const Run& run, Ranks* ranks, Index simulations, bool correct,
                 const py::object& simulate, int threads, const py::object& progress) {
  Checks checks;
  with_workforce(run, {ranks, simulate, threads, progress}, [&](const Workforce& all) {
    const auto work = correct ? correct_run : check_run;
    checks = work(run, {.simulations = simulations}, &all.executor, all.observer, all.calibrator);
  });
  return to_python(to_json(checks));
}

py::object saved_checks(const Run& run) {
  const auto checks = read_checks(run.directory());
  return checks ? to_python(to_json(*checks)) : py::none();
}

// How much each marginal is widened: a list of (marginal, power).
std::vector<std::pair<Marginal, double>> correction(const Run& run) {
  const auto powers = run.correction().value_or(Correction{}).powers;
  return {powers.begin(), powers.end()};
}

void report(const Run& run, const TruthValues& truth, const std::vector<std::string>& figures) {
  std::vector<FigureFormat> formats;
  for (const std::string& name : figures) formats.push_back(figure_format("figure." + name));
  const py::gil_scoped_release release;
  write_report(run, {.truth = truth.empty() ? known_truth(run.spec()) : truth}, formats);
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
      .def("check", &check)
      .def("checks", &saved_checks)
      .def("correction", &correction)
      .def("remove_correction", &Run::remove_correction)
      .def("report", &report)
      .def("rounds", &rounds)
      .def("region", &Run::final_region)
      .def("estimators", &estimators)
      .def("simulations", &Run::simulations)
      .def("summary", [](const Run& run) -> py::object {
        const auto summary = run.correction() ? run.corrected_summary() : run.summary();
        return summary ? to_python(to_json(*summary)) : py::none();
      });
}

}  // namespace hone::python
