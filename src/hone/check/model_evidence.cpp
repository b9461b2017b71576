#include "hone/check/model_evidence.h"

#include <cmath>

#include "hone/check/noise_evidence.h"
#include "hone/core/error.h"

namespace hone {

ModelEvidence evidence_of_model(const ModelRun& model) {
  const RunSpec& spec = model.run.spec();
  if (noise_density(spec.noise, std::ssize(spec.observation)) == nullptr) {
    fail(ErrorKind::input,
         "{}: the evidence of one model needs a likelihood, which is known where the problem file "
         "declares gaussian or poisson noise; the noise here is '{}'. Two or more models can be "
         "compared without it",
         model.run.path().string(), to_string(spec.noise.kind));
  }
  const ModelData data = read_model(model);
  const auto noise = noise_evidence(model.run, data.rows());
  const std::vector<float> observed(spec.observation.begin(), spec.observation.end());
  const NoiseEvidence::Mean mean = (*noise)(observed, true);
  ModelEvidence result{.name = model.run.label(),
                       .log_evidence = mean.log + data.facts.log_factor,
                       .error = std::sqrt(mean.error * mean.error + data.facts.variance),
                       .effective = mean.effective,
                       .region = data.facts};
  constexpr double kFew = 25;  // a standard error of 0.2
  result.status = mean.effective < kFew ? Status::caution : Status::pass;
  result.reason = fmt::format("{:.0f} of {} simulations count in the mean of the likelihood",
                              mean.effective, data.facts.simulations);
  return result;
}

nlohmann::ordered_json to_json(const RegionFacts& region) {
  return {{"simulations", region.simulations},
          {"valid", region.valid},
          {"log_mass", region.log_mass},
          {"lost_mass", region.lost_mass}};
}

nlohmann::ordered_json to_json(const ModelEvidence& evidence) {
  return {{"name", evidence.name},
          {"log_evidence", evidence.log_evidence},
          {"error", evidence.error},
          {"effective_simulations", evidence.effective},
          {"region", to_json(evidence.region)},
          {"status", to_string(evidence.status)},
          {"reason", evidence.reason}};
}

}  // namespace hone
