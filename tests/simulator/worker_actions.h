#pragma once

namespace hone {

// What worker_program does for a simulation whose theta[0] is the number of the action.
enum class WorkerAction {
  healthy,
  crash,
  hang,
  nan,
  infinity,
  null,
  rubbish,
  rubbish_after_answer,
  wrong_id,
  answers_twice,
  closes_output,
  closes_input,
  too_short,
  too_long,
  error,
  exit_code,
  exits_quietly,
  binary64,
  binary32,
  binary_too_long,
  binary_cut,
  endless_line,
  answers_nothing,
  nested,
  leaves_child,
  crash_once,
  slow,
  dies_after_answer,
  talks,
};

}  // namespace hone
