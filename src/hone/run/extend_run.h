#pragma once

#include "hone/run/run_directory.h"

namespace hone {

// Gives a finished run a larger budget: it is then unfinished, and execute_run() goes on from what
// it has. Every simulation is kept. Rounds go on in the final region; once they no longer shrink
// it, the rest of the budget is simulated there, and the networks are trained again on everything
// in it. The state before stays beside the new one (RunDirectory::state).
//
// Nothing happens if the run has just this budget already, so that the same call can be repeated
// after an interruption. Error{input} for a smaller one, and for a run that is not finished or
// whose simulations hone cannot make. Takes the run's lock.
void extend_run(RunDirectory& run, Index budget);

// Where rounds go on in the present state; nothing for a run that was not extended.
std::optional<Continuation> continuation_of(const RunDirectory& run);

}  // namespace hone
