#pragma once

#include <filesystem>

#include <nlohmann/json.hpp>

#include "hone/inference/run.h"

// The files of a run as values. Whatever is wrong with a file is an Error{io} that names it.

namespace hone {

std::filesystem::path round_file(const std::filesystem::path& run, int number);

// Runs `read` on the JSON of a file.
nlohmann::json read_json(const std::filesystem::path& file);
template <typename F>
auto read_json_as(const std::filesystem::path& file, F&& read) {
  try {
    return read(read_json(file));
  } catch (const nlohmann::json::exception& e) {
    fail(ErrorKind::io, "{}: not what hone wrote: {}", file.string(), e.what());
  }
}
void write_json(const std::filesystem::path& file, const nlohmann::ordered_json& json);

nlohmann::ordered_json to_json(const RunSpec& spec);
RunSpec run_spec_from_json(const nlohmann::json& json);

nlohmann::ordered_json to_json(const Round& round);
Round round_from_json(const nlohmann::json& json);

nlohmann::ordered_json to_json(const std::vector<MemberHistory>& histories);
std::vector<MemberHistory> histories_from_json(const nlohmann::json& json);

// networks/<name>.h5 with <name>.json beside it; the .h5 is written last.
void write_estimator(const std::filesystem::path& networks, const std::string& name,
                     const TrainedEstimator& trained);
TrainedEstimator read_estimator(const std::filesystem::path& networks, const std::string& name,
                                const Prior& prior);

}  // namespace hone
