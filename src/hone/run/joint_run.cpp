#include "hone/run/joint_run.h"

#include <algorithm>

#include "hone/core/error.h"
#include "hone/inference/density_estimator.h"
#include "hone/inference/joint_choice.h"
#include "hone/inference/ratio_estimator.h"
#include "hone/posterior/joint_posterior.h"
#include "hone/run/finished_run.h"
#include "hone/run/run_lock.h"

namespace hone {
namespace {

// One transform learned a banana 40 % too wide, four learned the thin ring of the torus worse than
// one (docs/benchmarks/joint.md): both are trained.
constexpr int kTransforms = 4;
// Simulations that decide, at the most and at the least.
constexpr Index kMostHeldOut = 256, kFewestHeldOut = 20;

// A ratio holds for simulations from any proposal, a density only for those from the prior, and of
// numbers on a line.
bool may_have_density(const RunSpec& spec) {
  return find_method(spec.options.method).amortized &&
         std::ranges::none_of(spec.prior.parameters(),
                              [](const Parameter& one) { return one.distribution->discrete(); });
}

TrainedPosterior train_networks(const EstimatorKind& kind, const RunSpec& spec, const Dataset& data,
                                int transforms, Observer& observer) {
  InferenceOptions options = spec.options;
  options.density.transforms = transforms;
  const std::vector<Marginal> marginals{joint(spec.prior.dimensions())};
  const int ensemble = kind.fit(options, data_size(data)).ensemble;
  return estimate(kind,
                  {data, marginals, ensemble, options, Rng(spec.seed).child("joint"), observer});
}

struct Candidate {
  std::string name;  // for people
  TrainedPosterior trained;
};

// Densities are trained; likelihoods are there.
std::vector<Candidate> candidates(const AmortizedPosterior& own, const RunSpec& spec,
                                  const Dataset& data, Observer& observer) {
  std::vector<Candidate> result;
  for (const int transforms : {std::max(spec.options.density.transforms, kTransforms), 1}) {
    result.push_back(
        {fmt::format("a density with {} transform{}", transforms, transforms == 1 ? "" : "s"),
         train_networks(density_estimation(), spec, data, transforms, observer)});
  }
  for (const SharedPosterior& one : joint_likelihoods(own)) {
    result.push_back({describe_joint(one->estimator()), {one}});
  }
  return result;
}

// The one that predicts held-out simulations best; the first one where these are too few.
TrainedPosterior choose(const std::vector<Candidate>& all, const RunSpec& spec, const Dataset& data,
                        Observer& observer) {
  const Candidate& first = all[0];
  if (std::ssize(data.validation) < kFewestHeldOut) return first.trained;
  const HeldOut draws = held_out(data, kMostHeldOut);
  const Candidate* best = &first;
  double most = 0;
  for (const Candidate& one : std::span(all).subspan(1)) {
    const Gain gain = gain_over(*first.trained.posterior, *one.trained.posterior, draws,
                                Rng(spec.seed).child("joint evidence"));
    observer.log(LogLevel::info,
                 fmt::format("all parameters together: {} predicts held-out simulations {:.2f} +- "
                             "{:.2f} nats {} than {}",
                             one.name, std::abs(gain.mean), gain.error,
                             gain.mean > 0 ? "better" : "worse", first.name));
    if (gain.mean <= most) continue;
    most = gain.mean;
    best = &one;
  }
  observer.log(LogLevel::info, "draws of all parameters together: from " + best->name);
  return best->trained;
}

TrainedPosterior train_joint(const RunDirectory& run, const AmortizedPosterior& own,
                             Observer& observer, const NoiseModel* simulator_noise) {
  const RunSpec& spec = run.spec();
  const RunData data = training_data(run, *run.final_region(), simulator_noise);
  observer.context_changed("joint posterior");
  if (!may_have_density(spec)) {
    return train_networks(ratio_estimation(), spec, data.rows, 1, observer);
  }
  return choose(candidates(own, spec, data.rows, observer), spec, data.rows, observer);
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

std::string describe_joint(const std::string& estimator) {
  const std::string kind = estimator.starts_with("joint_") ? estimator.substr(6) : estimator;
  if (kind == "density") return "a density of all parameters";
  if (kind == "ratio") return "a ratio of all parameters";
  if (kind == "likelihood") return "the run's likelihood times the prior";
  if (kind == "element_likelihood") return "the run's likelihood of elements times the prior";
  if (kind == "regression" || kind == "gap_regression") {
    return "the run's likelihood by regression times the prior";
  }
  if (kind == "samples") return "the samples of the run";
  return "the posterior of all parameters that the run has (" + kind + ")";
}

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
    const TrainedPosterior fresh =
        train_joint(run, *trained[0].posterior, observer, simulator_noise);
    const RunLock lock(run);
    run.write_joint_posterior(fresh);
    networks = fresh.posterior;
  }
  return std::make_shared<const JointPosterior>(networks, all);
}

Matrix<double> all_quantities(const Prior& prior, const Matrix<double>& theta) {
  const Index rows = theta.rows();
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

Matrix<double> joint_draws(const RunDirectory& run, const AmortizedPosterior& joint,
                           std::span<const double> x, Index rows, const Rng& rng) {
  return all_quantities(run.spec().prior, joint.joint_samples(x, rows, rng).value());
}

}  // namespace hone
