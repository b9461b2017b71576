#include <pybind11/stl.h>

#include "hone/core/parallel.h"
#include "hone/session/compare_runs.h"
#include "python/core/bindings.h"
#include "python/core/json.h"
#include "python/core/python_thread.h"

namespace hone::python {
namespace {

py::object models(const std::vector<const RunDirectory*>& runs, const std::vector<double>& prior,
                  int threads, const py::object& progress) {
  nlohmann::ordered_json found;
  PythonThread python(progress);
  python.serve([&] {
    with_threads(threads, [&] {
      const ModelComparisonOptions options{prior};
      options.validate(runs.size());
      found = runs.size() == 1 ? to_json(evidence_of_run(*runs[0]))
                               : to_json(compare_runs(runs, options, python));
    });
  });
  return to_python(found);
}

}  // namespace

void bind_models(py::module_& m) {
  m.def("models", &models);
}

}  // namespace hone::python
