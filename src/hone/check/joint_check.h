#pragma once

#include <optional>
#include <string>

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

// A joint posterior never comes without what was found out about it.
struct CheckedJoint {
  SharedPosterior posterior;
  CheckResult check;
  std::string source() const;  // "a density of all parameters"
};

// The joint posterior of a finished run with its check. This is made once for each posterior that
// the run reports, and kept (networks/joint_check.json); where the run cannot be written, it is
// made again.
CheckedJoint checked_joint(const RunDirectory& run, Observer& observer,
                           const NoiseModel* simulator_noise = nullptr);

// Error{numerical} if it fails its check, with what to do besides `instead` ("draw from
// marginals"), unless `anyway`.
void require_usable(const RunDirectory& run, const CheckedJoint& joint, const std::string& instead,
                    bool anyway);

// What was found when draws were last needed; nothing before the first, or if the posterior of the
// run has changed since.
std::optional<CheckResult> read_joint_check(const RunDirectory& run);
// For the posterior that the run reports now.
void write_joint_check(const RunDirectory& run, const CheckResult& check);

}  // namespace hone
