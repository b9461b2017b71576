#include "python/core/python_lanes.h"

#include "hone/tasks/task.h"

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

LaneExecutors python_lanes(PythonThread& python, const PythonSimulator& simulator,
                           const RunSpec& spec) {
  if (simulator.none()) {
    if (spec.simulator.kind != SimulatorKind::task) return {};
    return thread_lanes(find_task(spec.simulator.task).simulator());
  }
  const Index size = simulated_size(spec.noise, std::ssize(spec.observation));
  LaneExecutors lanes;
  for (const py::handle object : simulator.objects_) {
    lanes.executors.push_back(std::make_unique<PythonExecutor>(python, object, size, lane_options(),
                                                               simulator.called_in_));
  }
  return lanes;
}

}  // namespace hone::python
