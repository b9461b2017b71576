#pragma once

#include "hone/check/checks.h"
#include "hone/run/run_directory.h"

namespace hone {

// Is a joint posterior (joint_run.h) calibrated? TARP with simulations of the run that no network
// was trained on. Does it agree with the 1-d and 2-d marginals of the run at the observation? A
// caution if more than a tenth of the mass is elsewhere. Its verdict is its own: a poor joint
// posterior says nothing against the marginals. Of a posterior that holds for the observation
// alone: a caution that it cannot be tested.
CheckResult check_joint(const RunDirectory& run, const AmortizedPosterior& joint,
                        Observer& observer, const NoiseModel* simulator_noise = nullptr);

}  // namespace hone
