#pragma once

#include <span>
#include <string>
#include <vector>

#include "hone/check/checks.h"

namespace hone {

// Is the answer right at the observation itself? Calibration is an average over data from the
// region: networks that are wrong only for data like the real ones pass it, also the local test,
// which finds its neighbours by the posteriors of these same networks.
//
// So another method answers too, one that shares no network with them: semi-automatic ABC
// (Fearnhead & Prangle 2012). Partial least squares on the columns give a linear estimate of every
// parameter, and a local linear regression of the true values on these estimates, among the
// simulations nearest to the data, gives a posterior mean (Beaumont et al. 2002). It is less sharp
// than networks. How far the two differ for simulated data says how far they may differ at the
// observation: the test compares with just these differences, so nothing is assumed about either
// method, and its rate of false alarms is known.
//
// The same regression tells whether networks miss what is in the data. If their means are those of
// the posterior, true value - mean has no correlation with anything that can be computed from the
// data, and so none with regression - mean. Where it has, a mixture of both would be narrower:
// calibrated networks that are too wide, which coverage cannot see.
struct OpinionData {
  MatrixView<const float> reference;         // (m, columns): simulations to learn from
  MatrixView<const double> reference_local;  // (m, parameters)
  MatrixView<const float> draws;             // (n, columns): other ones, to compare on
  MatrixView<const double> draws_local;      // (n, parameters): their true values
  std::span<const double> observation;       // (columns)
  std::vector<int> parameters = {};          // those that networks have a 1-d posterior of
  std::vector<std::string> names = {};       // of these
  std::vector<std::vector<double>> means = {},
                                   deviations = {};  // by the networks, (parameters)(n), local
  std::vector<double> observed_mean = {}, observed_deviation = {};  // (parameters)
};

struct OpinionLimits {
  double false_alarms = 0.01;  // of the whole check
  double fail = 1.5;           // times the 99 % quantile of the differences of simulated data
  double matters = 1;  // differences below so many standard deviations of the posterior pass
  double narrower_caution = 0.1, narrower_fail = 0.25;
  Index fewest_draws = 50, fewest_reference = 200;
  Index most_draws = 500, most_reference = 3000;
};

struct Opinion {
  std::string parameter = {};
  double difference = 0;  // of the means at the observation, in its posterior standard deviations
  double probability =
      1;              // of one as large among simulated data, in units of the regression's error
  double beyond = 0;  // it over the 99 % quantile of simulated data
  Status status = Status::pass;
  double narrower = 0;         // by this share the posterior could be, with the regression's help
  double narrower_chance = 1;  // probability of as clear a sign of it by chance
  Status sharpness = Status::pass;
};

// Empty where there are too few simulations.
std::vector<Opinion> second_opinions(const OpinionData& data, const OpinionLimits& limits = {});
CheckResult second_opinion_result(const std::vector<Opinion>& opinions,
                                  const OpinionLimits& limits = {});
CheckResult sharpness_result(const std::vector<Opinion>& opinions,
                             const OpinionLimits& limits = {});

}  // namespace hone
