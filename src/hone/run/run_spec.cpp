#include "hone/run/run_spec.h"

#include <algorithm>
#include <functional>

#include "hone/core/error.h"
#include "hone/inference/method.h"

namespace hone {
namespace {

// Format 1 may lack options that were added later; from 2 on every option is there. So an option
// that is added raises the format, and runs of the format before get the value that does what hone
// did without it, as those of format 1 do.
constexpr int kFirstFormat = 1, kFormat = 2;

InferenceOptions read_options(const nlohmann::json& json, int format) {
  if (format == kFirstFormat) return with_options(format_1_defaults(), json);
  return inference_options_from_json(json);
}

}  // namespace

void RunSpec::validate() const {
  const auto good = [&](const Marginal& marginal) {
    return !marginal.empty() && marginal.front() >= 0 && marginal.back() < prior.dimensions() &&
           std::ranges::adjacent_find(marginal, std::greater_equal{}) == marginal.end();
  };
  if (marginals.empty() || !std::ranges::all_of(marginals, good)) {
    fail(ErrorKind::input, "marginals: must be lists of ascending parameter indices");
  }
  data.check_size(std::ssize(observation));
  if (!noise.sigma.empty()) make_noise(noise, prior.dimensions(), std::ssize(observation));
  options.validate(std::ssize(observation));
  simulator.check_budget(options.budget);
}

nlohmann::ordered_json to_json(const RunSpec& spec) {
  nlohmann::ordered_json json{{"format", kFormat},
                              {"name", spec.name},
                              {"simulator", to_json(spec.simulator)},
                              {"seed", spec.seed},
                              {"parameters", to_json(spec.prior)},
                              {"observation", spec.observation}};
  if (spec.data.declared()) json["data"] = to_json(spec.data);
  if (spec.noise.kind != NoiseKind::none) json["noise"] = to_json(spec.noise);
  json["marginals"] = spec.marginals;
  json["options"] = to_json(spec.options);
  return json;
}

RunSpec run_spec_from_json(const nlohmann::json& json) {
  const int format = json.at("format");
  if (format < kFirstFormat || format > kFormat) {
    fail(ErrorKind::io,
         "it has format {}, this hone reads formats {} to {}; use the version that "
         "made the run",
         format, kFirstFormat, kFormat);
  }
  RunSpec spec{.name = json.at("name"),
               .simulator = simulator_spec_from_json(json.at("simulator")),
               .seed = json.at("seed"),
               .prior = prior_from_json(json.at("parameters")),
               .observation = json.at("observation"),
               .marginals = json.at("marginals"),
               .options = read_options(json.at("options"), format)};
  if (json.contains("noise")) spec.noise = noise_spec_from_json(json.at("noise"));
  if (json.contains("data")) spec.data = data_description_from_json(json.at("data"));
  spec.validate();
  return spec;
}

}  // namespace hone
