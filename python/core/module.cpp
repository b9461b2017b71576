#include <pybind11/stl.h>

#include "hone/core/data_kinds.h"
#include "hone/core/suggestion.h"
#include "hone/core/version.h"
#include "python/core/bindings.h"

PYBIND11_MODULE(_core, m) {
  using namespace hone::python;
  m.doc() = "The engine of hone. Use the package hone.";
  m.attr("version") = hone::version();
  m.def("suggestion", &hone::suggestion);
  m.def("data_kinds", &hone::data_kind_names);
  bind_errors(m);
  bind_options(m);
  bind_prior(m);
  bind_region(m);
  bind_store(m);
  bind_estimator(m);
  bind_posterior(m);
  bind_ranks(m);
  bind_run(m);
  bind_models(m);
  bind_metrics(m);
  bind_figure(m);
}
