#pragma once

#include <filesystem>

#include <nlohmann/json.hpp>

#include "hone/core/error.h"
#include "hone/files/files.h"
#include "hone/inference/method.h"

// The files of a run as values. Whatever is wrong with a file is an Error{io} that names it.

namespace hone {

[[noreturn]] void fail_damaged(const std::filesystem::path& file, const std::string& reason);

// Runs `read`, which makes sense of a file's content. Whatever it finds wrong with it, also a value
// that would be wrong input elsewhere, is a damaged file here.
template <typename F>
auto make_sense_of(const std::filesystem::path& file, F&& read) {
  try {
    return read();
  } catch (const nlohmann::json::exception& e) {
    fail_damaged(file, e.what());
  } catch (const Error& e) {
    fail_damaged(file, e.message());
  }
}

// Runs `read` on the JSON of a file.
template <typename F>
auto read_json_as(const std::filesystem::path& file, F&& read) {
  const std::string text = read_file(file);
  return make_sense_of(file, [&] { return read(nlohmann::json::parse(text)); });
}
void write_json(const std::filesystem::path& file, const nlohmann::ordered_json& json);

nlohmann::ordered_json to_json(const Round& round);
// Throws Error{io} unless it is round `number` of a problem with so many parameters.
Round round_from_json(const nlohmann::json& json, int number, int dimensions);

// Throws Error{io} unless it has so many axes.
Region region_from_json(const nlohmann::json& json, int dimensions);

// <networks>/<name>.h5 with its description <name>.json beside it; the .h5 is written last.
void write_posterior(const std::filesystem::path& networks, const std::string& name,
                     const TrainedPosterior& trained);
bool has_posterior(const std::filesystem::path& networks, const std::string& name);
TrainedPosterior read_posterior(const std::filesystem::path& networks, const std::string& name,
                                const Prior& prior);

struct PosteriorDescription {
  Region region;
  std::string estimator;
  std::vector<MemberHistory> histories;
};
bool has_description(const std::filesystem::path& networks, const std::string& name);
PosteriorDescription read_description(const std::filesystem::path& networks,
                                      const std::string& name, int dimensions);

}  // namespace hone
