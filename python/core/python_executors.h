#pragma once

#include <vector>

#include "hone/mpi/simulator_threads.h"
#include "hone/run/run_directory.h"
#include "python/core/python_executor.h"

namespace hone::python {

// Who makes simulations on one rank: nobody (None), an object that is called in the Python thread,
// or a list of objects, each called in a thread of its own (PythonExecutor says how). Made with the
// GIL; the objects must outlive it.
class PythonSimulator {
 public:
  explicit PythonSimulator(const py::object& simulate);
  bool none() const { return objects_.empty(); }

 private:
  friend ThreadExecutors python_executors(PythonThread&, const PythonSimulator&, const RunSpec&);
  std::vector<py::handle> objects_;
  CalledIn called_in_ = CalledIn::python_thread;
};

// The executors of one rank (hone/mpi/serve_rank_zero.h). Without a Python object a built-in task
// makes its own simulations. Needs no GIL.
ThreadExecutors python_executors(PythonThread& python, const PythonSimulator& simulator,
                                 const RunSpec& spec);

}  // namespace hone::python
