#include <pybind11/operators.h>
#include <pybind11/stl.h>

#include "hone/core/error.h"
#include "hone/prior/prior.h"
#include "hone/prior/truncated_prior.h"
#include "python/core/arrays.h"
#include "python/core/bindings.h"
#include "python/core/json.h"

namespace hone::python {
namespace {

// Distribution has no public destructor of a non-const kind: shared, and never changed.
struct BoundDistribution {
  DistributionPointer pointer;
};

BoundDistribution make_bound(const py::dict& fields) {
  return {make_distribution(distribution_spec_from_json(to_json(fields, "prior")))};
}

template <typename Function>
DoubleArray map_values(const DoubleArray& values, Function function) {
  const auto in = vector_view(values, "values");
  DoubleArray out(py::array::ShapeContainer{std::ssize(in)});
  for (std::size_t i = 0; i < in.size(); ++i) out.mutable_data()[i] = function(in[i]);
  return out;
}

py::list kinds() {
  py::list list;
  for (const DistributionKind& kind : distribution_kinds()) {
    py::list fields;
    for (const DistributionField& field : kind.fields) {
      fields.append(py::make_tuple(py::str(std::string(field.name)), field.fallback));
    }
    list.append(py::make_tuple(std::string(kind.name), std::string(kind.description), fields));
  }
  return list;
}

// Correlations as (parameter, parameter, value).
using Correlations = std::vector<std::tuple<int, int, double>>;

Prior make_prior(const std::vector<std::string>& names, const std::vector<std::string>& labels,
                 const std::vector<BoundDistribution>& distributions,
                 const Correlations& correlations) {
  std::vector<Parameter> parameters;
  for (std::size_t i = 0; i < names.size(); ++i) {
    parameters.push_back({names[i], labels.at(i), distributions.at(i).pointer});
  }
  if (correlations.empty()) return Prior(std::move(parameters));
  std::vector<Copula::Pair> pairs;
  for (const auto& [a, b, value] : correlations) pairs.push_back({a, b, value});
  return {std::move(parameters), Copula(static_cast<int>(names.size()), std::move(pairs))};
}

Correlations correlations_of(const Prior& prior) {
  Correlations result;
  if (prior.copula() == nullptr) return result;
  for (const auto& [a, b, value] : prior.copula()->pairs()) result.emplace_back(a, b, value);
  return result;
}

DoubleArray log_density(const Prior& prior, const DoubleArray& theta) {
  const auto rows = matrix_view(theta, "theta", prior.dimensions());
  DoubleArray out(py::array::ShapeContainer{rows.rows()});
  for (Index i = 0; i < rows.rows(); ++i) out.mutable_data()[i] = prior.log_density(rows.row(i));
  return out;
}

template <void (Prior::*convert)(MatrixView<double>, MatrixView<const double>) const>
DoubleArray converted(const Prior& prior, const DoubleArray& values) {
  const auto rows = matrix_view(values, "values", prior.dimensions());
  Matrix<double> out(rows.rows(), rows.cols());
  (prior.*convert)(out, rows);
  return to_numpy(out);
}

}  // namespace

void bind_prior(py::module_& m) {
  m.def("distribution_kinds", &kinds);
  py::class_<BoundDistribution>(m, "Distribution")
      .def(py::init(&make_bound))
      .def("spec", [](const BoundDistribution& d) { return to_python(to_json(d.pointer->spec())); })
      .def("support",
           [](const BoundDistribution& d) {
             return std::make_pair(d.pointer->lower(), d.pointer->upper());
           })
      .def("log_density",
           [](const BoundDistribution& d, const DoubleArray& x) {
             return map_values(x, [&](double v) { return d.pointer->log_density(v); });
           })
      .def("cdf",
           [](const BoundDistribution& d, const DoubleArray& x) {
             return map_values(x, [&](double v) { return d.pointer->cdf(v); });
           })
      .def("quantile", [](const BoundDistribution& d, const DoubleArray& p) {
        return map_values(p, [&](double v) { return d.pointer->quantile(v); });
      });
  py::class_<Prior>(m, "Prior")
      .def(py::init(&make_prior))
      .def("names", &Prior::names)
      .def("labels",
           [](const Prior& prior) {
             std::vector<std::string> labels;
             for (const Parameter& p : prior.parameters()) labels.push_back(p.label);
             return labels;
           })
      .def("distribution", [](const Prior& prior,
                              int d) { return BoundDistribution{prior.parameter(d).distribution}; })
      .def("correlations", &correlations_of)
      .def("derived", [](const Prior& prior) { return to_python(to_json(prior.derived())); })
      .def("with_derived",
           [](const Prior& prior, const py::list& derived) {
             return prior.with_derived(derived_from_json(to_json(derived, "derived")));
           })
      .def("quantity_names", &Prior::quantity_names)
      .def("quantity_labels", &Prior::quantity_labels)
      .def("log_density", &log_density)
      .def("to_unit", &converted<&Prior::to_unit>)
      .def("to_theta", &converted<&Prior::to_theta>)
      .def("to_json", [](const Prior& prior) { return to_python(to_json(prior)); })
      .def(py::self == py::self);
}

}  // namespace hone::python
