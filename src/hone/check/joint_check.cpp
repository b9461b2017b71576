#include "hone/check/joint_check.h"

#include <algorithm>

#include <fmt/format.h>

#include "hone/check/draws.h"
#include "hone/check/ecdf.h"
#include "hone/core/error.h"
#include "hone/inference/method.h"
#include "hone/posterior/grid_difference.h"
#include "hone/run/finished_run.h"
#include "hone/run/joint_run.h"
#include "hone/run/run_lock.h"

namespace hone {

namespace {

// By TARP, with simulations that no network was trained on.
CheckResult calibration(const RunDirectory& run, const AmortizedPosterior& joint,
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

// The largest difference from the marginals that the run reports, and of which of them.
struct Difference {
  double mass = -1;
  Marginal marginal = {};
};
Difference worst_difference(const std::vector<MarginalGrid>& grids, const Matrix<double>& draws) {
  Difference worst;
  for (const MarginalGrid& grid : grids) {
    Matrix<double> own(draws.rows(), std::ssize(grid.marginal));
    for (Index i = 0; i < own.rows(); ++i) {
      for (std::size_t a = 0; a < grid.marginal.size(); ++a) {
        own(i, static_cast<Index>(a)) = draws(i, grid.marginal[a]);
      }
    }
    const double mass = grid_difference(grid, own);
    if (mass > worst.mass) worst = {mass, grid.marginal};
  }
  return worst;
}

// Marginals were learned directly, which is easier: where the joint posterior says something else,
// it is the less likely one to be right, however well calibrated it is on average.
void compare_with_marginals(CheckResult& result, const RunDirectory& run,
                            const AmortizedPosterior& joint) {
  constexpr Index kDraws = 4000;
  constexpr double kCaution = 0.1;
  const std::vector<MarginalGrid> grids = run.grids();
  const Prior& prior = run.spec().prior;
  const auto theta = joint.joint_samples(run.spec().observation, kDraws,
                                         Rng(run.spec().seed).child("joint projections"));
  if (grids.empty() || !theta) return;
  const auto [mass, marginal] = worst_difference(grids, all_quantities(prior, *theta));
  result.numbers.emplace_back("difference", mass);
  result.reason += fmt::format(
      "; at the observation its projections and the run's own marginals differ by {:.2f} of the "
      "mass at most ({}; about {:.2f} by chance)",
      mass, marginal_name(marginal, prior.quantity_names()), difference_by_chance(kDraws));
  if (mass <= kCaution) return;
  result.status = worse(result.status, Status::caution);
  if (!result.advice.empty()) result.advice += "; ";
  result.advice += "where marginals are enough, draw from these: they were learned directly";
}

// What a check depends on besides the files that never change: marginals that were trained later
// may have brought another joint posterior, and a correction changes the marginals beside it.
nlohmann::ordered_json checked_against(const RunDirectory& run) {
  const auto correction = run.correction();
  return {{"posteriors", run.posteriors().size()},
          {"marginals", run.spec().marginals.size()},
          {"correction", correction ? to_json(*correction) : nlohmann::ordered_json(nullptr)}};
}

}  // namespace

CheckResult check_joint(const RunDirectory& run, const AmortizedPosterior& joint,
                        Observer& observer, const NoiseModel* simulator_noise) {
  CheckResult result = calibration(run, joint, observer, simulator_noise);
  compare_with_marginals(result, run, joint);
  return result;
}

std::string CheckedJoint::source() const {
  return describe_joint(posterior->estimator());
}

std::optional<CheckResult> read_joint_check(const RunDirectory& run) {
  const RunFile file = run.joint_check_file();
  if (!file.exists()) return std::nullopt;
  const auto json =
      read_json_as<nlohmann::ordered_json>(file, [](auto content) { return content; });
  return make_sense_of(file, [&]() -> std::optional<CheckResult> {
    if (json.at("of") != checked_against(run)) return std::nullopt;
    return check_result_from_json(json.at("check"));
  });
}

void write_joint_check(const RunDirectory& run, const CheckResult& check) {
  const RunLock lock(run);
  write_json(run.joint_check_file(), {{"of", checked_against(run)}, {"check", to_json(check)}});
}

CheckedJoint checked_joint(const RunDirectory& run, Observer& observer,
                           const NoiseModel* simulator_noise) {
  CheckedJoint joint{joint_posterior(run, observer, simulator_noise), {}};
  if (auto kept = read_joint_check(run)) {
    joint.check = *kept;
    return joint;
  }
  joint.check = check_joint(run, *joint.posterior, observer, simulator_noise);
  try {
    write_joint_check(run, joint.check);
  } catch (const Error& error) {  // draws need no more than to read the run
    observer.log(LogLevel::info,
                 fmt::format("the check of the joint posterior is not kept: {}", error.message()));
  }
  return joint;
}

void require_usable(const RunDirectory& run, const CheckedJoint& joint, const std::string& instead,
                    bool anyway) {
  if (joint.check.status != Status::fail || anyway) return;
  fail_with_advice(ErrorKind::numerical,
                   fmt::format("the joint posterior of {} fails its check: {}", run.path().string(),
                               joint.check.reason),
                   {.before = fmt::format("; use more simulations, {}, or ", instead),
                    .action = Action::anyway});
}

}  // namespace hone
