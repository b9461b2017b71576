#pragma once

#include <string>
#include <vector>

#include "hone/check/checks.h"
#include "hone/check/rivals.h"

namespace hone {

// Is the answer right at the observation itself? Calibration is an average over data from the
// region: networks that are wrong only for data like the real ones pass it, also the local test,
// which finds its neighbours by the posteriors of these same networks.
//
// So another method answers too, one that shares no network with them: a regression on the same
// simulations (rivals.h), of several the one that knows the parameter best. It is less sharp than
// networks. How far the two differ for simulated data says how far they may differ at the
// observation: the test compares with just these differences, so nothing is assumed about either
// method, and its rate of false alarms is known.
struct OpinionLimits {
  double false_alarms = 0.01;  // of the whole check
  double fail = 1.5;           // times the 99 % quantile of the differences of simulated data
  double matters = 1;  // differences below so many standard deviations of the posterior pass
  Index fewest_draws = 50;
};

struct Opinion {
  std::string parameter = {};
  double difference = 0;  // of the means at the observation, in its posterior standard deviations
  double probability =
      1;              // of one as large among simulated data, in units of the regression's error
  double beyond = 0;  // it over the 99 % quantile of simulated data
  Status status = Status::pass;
};

// Empty where there are too few simulations.
std::vector<Opinion> second_opinions(const std::vector<ComparedPosterior>& parameters,
                                     const OpinionLimits& limits = {});
CheckResult second_opinion_result(const std::vector<Opinion>& opinions,
                                  const OpinionLimits& limits = {});

}  // namespace hone
