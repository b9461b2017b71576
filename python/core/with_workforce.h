#pragma once

#include <functional>

#include "hone/inference/run.h"
#include "python/core/python_executor.h"

namespace hone::python {

// Calls `work` in the engine's thread with who makes the simulations of a run: `simulate`, a
// Python object as PythonExecutor calls it; without one (None) a built-in task makes its own, and
// nobody can make those of other runs.
void with_executor(const Run& run, const py::object& simulate, int threads,
                   const py::object& progress,
                   const std::function<void(Executor&, Observer&)>& work);

}  // namespace hone::python
