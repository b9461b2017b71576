#include "hone/core/error.h"
#include "hone/core/visible_text.h"
#include "python/core/bindings.h"

namespace hone::python {

namespace py = pybind11;

namespace {

// The class of hone/errors.py.
const char* class_name(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::input: return "InputError";
    case ErrorKind::io: return "FileError";
    case ErrorKind::simulator: return "SimulatorError";
    case ErrorKind::numerical: return "NumericalError";
    case ErrorKind::interrupted: return "Interrupted";
  }
  return "Error";
}

// Messages may quote a path or a program's output, which a terminal must not obey and which need
// not be valid UTF-8.
py::str decoded(const std::string& message) {
  const std::string text = visible_text(message);
  return py::reinterpret_steal<py::str>(
      PyUnicode_DecodeUTF8(text.data(), static_cast<py::ssize_t>(text.size()), "replace"));
}

}  // namespace

std::string python_words(Action action, const std::string& run) {
  switch (action) {
    case Action::none: return "";
    case Action::resume: return "call run.resume()";
    case Action::open: return fmt::format("call hone.open('{}').resume()", run);
    case Action::ask: return "run.resume() with the simulator asks for what comes next";
    case Action::ask_or_resume: return "go on with run.resume()";
    case Action::ask_and_tell: return "give run.resume() the simulator that makes them";
    case Action::train: return "call run.train()";
    case Action::check: return "call run.check()";
    case Action::correct: return "call run.check(correct=True)";
    case Action::run_from: return "make a new run in another directory";
    case Action::allow_failures:
      return "Correct the simulator and call run.resume(simulator). If so many failures are part "
             "of the model, start a new run that allows them: hone.run(..., "
             "max_failed_fraction=0.8) with another directory";
    case Action::anyway: return "set anyway=True";
    case Action::larger_budget: return "call run.resume(simulator, budget=N)";
    case Action::more_test_draws: return "call run.check(N, simulator)";
    case Action::list_failures: return "run.simulations.failures has the reasons";
    case Action::compare: return "hone.compare() does so";
    case Action::train_joint: return "call run.train(\"joint\")";
  }
  return "";
}

void bind_errors(py::module_& /*m*/) {
  py::register_exception_translator(
      [](std::exception_ptr pointer) {  // NOLINT(performance-unnecessary-value-param):
                                        // as pybind11 has it
        try {
          if (pointer) std::rethrow_exception(pointer);
        } catch (const Error& error) {
          const py::object type = py::module_::import("hone.errors").attr(class_name(error.kind()));
          const py::object exception = type(decoded(error.text(python_words)));
          exception.attr("place") = decoded(error.place());
          exception.attr("value") = decoded(error.value());
          PyErr_SetObject(type.ptr(), exception.ptr());
        }
      });
}

}  // namespace hone::python
