#pragma once

#include <filesystem>
#include <string>

#include "hone/problem/problem.h"
#include "hone/simulator/one_shot.h"
#include "hone/store/dataset_file.h"

namespace hone {

// Reads a problem file (TOML, docs/problem-file.md) and everything it refers to: the observation,
// an existing data set. All of it is checked here, before any work: unknown keys, wrong types,
// impossible values, missing sections and files are an Error{input} with file, line, key, value
// and what is allowed. Without a lookup `task` cannot be used.
Problem read_problem_file(const std::filesystem::path& path, const TaskLookup& find_task = {});

// Where the simulations of a data set are; the spec must have one.
DatasetSource dataset_source(const SimulatorSpec& spec);

// How to run a one-shot program; the spec's kind must be run.
OneShotOptions one_shot_options(const SimulatorSpec& spec,
                                const std::vector<std::string>& parameters);

// The commented file that `hone init` writes. As it stands it describes a worker simulate.py with
// two parameters.
std::string starter_problem_file();

}  // namespace hone
