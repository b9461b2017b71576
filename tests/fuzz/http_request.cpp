// What anybody may send to the port of `hone watch`.
#include "cli/http_request.h"

#include "fuzz.h"

HONE_FUZZ_TARGET(http_request)(const std::string& bytes) {
  hone::cli::parse_http_request(bytes);
}
