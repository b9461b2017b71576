#include "python/core/python_executor.h"

#include <algorithm>

#include <pybind11/stl.h>

#include "hone/core/error.h"
#include "hone/simulator/delivery.h"
#include "python/core/arrays.h"

namespace hone::python {
namespace {

FinishedBlock make_block(Index begin, const DoubleArray& x, std::vector<Failure> failures,
                         Index data_size, Index rows, std::span<const char> may_be_missing) {
  FinishedBlock block{begin, to_matrix(x, "x", data_size), std::move(failures)};
  HONE_ASSERT(std::ssize(block.failures) == block.rows());
  HONE_ASSERT(begin >= 0 && begin + block.rows() <= rows);
  for (Index i = 0; i < block.rows(); ++i) {
    Failure& failure = block.failures[static_cast<std::size_t>(i)];
    if (!failure) failure = check_data(block.x.row(i), may_be_missing);
  }
  return block;
}

}  // namespace

PythonExecutor::PythonExecutor(PythonThread& python, py::handle simulate, Index data_size,
                               ExecutorOptions options, CalledIn called_in)
    : python_(python),
      simulate_(simulate),
      data_size_(data_size),
      options_(std::move(options)),
      called_in_(called_in) {
  options_.validate();
}

void PythonExecutor::call(const std::function<void()>& task) {
  if (called_in_ == CalledIn::python_thread) return python_.call(task);
  const py::gil_scoped_acquire gil;
  try {
    task();
  } catch (const py::error_already_set& error) {
    throw Error(ErrorKind::simulator, error.what());  // the Python exception itself needs the GIL
  }
}

ExecutionSummary PythonExecutor::run(const SimulationRequest& request, const SimulationSink& sink,
                                     Observer& observer) {
  Delivery delivery(request, data_size_, options_, sink, observer);
  const auto deliver = [&](Index begin, const DoubleArray& x, std::vector<Failure> failures) {
    if (failures.empty()) return !delivery.stopping();
    FinishedBlock block = make_block(begin, x, std::move(failures), data_size_, request.rows(),
                                     options_.may_be_missing);
    {
      const py::gil_scoped_release release;
      delivery.push(std::move(block));
    }
    if (called_in_ == CalledIn::python_thread) python_.show_progress();
    return !delivery.stopping();
  };
  try {
    call([&] {
      const py::array_t<std::uint64_t> seeds(py::array::ShapeContainer{request.rows()},
                                             request.seeds.data());
      simulate_(to_numpy(request.theta), seeds, py::cpp_function(deliver));
    });
  } catch (...) {
    delivery.simulator_gave_up(std::current_exception());
  }
  return delivery.finish();
}

}  // namespace hone::python
