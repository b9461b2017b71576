#include "cli/http_request.h"

#include <algorithm>

#include <strings.h>

namespace hone::cli {
namespace {

constexpr std::string_view kLineEnd = "\r\n";

// The text up to the mark, which is removed with it; false if there is none.
bool take_until(std::string_view& rest, std::string_view mark, std::string_view& taken) {
  const std::size_t end = rest.find(mark);
  if (end == std::string_view::npos) return false;
  taken = rest.substr(0, end);
  rest.remove_prefix(end + mark.size());
  return true;
}

std::string_view without_blanks(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

bool is_host(std::string_view name) {
  constexpr std::string_view host = "host";
  return name.size() == host.size() && ::strncasecmp(name.data(), host.data(), host.size()) == 0;
}

bool read_first_line(HttpRequest& request, std::string_view line) {
  std::string_view method, target;
  if (!take_until(line, " ", method) || !take_until(line, " ", target)) return false;
  if (method.empty() || !target.starts_with('/') || !line.starts_with("HTTP/1.")) return false;
  const std::size_t mark = std::min(target.find('?'), target.size());
  request.method = method;
  request.path = target.substr(0, mark);
  request.query = target.substr(std::min(mark + 1, target.size()));
  return true;
}

bool read_headers(HttpRequest& request, std::string_view rest) {
  bool has_host = false;
  std::string_view line, name;
  while (take_until(rest, kLineEnd, line)) {
    if (line.empty()) return true;
    if (!take_until(line, ":", name) || name.empty()) return false;
    if (!is_host(name)) continue;
    if (has_host) return false;  // which of the two would be meant?
    has_host = true;
    request.host = without_blanks(line);
  }
  return false;  // no empty line: there should be more
}

}  // namespace

HttpRequest parse_http_request(std::string_view head) {
  HttpRequest request;
  std::string_view first;
  if (!take_until(head, kLineEnd, first)) return request;
  request.well_formed = read_first_line(request, first) && read_headers(request, head);
  return request;
}

}  // namespace hone::cli
