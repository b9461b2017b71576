#pragma once

#include <functional>

#include "hone/check/calibrator.h"
#include "hone/inference/marginal_trainer.h"
#include "hone/inference/run.h"
#include "python/core/ranks.h"

namespace hone::python {

// Who works on a run, as Python says it.
struct Hands {
  Ranks* ranks;         // null: this process alone
  py::object simulate;  // as PythonSimulator takes it; without ranks one object or None
  int threads;
  py::object progress;
};

struct Workforce {
  Executor& executor;
  MarginalTrainer& trainer;
  Calibrator& calibrator;
  Observer& observer;
};

// Calls `work` in the engine's thread. Simulations are made by Hands::simulate; without it a
// built-in task makes its own, and nobody can make those of other runs.
void with_workforce(const Run& run, const Hands& hands,
                    const std::function<void(const Workforce&)>& work);

}  // namespace hone::python
