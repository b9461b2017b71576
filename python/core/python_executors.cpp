#include "python/core/python_executors.h"

#include "hone/session/open_simulator.h"

namespace hone::python {

PythonSimulator::PythonSimulator(const py::object& simulate) {
  if (simulate.is_none()) return;
  if (!py::isinstance<py::list>(simulate)) {
    objects_.emplace_back(simulate);
    return;
  }
  called_in_ = CalledIn::own_thread;
  for (const py::handle one : simulate) objects_.emplace_back(one);
}

ThreadExecutors python_executors(PythonThread& python, const PythonSimulator& simulator,
                                 const RunSpec& spec) {
  if (simulator.none()) {
    if (spec.simulator.kind != SimulatorKind::task) return {};
    return open_thread_executors(spec, {});
  }
  const Index size = simulated_size(spec.noise, std::ssize(spec.observation));
  ThreadExecutors simulators;
  for (const py::handle object : simulator.objects_) {
    simulators.executors.push_back(std::make_unique<PythonExecutor>(
        python, object, size, per_thread_options(spec.data.may_be_missing()),
        simulator.called_in_));
  }
  return simulators;
}

}  // namespace hone::python
