#include <pybind11/stl.h>

#include "hone/inference/option_table.h"
#include "python/core/bindings.h"
#include "python/core/json.h"

namespace hone::python {
namespace {

// Rows of the one table of options: what Python needs for keywords and help.
py::list table() {
  const InferenceOptions standard = preset("default"), paper = preset("paper");
  py::list rows;
  for (const OptionEntry& entry : option_table()) {
    py::dict row;
    row["name"] = entry.name;
    row["group"] = entry.group;
    row["help"] = entry.help;
    row["values"] = entry.values;
    row["default"] = to_python(entry.get(standard));
    row["paper"] = to_python(entry.get(paper));
    rows.append(row);
  }
  return rows;
}

}  // namespace

void bind_options(py::module_& m) {
  m.def("option_table", &table);
  m.def("preset_names", &preset_names);
  py::class_<InferenceOptions>(m, "Options")
      .def(py::init([](const std::string& name, const std::string& method) {
             return preset(name, method);
           }),
           py::arg("preset"), py::arg("method") = "")
      .def("set",
           [](InferenceOptions& options, const std::string& name, const py::object& value) {
             find_option(name).set(options, to_json(value, name));
           })
      .def("validate", [](const InferenceOptions& options) { validate(options); })
      .def("to_dict", [](const InferenceOptions& options) { return to_python(to_json(options)); });
}

}  // namespace hone::python
