#include <pybind11/stl.h>

#include "hone/core/parallel.h"
#include "hone/metrics/comparison.h"
#include "python/core/arrays.h"
#include "python/core/bindings.h"
#include "python/core/python_thread.h"

namespace hone::python {
namespace {

py::list marginals(const std::vector<MarginalC2st>& all) {
  py::list list;
  for (const MarginalC2st& one : all) list.append(py::make_tuple(one.columns, one.value));
  return list;
}

py::tuple pair(const Distance& distance) {
  return py::make_tuple(distance.value, distance.if_equal);
}

// What was measured, as plain values; hone/comparison.py gives them names.
py::dict to_dict(const Comparison& c) {
  py::dict result;
  result["draws"] = c.draws;
  result["c2st_noise"] = c2st_noise(c.draws);
  if (c.c2st) result["c2st"] = *c.c2st;
  if (!c.c2st_1d.empty()) result["c2st_1d"] = marginals(c.c2st_1d);
  if (!c.c2st_2d.empty()) result["c2st_2d"] = marginals(c.c2st_2d);
  if (!c.kl.empty()) {
    py::list list;
    for (const Distance& one : c.kl) list.append(pair(one));
    result["kl"] = list;
  }
  if (c.wasserstein) result["wasserstein"] = pair(*c.wasserstein);
  if (c.mmd) result["mmd"] = py::make_tuple(c.mmd->squared, c.mmd->noise);
  return result;
}

py::dict compare(const DoubleArray& a, const DoubleArray& b, const std::vector<std::string>& names,
                 std::uint64_t seed, int threads, const py::object& progress) {
  std::vector<Metric> metrics;
  for (const std::string& name : names) metrics.push_back(parse_metric(name));
  const auto first = matrix_view(a, "a"), second = matrix_view(b, "b", first.cols());
  Comparison result;
  PythonThread python(progress);
  python.serve([&] {
    with_threads(threads, [&] {
      result = compare_samples(first, second, metrics, Rng(seed).child("compare"), python);
    });
  });
  return to_dict(result);
}

}  // namespace

void bind_metrics(py::module_& m) {
  m.def("metric_names", &metric_names);
  m.def("compare", &compare);
}

}  // namespace hone::python
