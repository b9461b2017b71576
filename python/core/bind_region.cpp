#include <pybind11/operators.h>
#include <pybind11/stl.h>

#include "hone/prior/half_spaces.h"
#include "hone/prior/truncated_prior.h"
#include "python/core/arrays.h"
#include "python/core/bindings.h"
#include "python/core/json.h"

namespace hone::python {
namespace {

std::vector<std::pair<double, double>> bounds(const Region& region, const Prior& prior, int d) {
  std::vector<std::pair<double, double>> result;
  for (const Bounds& b : theta_bounds(prior, region, d)) result.emplace_back(b.low, b.high);
  return result;
}

Region from_bounds(const Prior& prior, const std::vector<std::pair<double, double>>& axes) {
  std::vector<Bounds> all;
  for (const auto& [low, high] : axes) all.push_back({low, high});
  return region_from_theta(prior, all);
}

py::array_t<bool> contains(const Region& region, const Prior& prior, const DoubleArray& theta) {
  const auto rows = matrix_view(theta, "theta", prior.dimensions());
  py::array_t<bool> result(py::array::ShapeContainer{rows.rows()});
  for (Index i = 0; i < rows.rows(); ++i) {
    result.mutable_data()[i] = region.contains(prior, rows.row(i));
  }
  return result;
}

// Where coefficients . u <= limit.
Region constrained(const Region& region, std::vector<double> coefficients, double limit) {
  return region.constrained(std::make_shared<const HalfSpaces>(
      std::vector<HalfSpaces::Condition>{{std::move(coefficients), limit}}));
}

py::object constraint(const Region& region) {
  if (!region.has_constraint()) return py::none();
  return to_python(region.constraint()->to_json());
}

DoubleArray log_density(const Region& region, const Prior& prior, const DoubleArray& theta) {
  const TruncatedPrior truncated(prior, region);
  const auto rows = matrix_view(theta, "theta", prior.dimensions());
  DoubleArray result(py::array::ShapeContainer{rows.rows()});
  for (Index i = 0; i < rows.rows(); ++i) {
    result.mutable_data()[i] = truncated.log_density(rows.row(i));
  }
  return result;
}

}  // namespace

void bind_region(py::module_& m) {
  py::class_<Region>(m, "Region")
      .def_static("whole", &Region::whole)
      .def_static("from_bounds", &from_bounds)
      .def_static("from_json",
                  [](const py::dict& json) { return region_from_json(to_json(json, "region")); })
      .def("to_json", [](const Region& region) { return to_python(to_json(region)); })
      .def("dimensions", &Region::dimensions)
      .def("mass", &Region::mass)
      .def("log_mass", &Region::log_mass)
      .def("axis_mass", &Region::axis_mass)
      .def("bounds", &bounds)
      .def("constrained", &constrained)
      .def("constraint", &constraint)
      .def("contains", &contains)
      .def("log_density", &log_density)
      .def("intersect", &Region::intersect)
      .def("sample",
           [](const Region& region, const Prior& prior, Index rows, std::uint64_t seed) {
             return to_numpy(sample(prior, region, rows, Rng(seed).child("sample")).theta);
           })
      .def("text",
           [](const Region& region, const Prior& prior) { return to_string(region, prior); })
      .def(py::self == py::self);
}

}  // namespace hone::python
