#pragma once

#include <pybind11/pybind11.h>

#include "hone/simulator/executor.h"
#include "python/core/python_thread.h"

namespace hone::python {

// Where Python is called: in the thread that called hone, where a simulator may run; or in the
// executor's own, for objects that hand the work to other processes.
enum class CalledIn { python_thread, own_thread };

// Runs simulations by a Python object. The object is called as
//   simulate(theta, seeds, deliver)    theta: (n, parameters)  seeds: (n) uint64
// and calls deliver(begin, x, failures) for neighbouring rows that are finished, in any order:
// x (k, data_size) of rows begin .. begin + k - 1, failures a list of k reasons or None. A
// deliver() that returns False asks it to stop; one without rows only asks.
class PythonExecutor final : public Executor {
 public:
  // The object must outlive the executor, which never owns it: it lives in the engine's thread.
  PythonExecutor(PythonThread& python, py::handle simulate, Index data_size,
                 ExecutorOptions options, CalledIn called_in = CalledIn::python_thread);

  ExecutionSummary run(const SimulationRequest& request, const SimulationSink& sink,
                       Observer& observer) override;

 private:
  void call(const std::function<void()>& task);

  PythonThread& python_;
  py::handle simulate_;
  Index data_size_;
  ExecutorOptions options_;
  CalledIn called_in_;
};

}  // namespace hone::python
