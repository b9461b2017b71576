#include <pybind11/stl.h>

#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "hone/posterior/marginal_grid.h"
#include "hone/posterior/sampling.h"
#include "hone/posterior/summary.h"
#include "hone/problem/problem.h"
#include "python/core/arrays.h"
#include "python/core/bindings.h"
#include "python/core/json.h"
#include "python/core/python_thread.h"

namespace hone::python {
namespace {

// The posterior of one marginal for one x, with the networks it looks at.
struct BoundPosterior {
  SharedPosterior posteriors;
  MarginalPosterior posterior;
};

BoundPosterior make_posterior(const std::shared_ptr<AmortizedPosterior>& posteriors,
                              const Marginal& marginal, const DoubleArray& x, double power) {
  MarginalPosterior posterior(*posteriors, marginal, vector_view(x, "x"), power);
  return {posteriors, std::move(posterior)};
}

DoubleArray log_density(const BoundPosterior& bound, const DoubleArray& theta) {
  const auto rows = matrix_view(theta, "theta", bound.posterior.dimensions());
  std::vector<double> result;
  {
    const py::gil_scoped_release release;
    result = bound.posterior.log_density(rows);
  }
  return to_numpy(result);
}

py::tuple sample(const BoundPosterior& bound, Index rows, std::uint64_t seed, int threads) {
  PosteriorSamples samples;
  PythonThread python{py::none()};
  python.serve([&] {
    with_threads(threads, [&] {
      samples = sample_posterior(bound.posterior, rows, Rng(seed).child("sample"));
    });
  });
  return py::make_tuple(to_numpy(samples.theta), samples.method, samples.acceptance,
                        samples.effective_size);
}

MarginalGrid grid(const BoundPosterior& bound, Index cells) {
  if (bound.posterior.dimensions() > 2) {
    fail(ErrorKind::input, "a grid has 1 or 2 dimensions, this posterior {}; draw samples instead",
         bound.posterior.dimensions());
  }
  const py::gil_scoped_release release;
  return make_grid(bound.posterior, cells);
}

std::vector<std::pair<double, double>> intervals(const MarginalGrid& grid, double level) {
  std::vector<std::pair<double, double>> result;
  for (const ThetaInterval& one : highest_density_intervals(grid, level)) {
    result.emplace_back(one.low, one.high);
  }
  return result;
}

// (cells of the first axis, ...) as the axes are.
DoubleArray shaped(const MarginalGrid& grid, const std::vector<double>& values) {
  std::vector<py::ssize_t> shape;
  for (const GridAxis& axis : grid.axes) shape.push_back(static_cast<py::ssize_t>(axis.cells()));
  return DoubleArray(shape, values.data());
}

}  // namespace

void bind_posterior(py::module_& m) {
  m.def("marginals_from_words", &marginals_from_words);
  m.def("parse_marginal", &parse_marginal);
  py::class_<MarginalGrid>(m, "Grid")
      .def("theta",
           [](const MarginalGrid& g, std::size_t axis) { return to_numpy(g.axes.at(axis).theta); })
      .def("edges",
           [](const MarginalGrid& g, std::size_t axis) {
             return py::make_tuple(to_numpy(g.axes.at(axis).low), to_numpy(g.axes.at(axis).high));
           })
      .def("mass", [](const MarginalGrid& g) { return shaped(g, g.mass); })
      .def("density", [](const MarginalGrid& g) { return shaped(g, g.density); })
      .def("quantile", [](const MarginalGrid& g, double p) { return grid_quantile(g, p); })
      .def("intervals", &intervals)
      .def("density_at_level", &density_at_level)
      .def("summary", [](const MarginalGrid& g, const std::string& name) {
        const auto json = to_json(Summary{{summarize_parameter(g, name)}, {}});
        return to_python(json.at("parameters").at(0));
      });
  py::class_<BoundPosterior>(m, "MarginalPosterior")
      .def(py::init(&make_posterior))
      .def("log_density", &log_density)
      .def("sample", &sample)
      .def("grid", &grid);
}

}  // namespace hone::python
