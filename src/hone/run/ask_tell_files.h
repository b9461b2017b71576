#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "hone/run/ask_tell.h"

// The files between `hone ask`, somebody's simulator and `hone tell`.

namespace hone {

// csv    id,seed,<parameter>,...    one row each, numbers with full precision
// jsonl  {"id": 7, "theta": [..], "seed": 123}    what an external simulator reads
// npy    NumPy records with fields id (int64), seed (uint64) and theta (float64, parameters)
std::vector<std::string> asked_formats();
// Error{input} for another format, with the nearest.
std::string asked_text(const SimulationRequest& request, const std::vector<std::string>& parameters,
                       const std::string& format);

// Results by the ending of the file:
//   .csv    a header; columns `id`, maybe `error` (text), the rest x in order. Columns named `seed`
//           or like a parameter may stay: the parameters are compared with those handed out. A row
//           with an error, or with an empty cell or NaN in x, is a failed simulation
//   .jsonl  {"id": 7, "x": [..]} or {"id": 7, "error": "text"}, what an external simulator answers
//   .npz    arrays id (n) and x (n, ...)
// In columns of x marked in may_be_missing, which may be empty, NaN is a value that is not there.
// An id twice with different results is refused. All errors are Error{input} with file and line
// (or row).
ToldResults read_told_results(const std::filesystem::path& file,
                              const std::vector<std::string>& parameters,
                              std::span<const char> may_be_missing = {});

}  // namespace hone
