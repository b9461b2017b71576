#include "python/core/json.h"

#include "hone/core/error.h"
#include "hone/files/json_text.h"

namespace hone::python {

py::object to_python(const nlohmann::ordered_json& json) {
  switch (json.type()) {
    case nlohmann::ordered_json::value_t::object: {
      py::dict dict;
      for (const auto& [key, value] : json.items()) dict[py::str(key)] = to_python(value);
      return dict;
    }
    case nlohmann::ordered_json::value_t::array: {
      py::list list;
      for (const auto& value : json) list.append(to_python(value));
      return list;
    }
    case nlohmann::ordered_json::value_t::string: return py::str(json.get<std::string>());
    case nlohmann::ordered_json::value_t::boolean: return py::bool_(json.get<bool>());
    case nlohmann::ordered_json::value_t::number_integer: return py::int_(json.get<std::int64_t>());
    case nlohmann::ordered_json::value_t::number_unsigned:
      return py::int_(json.get<std::uint64_t>());
    case nlohmann::ordered_json::value_t::number_float: return py::float_(json.get<double>());
    default: return py::none();
  }
}

namespace {

nlohmann::json to_json_below(py::handle value, const std::string& where, int depth) {
  if (depth > kDeepestJson) {
    fail(ErrorKind::input, "{}: nested deeper than {} levels", where.substr(0, 60), kDeepestJson);
  }
  if (value.is_none()) return nullptr;
  if (py::isinstance<py::bool_>(value)) return value.cast<bool>();
  if (py::isinstance<py::int_>(value)) {
    try {
      return value.cast<std::int64_t>();
    } catch (const py::cast_error&) {
      fail(ErrorKind::input, "{} = {}: too large", where, std::string(py::str(value)));
    }
  }
  if (py::isinstance<py::float_>(value)) return value.cast<double>();
  if (py::isinstance<py::str>(value)) return value.cast<std::string>();
  if (py::isinstance<py::dict>(value)) {
    auto json = nlohmann::json::object();
    for (const auto& [key, item] : value.cast<py::dict>()) {
      const std::string name = py::str(key);
      json[name] = to_json_below(item, where + "." + name, depth + 1);
    }
    return json;
  }
  // numpy's arrays and scalars, and whatever else is like them
  if (py::hasattr(value, "tolist")) return to_json_below(value.attr("tolist")(), where, depth + 1);
  if (py::isinstance<py::sequence>(value)) {
    auto json = nlohmann::json::array();
    for (const py::handle item : value.cast<py::sequence>()) {
      json.push_back(to_json_below(item, where, depth + 1));
    }
    return json;
  }
  fail(ErrorKind::input, "{} = {}: cannot be understood; give a number, a word or a list of them",
       where, std::string(py::repr(value)));
}

}  // namespace

nlohmann::json to_json(py::handle value, const std::string& where) {
  return to_json_below(value, where, 0);
}

}  // namespace hone::python
