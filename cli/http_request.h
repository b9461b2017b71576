#pragma once

#include <string>
#include <string_view>

namespace hone::cli {

// The longest head of a request that is read.
constexpr std::size_t kLongestRequest = 16384;

// The head of a request: what a browser asks for.
struct HttpRequest {
  bool well_formed = false;  // the rest means nothing if it is not
  std::string method;        // "GET"
  std::string path;          // "/state.json"
  std::string query;         // what stands behind '?', or ""
  std::string host;          // "127.0.0.1:8470"
};

// Any bytes will do: what is not HTTP/1 is not well formed.
HttpRequest parse_http_request(std::string_view head);

}  // namespace hone::cli
