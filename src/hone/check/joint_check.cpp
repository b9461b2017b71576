#include "hone/check/joint_check.h"

#include <algorithm>

#include <fmt/format.h>

#include "hone/check/draws.h"
#include "hone/check/ecdf.h"
#include "hone/inference/method.h"
#include "hone/run/finished_run.h"

namespace hone {

CheckResult check_joint(const RunDirectory& run, const AmortizedPosterior& joint,
                        Observer& observer, const NoiseModel* simulator_noise) {
  const RunSpec& spec = run.spec();
  if (!find_method(spec.options.method).amortized) {
    return {.name = "joint",
            .status = Status::caution,
            .reason = "it holds for the observation alone, and cannot be tested on simulations"};
  }
  constexpr std::size_t kMost = 500;  // a thousand points of all networks for each
  const RunData data = training_data(run, joint.prior().region(), simulator_noise);
  const auto rows =
      std::span(data.rows.validation).first(std::min(kMost, data.rows.validation.size()));
  Matrix<float> x(std::ssize(rows), data.rows.x->cols());
  data.rows.x->read(x, rows);
  Matrix<double> local(std::ssize(rows), data.rows.theta.cols());
  for (Index i = 0; i < local.rows(); ++i) {
    std::ranges::copy(data.rows.theta.row(rows[static_cast<std::size_t>(i)]), local.row(i).begin());
  }
  const Matrix<float> features = joint.features(x.view());
  std::vector<UniformValues> values;
  for (MarginalRanks& one : rank_draws(block_posteriors(joint), {features, local},
                                       Rng(spec.seed).child("joint check"), observer)) {
    const bool single = one.marginal.size() == 1;
    values.push_back({"all parameters", std::move(single ? one.cdf : one.nearer)});
  }
  const std::vector<EcdfCurve> curves = ecdf_curves(values);
  if (curves.empty()) {
    return {.name = "joint",
            .status = Status::unclear,
            .reason = fmt::format("{} simulations that no network has seen are too few to tell "
                                  "whether it is right",
                                  rows.size())};
  }
  CheckResult result = tarp_result(curves);
  result.name = "joint";
  return result;
}

}  // namespace hone
