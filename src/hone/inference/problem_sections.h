#pragma once

#include <filesystem>

#include "hone/inference/problem.h"
#include "hone/store/toml_file.h"

// Inside inference/ only: the sections of a problem file (hone/inference/problem_file.h). `root` is
// the whole file.

namespace hone {

SimulatorSpec read_simulator_section(const TomlTable& root, const std::filesystem::path& folder);
Prior read_parameter_sections(const TomlTable& root);
std::vector<double> read_observation_section(const TomlTable& root,
                                             const std::filesystem::path& folder);

// Nothing if there is no [noise]; the observation has `data_size` values.
NoiseSpec read_noise_section(const TomlTable& root, const std::filesystem::path& folder,
                             Index parameters, Index data_size);

// Options, marginals and seed. The options in `problem` are replaced by those of the preset
// (`standard`, if the section names none), then by `adapt`, which knows the defaults of this
// problem, then by what the section says.
void read_inference_section(Problem& problem, const TomlTable& root, const std::string& standard,
                            const std::function<void(InferenceOptions&)>& adapt);

// Runs `work`; an Error that begins with the path of a value, "parameters[0].prior.low = 2: ...",
// gets the value's file and line, and is an Error{input}.
template <typename F>
auto with_line(const TomlTable& table, const std::string& prefix, F&& work) {
  try {
    return work();
  } catch (const Error& error) {
    const std::string message = prefix + error.what();
    const std::string path = message.substr(0, message.find_first_of(" :="));
    table.refuse_at(path, message);
  }
}

}  // namespace hone
