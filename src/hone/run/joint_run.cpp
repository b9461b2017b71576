#include "hone/run/joint_run.h"

#include <algorithm>

#include "hone/core/error.h"
#include "hone/inference/density_estimator.h"
#include "hone/inference/ratio_estimator.h"
#include "hone/posterior/joint_posterior.h"
#include "hone/run/finished_run.h"
#include "hone/run/run_lock.h"

namespace hone {
namespace {

TrainedPosterior train_joint(const RunDirectory& run, Observer& observer,
                             const NoiseModel* simulator_noise) {
  const RunSpec& spec = run.spec();
  const bool discrete = std::ranges::any_of(
      spec.prior.parameters(), [](const Parameter& one) { return one.distribution->discrete(); });
  // A ratio holds for simulations from any proposal, a density only for those from the prior.
  const bool from_prior = find_method(spec.options.method).amortized;
  const EstimatorKind& kind = discrete || !from_prior ? ratio_estimation() : density_estimation();
  const RunData data = training_data(run, *run.final_region(), simulator_noise);
  const std::vector<Marginal> marginals{joint(spec.prior.dimensions())};
  const int ensemble = kind.fit(spec.options, data_size(data.rows)).ensemble;
  observer.context_changed("joint posterior");
  return estimate(kind, {data.rows, marginals, ensemble, spec.options,
                         Rng(spec.seed).child("joint"), observer});
}

// The networks of the run for all parameters; null: none were trained.
SharedPosterior trained_networks(const RunDirectory& run,
                                 const std::vector<TrainedPosterior>& trained) {
  const Marginal all = joint(run.spec().prior.dimensions());
  for (const TrainedPosterior& one : trained) {
    if (one.posterior->has(all)) return one.posterior;
  }
  const auto kept = run.joint_posterior();
  return kept ? kept->posterior : nullptr;
}

}  // namespace

SharedPosterior joint_posterior(const RunDirectory& run, Observer& observer,
                                const NoiseModel* simulator_noise) {
  run.require_complete();
  const std::vector<Marginal> all{joint(run.spec().prior.dimensions())};
  const std::vector<TrainedPosterior> trained = run.posteriors();
  if (const SharedPosterior own = trained.at(0).posterior->with_marginals(all)) return own;
  SharedPosterior networks = trained_networks(run, trained);
  if (!networks && std::ssize(all[0]) > kMostJoint) {
    fail(ErrorKind::input,
         "the joint posterior of {} parameters: networks are trained for it by themselves for at "
         "most {}; train it with `hone train {} --marginal joint` and look at its checks",
         all[0].size(), kMostJoint, run.path().string());
  }
  if (!networks) {
    const TrainedPosterior fresh = train_joint(run, observer, simulator_noise);
    const RunLock lock(run);
    run.write_joint_posterior(fresh);
    networks = fresh.posterior;
  }
  return std::make_shared<const JointPosterior>(networks, all);
}

Matrix<double> joint_draws(const RunDirectory& run, const AmortizedPosterior& joint,
                           std::span<const double> x, Index rows, const Rng& rng) {
  const Prior& prior = run.spec().prior;
  const Matrix<double> theta = joint.joint_samples(x, rows, rng).value();
  Matrix<double> result(rows, prior.quantities());
  for (Index i = 0; i < rows; ++i) std::ranges::copy(theta.row(i), result.row(i).begin());
  for (std::size_t k = 0; k < prior.derived().size(); ++k) {
    const std::vector<double> values = prior.formula(k)(theta);
    for (Index i = 0; i < rows; ++i) {
      result(i, theta.cols() + static_cast<Index>(k)) = values[static_cast<std::size_t>(i)];
    }
  }
  return result;
}

}  // namespace hone
