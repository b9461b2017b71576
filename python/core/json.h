#pragma once

#include <nlohmann/json.hpp>
#include <pybind11/pybind11.h>

namespace hone::python {

namespace py = pybind11;

// Dictionaries, lists, numbers, words; null is None.
py::object to_python(const nlohmann::ordered_json& json);

// The other way. Error{input} names what JSON cannot hold; `where` begins the message.
nlohmann::json to_json(py::handle value, const std::string& where);

}  // namespace hone::python
