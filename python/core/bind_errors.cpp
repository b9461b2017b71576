#include "hone/core/error.h"
#include "python/core/bindings.h"

namespace hone::python {
namespace {

namespace py = pybind11;

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

}  // namespace

void bind_errors(py::module_& /*m*/) {
  py::register_exception_translator([](std::exception_ptr pointer) {
    try {
      if (pointer) std::rethrow_exception(pointer);
    } catch (const Error& error) {
      const py::object type = py::module_::import("hone.errors").attr(class_name(error.kind()));
      // Messages may quote a path or a program's output, which need not be valid UTF-8.
      const py::str text = py::reinterpret_steal<py::str>(PyUnicode_DecodeUTF8(
          error.what(), static_cast<py::ssize_t>(std::string_view(error.what()).size()),
          "replace"));
      PyErr_SetObject(type.ptr(), text.ptr());
    }
  });
}

}  // namespace hone::python
