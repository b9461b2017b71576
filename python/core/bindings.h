#pragma once

#include <string>

#include <pybind11/pybind11.h>

#include "hone/core/error.h"

// hone._core: the public headers for the Python files beside it, one function per subject. Nothing
// here is meant for users: arguments arrive checked, and names are chosen for the Python side.

namespace hone::python {

// What the command line calls `hone resume DIR`.
std::string python_words(Action action, const std::string& run);

void bind_errors(pybind11::module_& m);
void bind_prior(pybind11::module_& m);
void bind_region(pybind11::module_& m);
void bind_options(pybind11::module_& m);
void bind_estimator(pybind11::module_& m);
void bind_posterior(pybind11::module_& m);
void bind_store(pybind11::module_& m);
void bind_ranks(pybind11::module_& m);
void bind_run(pybind11::module_& m);
void bind_models(pybind11::module_& m);
void bind_metrics(pybind11::module_& m);
void bind_figure(pybind11::module_& m);

}  // namespace hone::python
