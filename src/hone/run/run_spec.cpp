#include "hone/run/run_spec.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>

#include "hone/core/error.h"
#include "hone/files/checksum.h"
#include "hone/inference/method.h"
#include "hone/inference/option_table.h"
#include "hone/prior/derived_axes.h"

namespace hone {
namespace {

// In the newest format every option is there. So an option that is added raises the format, and
// runs of the formats before get the value that does what hone did without it
// (inference/old_run_defaults.cpp; tests/run/data/options.json has the options of every format).
constexpr int kFirstFormat = 1, kFormat = 5;

InferenceOptions read_options(const nlohmann::json& json, int format) {
  if (format < kFormat) return with_options(old_run_defaults(), json);
  return inference_options_from_json(json);
}

// Networks compute in single precision, which ends at 1e38 and resolves nothing below 1e-38: data
// in a unit that leaves them there would be answered, and wrongly.
void check_unit(const std::vector<double>& observation) {
  constexpr double kSmallest = 1e-30, kLargest = 1e37;
  double largest = 0;
  for (const double value : observation) {
    if (!std::isnan(value)) largest = std::max(largest, std::abs(value));
  }
  if (largest == 0 || (largest >= kSmallest && largest <= kLargest)) return;
  fail(ErrorKind::input,
       "observation: its largest value is {:.3g}; must lie between {:g} and {:g}. Give the data in "
       "another unit, here and in the simulator: for example divided by {:.0e}",
       largest, kSmallest, kLargest, std::pow(10.0, std::floor(std::log10(largest))));
}

// Only networks behind an encoder know what a gap is.
void check_missing(const RunSpec& spec) {
  spec.data.check_gaps(spec.observation);
  if (!spec.data.has_missing()) return;
  const auto block = std::ranges::find_if(
      spec.data.blocks(), [](const DataBlock& one) { return one.missing != Missing::never; });
  const Method& method = find_method(spec.options.method);
  const auto refuse = [&](const std::string& why) {
    fail(ErrorKind::input, "data '{}': values may be missing, but {}", block->name, why);
  };
  if (std::ranges::find(method.option_groups, "Shared embedding") == method.option_groups.end()) {
    refuse(method.title + " cannot use such data; use tmnre or another method with an embedding");
  }
  if (spec.options.embedding.kind != EmbeddingKind::automatic) {
    refuse("only embedding = \"auto\" can use such data");
  }
  const bool simulated = std::ranges::any_of(
      spec.data.blocks(), [](const DataBlock& one) { return one.missing == Missing::simulated; });
  const NoiseKind noise = spec.noise.kind;
  if (noise == NoiseKind::none) return;
  if (simulated || (noise != NoiseKind::gaussian && noise != NoiseKind::poisson)) {
    refuse(
        "noise that training adds needs all of them; let the simulator add the noise, or say "
        "missing = \"random\" with noise that is gaussian or poisson");
  }
}

// Numbers of a run file: NaN, a value that is missing, is null there.
std::vector<double> numbers_or_gaps(const nlohmann::json& json) {
  std::vector<double> values;
  for (const nlohmann::json& value : json) {
    values.push_back(value.is_null() ? std::nan("") : value.get<double>());
  }
  return values;
}

}  // namespace

void RunSpec::validate() const {
  const auto good = [&](const Marginal& marginal) {
    return !marginal.empty() && marginal.front() >= 0 && marginal.back() < prior.quantities() &&
           std::ranges::adjacent_find(marginal, std::greater_equal{}) == marginal.end();
  };
  if (marginals.empty() || !std::ranges::all_of(marginals, good)) {
    fail(ErrorKind::input, "marginals: must be lists of ascending parameter indices");
  }
  check_derived(prior);
  const Method& method = find_method(options.method);
  if (!prior.derived().empty() && !method.estimator().any_axis) {
    fail(ErrorKind::input,
         "derived[0] = '{}': {} cannot infer derived quantities; use a method that learns each "
         "posterior by itself, such as tmnre, or compute them from samples of the joint posterior",
         prior.derived()[0].name, method.title);
  }
  for (const Parameter& parameter : prior.parameters()) {
    if (!parameter.distribution->discrete() || method.estimator().whole_numbers) continue;
    fail(ErrorKind::input,
         "parameter '{}': {} cannot infer whole numbers and categories; use tmnre or mnre",
         parameter.name, method.title);
  }
  data.check_size(std::ssize(observation));
  check_unit(observation);
  check_missing(*this);
  if (!noise.sigma.empty()) make_noise(noise, prior.dimensions(), std::ssize(observation));
  hone::validate(options, std::ssize(observation));
  simulator.check_budget(options.budget);
}

std::uint64_t identity(const RunSpec& spec) {
  const std::string text = to_json(spec).dump();
  const std::uint64_t number = checksum(checksum(0, std::as_bytes(std::span(text))),
                                        std::as_bytes(std::span(spec.noise.covariance)));
  return number == 0 ? 1 : number;
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
  if (!spec.prior.derived().empty()) json["derived"] = to_json(spec.prior.derived());
  json["marginals"] = spec.marginals;
  json["options"] = to_json(spec.options);
  if (!spec.reuses.empty()) json["reuses"] = spec.reuses;
  return json;
}

RunSpec run_spec_from_json(const nlohmann::json& json) {
  const int format = json.at("format");
  if (format < kFirstFormat || format > kFormat) {
    throw UnknownVersion(fmt::format("it has format {}, this version reads formats {} to {}",
                                     format, kFirstFormat, kFormat));
  }
  RunSpec spec{.name = json.at("name"),
               .simulator = simulator_spec_from_json(json.at("simulator")),
               .seed = json.at("seed"),
               .prior = prior_from_json(json.at("parameters")),
               .observation = numbers_or_gaps(json.at("observation")),
               .marginals = json.at("marginals"),
               .options = read_options(json.at("options"), format)};
  if (json.contains("derived")) {
    spec.prior = spec.prior.with_derived(derived_from_json(json.at("derived")));
  }
  if (json.contains("reuses")) spec.reuses = json.at("reuses");
  if (json.contains("noise")) spec.noise = noise_spec_from_json(json.at("noise"));
  if (json.contains("data")) spec.data = data_description_from_json(json.at("data"));
  spec.validate();
  return spec;
}

}  // namespace hone
