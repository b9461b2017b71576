#include <algorithm>
#include <map>

#include "hone/core/error.h"
#include "hone/report/page_parts.h"
#include "hone/report/report.h"

namespace hone {
namespace {

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      default: result += c;
    }
  }
  return result;
}

// JSON inside a script element. '<' occurs in strings only, and written like this it can end no
// element and begin no comment.
std::string embedded(const nlohmann::ordered_json& json) {
  const std::string text =
      json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  std::string result;
  for (const char c : text) {
    if (c == '<') {
      result += "\\u003c";
    } else {
      result += c;
    }
  }
  return result;
}

// {{name}} becomes its value; values are not looked into.
std::string filled(const std::string& form, const std::map<std::string, std::string>& values) {
  std::string result;
  std::size_t at = 0;
  while (true) {
    const std::size_t open = form.find("{{", at);
    if (open == std::string::npos) return result + form.substr(at);
    const std::size_t close = form.find("}}", open);
    HONE_ASSERT(close != std::string::npos);
    const auto value = values.find(form.substr(open + 2, close - open - 2));
    HONE_ASSERT(value != values.end());
    result += form.substr(at, open - at) + value->second;
    at = close + 2;
  }
}

}  // namespace

std::string report_page(const nlohmann::ordered_json& state, const std::string& script_nonce) {
  const std::string nonce = script_nonce.empty() ? "" : " nonce=\"" + escaped(script_nonce) + "\"";
  return filled(page::kHtml, {{"title", escaped("hone: " + state.at("name").get<std::string>())},
                              {"style", page::kStyle},
                              {"nonce", nonce},
                              {"script", page::kScript},
                              {"state", embedded(state)}});
}

}  // namespace hone
