#pragma once

#include <memory>

#include "hone/check/calibrator.h"
#include "hone/mpi/other_ranks.h"

namespace hone {

// Checks a run with all ranks of an MPI job: each computes the ranks of some test draws, which it
// is sent, with the networks that it reads from the run's directory. What a rank cannot do is done
// here.
std::unique_ptr<Calibrator> make_rank_calibrator(OtherRanks& others);

}  // namespace hone
