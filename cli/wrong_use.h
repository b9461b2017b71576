#pragma once

#include <CLI/CLI.hpp>

#include "hone/core/error.h"

namespace hone::cli {

// Throws Error{input} if the first word is not a command, with the nearest one.
void check_command(const CLI::App& program, int argc, char** argv);

// Throws Error{input} for words that the chosen command does not know, with the nearest option.
[[noreturn]] void fail_unexpected(const CLI::App& program);

// Throws Error{input} if a file of this name could not be written for want of its directory.
void check_output_directory(const std::string& output);

// For --seed: a negative or too large number is not read as another one.
std::string check_seed(const std::string& text);

// The same error before there is a run: what would say `hone resume` says to try again.
Error without_resume(const Error& error);

}  // namespace hone::cli
