#pragma once

#include <filesystem>

#include <nlohmann/json.hpp>

#include "hone/core/error.h"
#include "hone/files/file_mark.h"
#include "hone/files/files.h"
#include "hone/files/json_text.h"
#include "hone/inference/method.h"

// The files of a run as values. Whatever is wrong with a file is an Error{io} that names it and
// says what to do.

namespace hone {

// A file of a run: where it is, and what it must say about itself.
struct RunFile {
  std::filesystem::path run;  // the directory
  FileMark mark;

  std::filesystem::path path() const { return run / mark.name; }
  bool exists() const { return std::filesystem::exists(path()); }
  RunFile with(const std::string& ending) const { return {run, {mark.run, mark.name + ending}}; }
};

[[noreturn]] void fail_damaged(const RunFile& file, const std::string& reason);

// Runs `read`, which makes sense of a file's content. Whatever it finds wrong with it, also a value
// that would be wrong input elsewhere, is a damaged file here.
template <typename F>
auto make_sense_of(const RunFile& file, F&& read) {
  try {
    return read();
  } catch (const nlohmann::json::exception& e) {
    fail_damaged(file, e.what());
  } catch (const UnknownVersion& e) {
    throw e.moved_to(file.path().string());
  } catch (const Error& e) {
    fail_damaged(file, e.message());
  }
}

// Throws Error{io} unless the text is what hone wrote there.
void verify_json(const std::string& text, const FileMark& expected);

// Runs `read` on the JSON of a file.
template <typename Json = nlohmann::json, typename F>
auto read_json_as(const RunFile& file, F&& read) {
  const std::string text = read_file(file.path());
  return make_sense_of(file, [&] {
    verify_json(text, file.mark);
    return read(parse_json<Json>(text));
  });
}
void write_json(const RunFile& file, const nlohmann::ordered_json& json);

std::vector<NamedArray> read_run_arrays(const RunFile& file);
void write_run_arrays(const RunFile& file, const std::vector<NamedArray>& arrays);

nlohmann::ordered_json to_json(const Round& round);
// Throws Error{io} unless it is round `number` of a problem with so many parameters.
Round round_from_json(const nlohmann::json& json, int number, int dimensions);

// Throws Error{io} unless it has so many axes.
Region region_from_json(const nlohmann::json& json, int dimensions);

// <file>.h5 with its description <file>.json beside it; the .h5 is written last.
// Axes after those of the run's parameters are of derived quantities.
void write_posterior(const RunFile& file, const TrainedPosterior& trained, int parameters);
bool has_posterior(const RunFile& file);
TrainedPosterior read_posterior(const RunFile& file, const Prior& prior);

struct PosteriorDescription {
  Region region;
  std::string estimator;
  std::vector<MemberHistory> histories;
  std::vector<Parameter> derived;           // axes of derived quantities
  std::vector<Marginal> derived_marginals;  // known here only if there are such axes
};
bool has_description(const RunFile& file);
PosteriorDescription read_description(const RunFile& file, int dimensions);

}  // namespace hone
