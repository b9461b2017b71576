#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "hone/core/matrix.h"

namespace hone {

enum class SimulatorKind {
  command,   // a program that stays and answers JSON lines
  run,       // a program started once per simulation
  library,   // a shared library
  dataset,   // simulations that exist already
  task,      // built in
  by_hand,   // simulations made elsewhere, through `hone ask` and `hone tell`
  function,  // of the program that made the run: nobody else can call it
};

// What the rest of hone asks about a kind. How each is opened: hone/session/open_simulator.h.
struct SimulatorFacts {
  SimulatorKind kind;
  const char* name;      // as the key in a problem file, which has no function
  const char* in_words;  // "its simulator is ..."
  bool simulates;        // it makes new simulations when hone asks for them
  bool opens_by_itself;  // its description is enough, for any process
  bool is_program;       // it has arguments, workers, a timeout and retries
  bool has_directory;    // its files are relative to one
  bool brings_noise;     // it may declare noise of its own
};
const SimulatorFacts& facts_of(SimulatorKind kind);
std::string to_string(SimulatorKind kind);  // its name

// Where simulations come from: what the [simulator] section of a problem file says, and what
// run.json keeps. A plain value; which fields mean something depends on the kind.
struct SimulatorSpec {
  SimulatorKind kind = SimulatorKind::function;
  std::vector<std::string> arguments;  // command, run: the program and its arguments
  std::string parameters;              // run: the file it reads; empty: only by a placeholder
  std::string result;                  // run: the file it writes; empty: stdout or a placeholder
  std::string library;                 // library: the file
  std::vector<std::string> dataset;    // the file, or one with theta and one with x; for every kind
                                       // but dataset it may be empty, else it is the first round
  std::string theta = "theta";         // names of the arrays in the data set
  std::string x = "x";
  Index dataset_rows = 0;        // its simulations
  std::string dataset_checksum;  // of their numbers; empty: made by a version that kept none
  std::string task;              // task: its name
  std::string function;          // function: its name, for people

  std::string directory;  // absolute: programs start here, and file names are relative to it
  int workers = 0;        // command, run: how many at once; 0: one per thread
  double timeout = 0;     // command, run: seconds per simulation; 0: no limit
  int retries = 0;        // command, run: attempts after a failed one, with the same seed

  // Throws "budget = 100: ..." unless the simulations of the data set, if any, fit into the budget,
  // which counts them.
  void check_budget(Index budget) const;

  bool operator==(const SimulatorSpec&) const = default;
};

SimulatorSpec task_simulator(std::string task);

// Only the fields that belong to the kind.
nlohmann::ordered_json to_json(const SimulatorSpec& spec);
// nlohmann's exceptions on wrong types, Error{input} on an unknown kind: for read_json_as().
SimulatorSpec simulator_spec_from_json(const nlohmann::json& json);

}  // namespace hone
