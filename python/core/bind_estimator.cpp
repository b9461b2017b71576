#include <pybind11/stl.h>

#include "hone/core/parallel.h"
#include "hone/inference/method.h"
#include "hone/inference/truncation.h"
#include "python/core/arrays.h"
#include "python/core/bindings.h"
#include "python/core/json.h"
#include "python/core/python_executor.h"

namespace hone::python {
namespace {

// Networks for these marginals on the simulations of a store inside the region.
SharedPosterior train(SimulationStore& store, const Prior& prior, const Region& region,
                      const std::vector<Marginal>& marginals, const InferenceOptions& options,
                      std::uint64_t seed, int threads, const py::object& progress) {
  SharedPosterior result;
  PythonThread python(progress);
  python.serve([&] {
    with_threads(threads, [&] {
      const Rng rng(seed);
      Simulations simulations(prior, store, no_executor(), rng);
      simulations.take_existing(store.next_id());
      const Dataset data = simulations.inside(region, options.validation_fraction);
      // The stream of a run: the same simulations give the same networks.
      const EstimatorKind& kind = find_method(options.method).estimator();
      const int ensemble = kind.fit(options, data_size(data)).ensemble;
      result = estimate(kind, {data, marginals, ensemble, options, rng.child("final"), python})
                   .posterior;
    });
  });
  return result;
}

py::tuple truncate_at(const AmortizedPosterior& estimator, Index rows, const DoubleArray& x,
                      const InferenceOptions& options) {
  const InferenceOptions used = fitted(options, {rows, rows, estimator.data_size()});
  const Cut cut = truncate(estimator, vector_view(x, "x"), used.truncation);
  py::dict facts;
  facts["mass_ratio"] = cut.mass_ratio;
  facts["axis_ratio"] = cut.axis_ratio;
  facts["lost_mass"] = cut.lost_mass;
  return py::make_tuple(cut.region, facts);
}

py::dict arrays_of(const AmortizedPosterior& estimator) {
  py::dict result;
  for (const NamedArray& array : estimator.to_arrays()) {
    std::visit(
        [&](const auto& values) {
          using T = typename std::decay_t<decltype(values)>::value_type;
          result[py::str(array.name)] = py::array_t<T>(array.shape, values.data());
        },
        array.values);
  }
  return result;
}

template <typename T>
NamedArray named(const std::string& name, const py::array& array) {
  const auto values = py::array_t<T, py::array::c_style>::ensure(array);
  return {name,
          {values.shape(), values.shape() + values.ndim()},
          std::vector<T>(values.data(), values.data() + values.size())};
}

SharedPosterior from_arrays(const std::string& kind, const Prior& prior, const Region& region,
                            const py::dict& dict) {
  std::vector<NamedArray> arrays;
  for (const auto& [key, value] : dict) {
    const std::string name = py::str(key);
    const auto array = value.cast<py::array>();
    arrays.push_back(py::isinstance<py::array_t<float>>(array) ? named<float>(name, array)
                                                               : named<double>(name, array));
  }
  return find_estimator(kind).load(prior, region, arrays);
}

}  // namespace

void bind_estimator(py::module_& m) {
  py::class_<AmortizedPosterior, std::shared_ptr<AmortizedPosterior>>(m, "AmortizedPosterior")
      .def("estimator", &AmortizedPosterior::estimator)
      .def("prior", [](const AmortizedPosterior& e) { return e.prior().prior(); })
      .def("region", [](const AmortizedPosterior& e) { return e.prior().region(); })
      .def("marginals", &AmortizedPosterior::marginals)
      .def("ensemble", &AmortizedPosterior::ensemble)
      .def("truncate", &truncate_at)
      .def("to_arrays", &arrays_of)
      .def_static("from_arrays", &from_arrays);
  m.def("train", &train);
}

}  // namespace hone::python
