#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "hone/simulator/executor.h"
#include "hone/simulator/line_log.h"

namespace hone {

// How to run a program that makes one simulation and ends (docs/external-simulators.md).
//
// In every argument these are replaced:
//   {theta}        all parameters, one argument each (must be an argument of its own)
//   {theta[0]}     one parameter by its index
//   {NAME}         one parameter by its name
//   {seed} {id}    of the simulation; the seed has 53 bits
//   {parameters}   path of a file with the parameters, written for it
//   {result}       path where the program leaves its result
//   {directory}    the directory of the problem, since every run has one of its own
//   {{ and }}      braces
struct OneShotOptions {
  std::vector<std::string> command;     // program and arguments; no shell
  std::vector<std::string> parameters;  // names, in the order of theta
  std::filesystem::path directory;      // where "./program" is, and {directory}; empty: here
  // Names of files in the run's directory, with or without a placeholder in the command. Empty:
  // parameters.txt or result.csv if there is a placeholder, otherwise none.
  std::string parameter_file;      // *.json: one object; else a line `name = value` each
  std::string result_file;         // *.npy, else text with numbers; none: stdout is the result
  int workers = 1;                 // programs at once; >= 1
  double timeout_seconds = 3600;   // for one simulation; 0: no limit
  int retries = 1;                 // further attempts, with the same seed
  std::filesystem::path scratch;   // where the runs' directories are; empty: the system's /tmp
  bool keep_last_failure = false;  // its directory is not removed; the log says where it is
  LogSink log;                     // stderr of the programs
  void validate() const;
};

// Throws Error{input} for a command with an unknown placeholder, with the nearest one, and for one
// that does not tell the program its parameters.
void check_placeholders(const OneShotOptions& options);

// Does a command ask to be run once per simulation? Otherwise it is a persistent worker's.
bool is_one_shot(const std::vector<std::string>& command);

// The command of a persistent worker, with {{ and }} turned into braces.
std::vector<std::string> without_placeholders(std::vector<std::string> command);

// Runs every simulation in a process of its own, in a new directory that is removed afterwards. A
// program that ends with another exit code than 0, by a signal, too late, or without a usable
// result is tried again, then recorded as failed. Error{input}: the command cannot be started or
// has an unknown placeholder.
std::unique_ptr<Executor> make_one_shot_executor(OneShotOptions options, Index data_size,
                                                 ExecutorOptions executor_options = {});

}  // namespace hone
