#pragma once

#include <filesystem>

#include "hone/files/toml_file.h"
#include "hone/problem/problem.h"

// Inside inference/ only: the sections of a problem file (hone/problem/problem_file.h). `root` is
// the whole file.

namespace hone {

SimulatorSpec read_simulator_section(const TomlTable& root, const std::filesystem::path& folder);
Prior read_parameter_sections(const TomlTable& root);
// The prior with the quantities of [[derived]], if there are any.
Prior read_derived_sections(const TomlTable& root, const Prior& prior);
std::vector<double> read_observation_section(const TomlTable& root,
                                             const std::filesystem::path& folder);

// Nothing if there is no [[data]].
DataDescription read_data_sections(const TomlTable& root, std::span<const double> observation);

// Nothing if there is no [noise]; the observation has `data_size` values.
NoiseSpec read_noise_section(const TomlTable& root, const std::filesystem::path& folder,
                             Index parameters, Index data_size);

// Options, marginals and seed. The options in `problem` are replaced by those of the preset
// (`standard`, if the section names none), then by `adapt`, which knows the defaults of this
// problem, then by what the section says.
void read_inference_section(Problem& problem, const TomlTable& root, const std::string& standard,
                            const std::function<void(InferenceOptions&)>& adapt);

// Runs `work`; an Error at a place, "noise.sigma[0] = -1: ...", which may lack its `prefix`, gets
// the file and line of the value there, and is an Error{input}.
template <typename F>
auto with_line(const TomlTable& table, const std::string& prefix, F&& work) {
  try {
    return work();
  } catch (const Error& error) {
    if (error.place().empty()) table.refuse_at("", error.what());
    const std::string path = prefix + error.place();
    table.refuse_at(path, error.moved_to(path).what());
  }
}

}  // namespace hone
