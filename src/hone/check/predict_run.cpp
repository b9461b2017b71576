#include "hone/check/predict_run.h"

#include <algorithm>
#include <numeric>

#include "hone/check/joint_check.h"
#include "hone/core/error.h"
#include "hone/core/suggestion.h"
#include "hone/run/finished_run.h"
#include "hone/run/run_inputs.h"
#include "hone/run/run_lock.h"

namespace hone {
namespace {

Region region_of(const RunDirectory& run, const PredictOptions& options) {
  return options.from == "prior" ? Region::whole(run.spec().prior.dimensions())
                                 : *run.final_region();
}

// The simulations of all rows, noise included.
Matrix<float> simulated(const RunDirectory& run, const PredictOptions& options,
                        const Proposal& proposal, Executor& executor, Observer& observer) {
  const RunLock lock(run);
  const RunSpec& spec = run.spec();
  const auto noise = run_noise(spec, executor.noise());
  SimulationStore store =
      open_run_store(run, run.predictive_simulations(options.from), noise.get());
  Simulations simulations(spec.prior, store, executor,
                          Rng(spec.seed).child("predict from " + options.from), noise.get(),
                          spec.options.max_failed_fraction);
  simulations.leave_whole();
  simulations.simulate(proposal, 0, options.simulations, observer);
  const Dataset data =
      simulations.inside(Region::whole(spec.prior.dimensions()), spec.options.validation_fraction);
  std::vector<Index> all(static_cast<std::size_t>(data.rows()));
  std::iota(all.begin(), all.end(), Index{0});
  Matrix<float> x(data.rows(), data.x->cols());
  data.x->read(x, all);
  return x;
}

}  // namespace

void PredictOptions::validate() const {
  const std::vector<std::string> known{"posterior", "region", "prior"};
  if (std::ranges::find(known, from) == known.end()) {
    fail_value("from", fmt::format("'{}'", from), suggestion(from, known));
  }
  constexpr Index kFewest = 20, kMost = 1000000;
  if (simulations < kFewest || simulations > kMost) {
    fail_value("count", simulations, fmt::format("must lie in {} .. {}", kFewest, kMost));
  }
  require_distinct_names(statistics);
}

Predictive predict_run(const RunDirectory& run, const PredictOptions& options, Executor& executor,
                       Observer& observer) {
  options.validate();
  run.require_complete();
  const RunSpec& spec = run.spec();
  const Region region = region_of(run, options);
  std::string source =
      options.from == "prior" ? "the whole prior" : "the prior in the final region";
  std::optional<CheckResult> joint_check;
  Proposal proposal(region);
  if (options.from == "posterior") {
    const CheckedJoint joint = checked_joint(run, observer, executor.noise());
    require_usable(run, joint, "take parameters from the region or the prior instead",
                   options.anyway);
    joint_check = joint.check;
    source = fmt::format("the joint posterior ({})", joint.source());
    const auto theta = std::make_shared<const Matrix<double>>(
        joint.posterior
            ->joint_samples(spec.observation, options.simulations, Rng(spec.seed).child("predict"))
            .value());
    proposal = Proposal(region, [theta](Index rows) {
      HONE_ASSERT(rows == theta->rows());
      Matrix<double> copy(rows, theta->cols());
      std::copy_n(theta->data(), rows * theta->cols(), copy.data());
      return copy;
    });
  }
  observer.context_changed("predictive simulations");
  Predictive result =
      compare_predictive(simulated(run, options, proposal, executor, observer), spec.observation,
                         spec.data, options.from, options.statistics);
  result.source = source;
  result.joint_check = joint_check;
  const RunLock lock(run);
  write_json(run.predictive_file(), to_json(result));
  return result;
}

std::optional<Predictive> read_predictive(const RunDirectory& run) {
  if (!run.predictive_file().exists()) return std::nullopt;
  return read_json_as(run.predictive_file(), [&](const nlohmann::json& json) {
    return predictive_from_json(json, run.spec().observation.size());
  });
}

}  // namespace hone
