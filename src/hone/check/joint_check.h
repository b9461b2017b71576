#pragma once

#include "hone/check/checks.h"
#include "hone/run/run_directory.h"

namespace hone {

// Is a joint posterior (joint_run.h) calibrated? TARP with simulations of the run that no network
// was trained on. Its verdict is its own: a poor joint posterior says nothing against the
// marginals. Of a posterior that holds for the observation alone: a caution that it cannot be
// tested.
CheckResult check_joint(const RunDirectory& run, const AmortizedPosterior& joint,
                        Observer& observer, const NoiseModel* simulator_noise = nullptr);

}  // namespace hone
