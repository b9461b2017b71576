#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "hone/simulator/executor.h"
#include "hone/simulator/line_log.h"

namespace hone {

// How to run an external program that stays and answers one simulation after the other
// (docs/external-simulators.md).
struct WorkerOptions {
  std::vector<std::string> command;  // program and arguments; no shell
  std::filesystem::path directory;   // where it runs and where "./program" is; empty: here
  int workers = 1;                   // processes; >= 1
  double timeout_seconds = 3600;     // for one simulation; 0: no limit
  // What a new process may take on top of it before its first answer: imports, tables, licences.
  double startup_seconds = 60;
  int retries = 1;                 // further attempts, with the same seed, before it is a failure
  int pipeline = 32;               // requests at a worker at once, if simulations are quick; >= 1
  double shutdown_seconds = 2;     // from the end of input to SIGTERM, and from there to SIGKILL
  int most_immediate_deaths = 20;  // in a row, of processes that never answered; >= 1
  LogSink log;                     // stderr of the workers
  void validate() const;           // throws "simulator.workers = 0: must be at least 1"
};

// Runs simulations in external processes, driven by the thread that calls run(). They are started
// when first needed and live until the executor is destroyed. data_size: length of the observation.
//
// A program that misbehaves (crashes, hangs, prints rubbish, closes a pipe, answers for another
// simulation) is killed and started again; the simulation it was at is tried again, then recorded
// as failed; those waiting behind it are given to another worker and blamed for nothing. A second
// answer for a simulation that has its data is dropped with the worker that sent it.
// Error{input}: the command cannot be started. Error{simulator}: most_immediate_deaths in a row;
// those simulations are not recorded, for a program that never speaks says nothing about them.
std::unique_ptr<Executor> make_worker_executor(WorkerOptions options, Index data_size,
                                               ExecutorOptions executor_options = {});

}  // namespace hone
