#include <numeric>

#include <pybind11/stl.h>

#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "hone/estimate/simulations.h"
#include "hone/store/dataset_file.h"
#include "python/core/arrays.h"
#include "python/core/bindings.h"
#include "python/core/python_executor.h"

namespace hone::python {
namespace {

using Ids = std::vector<std::int64_t>;

// Rows drawn elsewhere, from the prior. What is wrong with them is said of `name`.
void append(SimulationStore& store, const Prior& prior, const DoubleArray& theta,
            const DoubleArray& x, const std::string& name) {
  const ExistingSimulations given{to_matrix(theta, "theta", prior.dimensions()),
                                  to_matrix(x, "x", store.schema().data_size)};
  SimulationRows rows =
      dataset_rows(given, prior, {.file = name}, store.schema().data.may_be_missing());
  std::iota(rows.ids.begin(), rows.ids.end(), store.next_id());
  store.append(rows);
}

// Of arrays (n, parameters) and (n, data).
std::string checksum_of(const DoubleArray& theta, const DoubleArray& x) {
  return dataset_checksum(
      {to_matrix(theta, "theta", theta.shape(1)), to_matrix(x, "x", x.shape(1))});
}

py::array_t<float> read_x(const SimulationStore& store, const Ids& ids) {
  const auto source = store.x_rows(ids);
  py::array_t<float> out({source->rows(), source->cols()});
  std::vector<Index> rows(ids.size());
  std::iota(rows.begin(), rows.end(), Index{0});
  const MatrixView<float> view(out.mutable_data(), source->rows(), source->cols());
  const py::gil_scoped_release release;
  source->read(view, rows);
  return out;
}

// Of all simulations with these ids: round, seed, whether it failed.
py::tuple columns(const SimulationStore& store, const Ids& ids) {
  const auto size = static_cast<py::ssize_t>(ids.size());
  const py::array::ShapeContainer shape{size};
  py::array_t<std::int32_t> rounds(shape);
  py::array_t<std::uint64_t> seeds(shape);
  py::array_t<bool> failed(shape);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const SimulationInfo info = store.info(ids[i]);
    rounds.mutable_data()[i] = info.round;
    seeds.mutable_data()[i] = info.seed;
    failed.mutable_data()[i] = info.failed;
  }
  return py::make_tuple(rounds, seeds, failed);
}

Ids inside(const SimulationStore& store, const Prior& prior, const Region& region) {
  return store.rows_inside(
      [&](std::span<const double> theta) { return region.contains(prior, theta); });
}

void simulate(SimulationStore& store, const Prior& prior, const Region& region, Index count,
              int round, std::uint64_t seed, double max_failed_fraction, const py::object& simulate,
              const py::object& progress) {
  PythonThread python(progress);
  PythonExecutor executor(python, simulate, store.schema().data_size,
                          {.max_failed_fraction = max_failed_fraction});
  python.serve([&] {
    Simulations simulations(prior, store, executor, Rng(seed), nullptr, max_failed_fraction);
    simulations.take_existing(store.next_id());
    simulations.simulate(region, round, count, python);
  });
}

}  // namespace

void bind_store(py::module_& m) {
  using Store = SimulationStore;
  m.def("dataset_checksum", &checksum_of);
  py::class_<Store>(m, "Store")
      .def_static("create",
                  [](const std::string& directory, const std::vector<std::string>& parameters,
                     Index data_size) {
                    return Store::create(directory,
                                         {.parameters = parameters, .data_size = data_size});
                  })
      .def_static(
          "open",
          [](const std::string& directory) { return Store::open(directory, Store::Access::write); })
      .def("parameters", [](const Store& store) { return store.schema().parameters; })
      .def("data_size", [](const Store& store) { return store.schema().data_size; })
      .def("rows", &Store::rows)
      .def("failed_rows", &Store::failed_rows)
      .def("failure_reasons", &Store::failure_reasons)
      .def("append", &append)
      .def("ids", [](const Store& store) { return store.select([](const auto&) { return true; }); })
      .def("valid_ids",
           [](const Store& s) { return s.select([](const auto& info) { return !info.failed; }); })
      .def("inside", &inside)
      .def("columns", &columns)
      .def("theta",
           [](const Store& store, const Ids& ids) { return to_numpy(store.read_theta(ids)); })
      .def("x", &read_x)
      .def("simulate", &simulate);
}

}  // namespace hone::python
