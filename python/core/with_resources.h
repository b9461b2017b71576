#pragma once

#include <functional>

#include "hone/session/resources.h"
#include "python/core/python_thread.h"
#include "python/core/ranks.h"

namespace hone::python {

// Who works on a run, as Python says it.
struct PythonResources {
  Ranks* ranks;         // null: this process alone
  py::object simulate;  // as PythonSimulator takes it; without ranks one object or None
  int threads;
  py::object progress;
};

// Calls `work` in the engine's thread. Simulations are made by the Python object; without it a
// built-in task makes its own, and nobody can make those of other runs.
void with_resources(const RunDirectory& run, const PythonResources& wanted,
                    const std::function<void(const Resources&, PythonThread&)>& work);

}  // namespace hone::python
