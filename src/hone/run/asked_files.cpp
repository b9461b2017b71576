#include <algorithm>

#include <nlohmann/json.hpp>

#include "hone/core/error.h"
#include "hone/core/npy.h"
#include "hone/core/suggestion.h"
#include "hone/run/ask_tell_files.h"

namespace hone {
namespace {

std::string csv_text(const SimulationRequest& request, const std::vector<std::string>& parameters) {
  std::string text = "id,seed";
  for (const std::string& name : parameters) text += "," + name;
  text += '\n';
  for (Index i = 0; i < request.rows(); ++i) {
    const auto row = static_cast<std::size_t>(i);
    text += fmt::format("{},{}", request.ids[row], request.seeds[row]);
    for (const double value : request.theta.row(i)) text += fmt::format(",{}", value);
    text += '\n';
  }
  return text;
}

std::string jsonl_text(const SimulationRequest& request) {
  std::string text;
  for (Index i = 0; i < request.rows(); ++i) {
    const auto row = static_cast<std::size_t>(i);
    const auto theta = request.theta.row(i);
    const nlohmann::ordered_json line{{"id", request.ids[row]},
                                      {"theta", std::vector(theta.begin(), theta.end())},
                                      {"seed", request.seeds[row]}};
    text += line.dump() + "\n";
  }
  return text;
}

template <typename T>
void append_bytes(std::string& bytes, std::span<const T> values) {
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
}

std::string npy_text(const SimulationRequest& request) {
  std::string bytes = npy_header(fmt::format(
      "{{'descr': [('id', '<i8'), ('seed', '<u8'), ('theta', '<f8', ({},))], 'fortran_order': "
      "False, 'shape': ({},), }}",
      request.theta.cols(), request.rows()));
  for (Index i = 0; i < request.rows(); ++i) {
    const auto row = static_cast<std::size_t>(i);
    append_bytes(bytes, std::span(&request.ids[row], 1));
    append_bytes(bytes, std::span(&request.seeds[row], 1));
    append_bytes(bytes, request.theta.row(i));
  }
  return bytes;
}

}  // namespace

std::vector<std::string> asked_formats() {
  return {"csv", "jsonl", "npy"};
}

std::string asked_text(const SimulationRequest& request, const std::vector<std::string>& parameters,
                       const std::string& format) {
  if (format == "csv") return csv_text(request, parameters);
  if (format == "jsonl") return jsonl_text(request);
  if (format == "npy") return npy_text(request);
  fail(ErrorKind::input, "format = '{}': unknown; {}", format.substr(0, 60),
       suggestion(format, asked_formats()));
}

}  // namespace hone
