#pragma once

#include <map>
#include <set>
#include <string>

#include <CLI/CLI.hpp>

#include "hone/core/error.h"
#include "hone/estimate/options.h"

namespace hone::cli {

// Options of an inference as given on the command line: text by name.
using OptionTexts = std::map<std::string, std::string>;

// A flag for every row of the option table but those in `without`. `texts` must live as long as the
// program.
void add_option_flags(CLI::App& command, OptionTexts& texts, const std::set<std::string>& without);

// Error{input} for a value that cannot be; limits are checked by validate().
void apply(InferenceOptions& options, const OptionTexts& texts);

// An error about an option, named as it was typed: "--max-epochs = 0: ...".
Error with_flags(const Error& error, const OptionTexts& texts);

}  // namespace hone::cli
