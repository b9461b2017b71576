#pragma once

#include <string_view>

#include "hone/simulator/worker_protocol.h"

namespace hone {

// A line of a worker, understood. Binary frames still lack their values.
struct ParsedLine {
  Answer answer;
  Index binary_bytes = 0;  // 8 or 4 per value if a binary frame follows, else 0
};

ParsedLine parse_line(std::string_view line, Index data_size);

}  // namespace hone
