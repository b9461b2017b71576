#include <pybind11/stl.h>

#include "hone/check/check_run.h"
#include "hone/check/joint_check.h"
#include "hone/check/other_data.h"
#include "hone/check/predict_run.h"
#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "hone/problem/problem.h"
#include "hone/report/report.h"
#include "hone/report/reproduce.h"
#include "hone/run/extend_run.h"
#include "hone/run/finished_run.h"
#include "hone/run/joint_run.h"
#include "hone/session/session.h"
#include "python/core/arrays.h"
#include "python/core/bindings.h"
#include "python/core/json.h"
#include "python/core/with_resources.h"

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
                  const std::vector<Marginal>& marginals, const InferenceOptions& options,
                  const py::list& data) {
  RunSpec spec{.name = name,
               .simulator = simulator_spec_from_json(to_json(simulator, "simulator")),
               .noise = noise_from(noise),
               .seed = seed,
               .prior = prior,
               .observation = to_vector(observation, "observation"),
               .data = data_description_from_json(to_json(data, "data")),
               .marginals = marginals,
               .options = options};
  spec.validate();
  make_noise(spec.noise, prior.dimensions(), std::ssize(spec.observation));  // does it fit?
  return spec;
}

// Of the noise, row by row, which to_json() leaves out; empty: it has none.
DoubleArray covariance(const RunSpec& spec) {
  return to_numpy(spec.noise.covariance);
}

// Inference, checks and, if wished, the report: what is left of them.
// Returns why there is no report; empty: there is one, or none was wished.
std::string finish(RunDirectory& run, Ranks* ranks, const py::object& simulate, int threads,
                   const py::object& progress, bool report, bool exact) {
  std::string report_error;
  with_resources(
      run, {ranks, simulate, threads, progress},
      [&](const Resources& resources, Observer& observer) {
        report_error =
            finish_run(run, resources, observer, {.report = report, .exact = exact}).report_error;
      });
  return report_error;
}

void train(const RunDirectory& run, Ranks* ranks, const std::vector<Marginal>& marginals,
           int threads, const py::object& progress) {
  with_resources(run, {ranks, py::none(), threads, progress},
                 [&](const Resources& resources, Observer& observer) {
                   train_more(run, marginals, observer, resources.executor().noise(),
                              resources.trainer());
                 });
}

void derive(RunDirectory& run, Ranks* ranks, const py::list& derived, int threads,
            const py::object& progress, bool report) {
  const auto quantities = derived_from_json(to_json(derived, "derived"));
  with_resources(run, {ranks, py::none(), threads, progress},
                 [&](const Resources& resources, Observer& observer) {
                   add_derived(run, quantities, resources, observer, {.report = report});
                 });
}

py::object check(const RunDirectory& run, Ranks* ranks, Index simulations, bool correct,
                 const py::object& simulate, int threads, const py::object& progress) {
  Checks checks;
  with_resources(run, {ranks, simulate, threads, progress},
                 [&](const Resources& resources, Observer& observer) {
                   const auto work = correct ? correct_run : check_run;
                   checks = work(run, {.simulations = simulations}, &resources.executor(), observer,
                                 resources.calibrator());
                 });
  return to_python(to_json(checks, python_words));
}

// Callables of one array, which are called in the Python thread.
std::vector<UserStatistic> user_statistics(const py::dict& callables, PythonThread& python) {
  std::vector<UserStatistic> result;
  python.call([&] {
    for (const auto& [name, callable] : callables) {
      result.push_back(
          {name.cast<std::string>(), [&python, call = callable.ptr()](auto x) {
             double value = 0;
             python.call([&] { value = py::handle(call)(to_numpy(x)).template cast<double>(); });
             return value;
           }});
    }
  });
  return result;
}

py::object predict(const RunDirectory& run, Ranks* ranks, Index simulations,
                   const std::string& from, const py::dict& statistics, bool anyway,
                   const py::object& simulate, int threads, const py::object& progress) {
  Predictive found;
  with_resources(run, {ranks, simulate, threads, progress},
                 [&](const Resources& resources, PythonThread& python) {
                   const PredictOptions options{.simulations = simulations,
                                                .from = from,
                                                .statistics = user_statistics(statistics, python),
                                                .anyway = anyway};
                   found = predict_run(run, options, resources.executor(), python);
                 });
  return to_python(to_json(found));
}

// (draws, {"status", "reason", "source"} of their posterior)
py::tuple sample_joint(const RunDirectory& run, Ranks* ranks, Index rows, std::uint64_t seed,
                       bool anyway, int threads, const py::object& progress) {
  Matrix<double> draws;
  CheckedJoint joint;
  with_resources(run, {ranks, py::none(), threads, progress},
                 [&](const Resources& resources, Observer& observer) {
                   const NoiseModel* noise = resources.executor().noise();
                   joint = checked_joint(run, observer, noise);
                   require_usable(run, joint, "draw from marginals (run.posterior)", anyway);
                   draws = joint_draws(run, *joint.posterior, run.spec().observation, rows,
                                       Rng(seed).child("sample"));
                 });
  py::dict facts;
  facts["status"] = to_string(joint.check.status);
  facts["reason"] = joint.check.reason;
  facts["source"] = joint.source();
  return py::make_tuple(to_numpy(draws), facts);
}

py::object saved_checks(const RunDirectory& run) {
  const auto checks = read_checks(run);
  return checks ? to_python(to_json(*checks, python_words)) : py::none();
}

// How much each marginal is widened: a list of (marginal, power).
std::vector<std::pair<Marginal, double>> correction(const RunDirectory& run) {
  const auto powers = run.correction().value_or(Correction{}).powers;
  return {powers.begin(), powers.end()};
}

void report(const RunDirectory& run, const TruthValues& truth,
            const std::vector<std::string>& figures) {
  std::vector<FigureFormat> formats;
  formats.reserve(figures.size());
  for (const std::string& name : figures) formats.push_back(figure_format("figure." + name));
  const py::gil_scoped_release release;
  write_report(run, {.truth = truth.empty() ? known_truth(run.spec()) : truth}, formats);
}

std::vector<SharedPosterior> posteriors(const RunDirectory& run) {
  std::vector<SharedPosterior> shared;
  for (const TrainedPosterior& one : run.posteriors()) shared.push_back(one.posterior);
  return shared;
}

// {"status", "reason"} of other data than the observation; None where nothing can be said.
py::object compare_data(const RunDirectory& run, const py::object& x) {
  const std::vector<TrainedPosterior> trained = run.posteriors();
  const auto found = compare_with_simulations(run, *trained.at(0).posterior, to_vector(x, "x"));
  if (!found) return py::none();
  py::dict facts;
  facts["status"] = to_string(found->status);
  facts["reason"] = found->reason;
  return facts;
}

py::list rounds(const RunDirectory& run) {
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
      .def("to_json", [](const RunSpec& spec) { return to_python(to_json(spec)); })
      .def("covariance", &covariance);
  py::class_<RunDirectory>(m, "Run")
      .def_static("create",
                  [](const std::string& directory, const RunSpec& spec) {
                    return RunDirectory::create(directory, spec);
                  })
      .def_static("open",
                  [](const std::string& directory) { return RunDirectory::open(directory); })
      .def_static("is_run",
                  [](const std::string& directory) { return RunDirectory::is_run(directory); })
      .def_static("dataset_file",
                  [](const std::string& directory) {
                    return RunDirectory::dataset_file(directory).string();
                  })
      .def("report_page", [](const RunDirectory& run) { return run.report_page().string(); })
      .def("simulations_folder",
           [](const RunDirectory& run) { return run.simulations().path().string(); })
      .def("simulator_log", [](const RunDirectory& run) { return run.simulator_log().string(); })
      .def("spec", [](const RunDirectory& run) { return to_python(to_json(run.spec())); })
      .def("covariance", [](const RunDirectory& run) { return covariance(run.spec()); })
      .def("prior", [](const RunDirectory& run) { return run.spec().prior; })
      .def("observation", [](const RunDirectory& run) { return to_numpy(run.spec().observation); })
      .def("verified", &RunDirectory::verified)
      .def("finished", &RunDirectory::finished)
      .def("complete", &RunDirectory::complete)
      .def("finish", &finish)
      .def("train", &train)
      .def("derive", &derive)
      .def("check", &check)
      .def("predict", &predict)
      .def("sample_joint", &sample_joint)
      .def("checks", &saved_checks)
      .def("correction", &correction)
      .def("remove_correction", &remove_correction)
      .def("report", &report)
      .def("compare_data", &compare_data)
      .def("extend", &extend_run)
      .def("rounds", &rounds)
      .def("region", &RunDirectory::final_region)
      .def("estimators", &posteriors)
      .def("simulations", &RunDirectory::store)
      .def("summary", [](const RunDirectory& run) -> py::object {
        const auto summary = run.summary();
        return summary ? to_python(to_json(*summary, python_words)) : py::none();
      });
}

}  // namespace hone::python
