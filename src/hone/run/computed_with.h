#pragma once

#include <vector>

#include "hone/core/observer.h"
#include "hone/engine/arithmetic.h"
#include "hone/run/run_directory.h"

namespace hone {

// What a run was computed with, in the order of its use: one entry, unless it went on elsewhere.
// Empty if nothing has been computed yet, or by a version that kept no record.
std::vector<Arithmetic> computed_with(const RunDirectory& run);

// Adds this process, which is about to compute. If the run has parts with other bits, that is a
// warning, or with `exact` an Error{input}; so is a run that has parts but no record. For the
// process that holds the run's lock.
void note_arithmetic(const RunDirectory& run, bool exact, Observer& observer);

}  // namespace hone
