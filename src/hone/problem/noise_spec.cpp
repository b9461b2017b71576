#include "hone/problem/noise_spec.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "hone/core/error.h"
#include "hone/core/suggestion.h"
#include "hone/simulator/shared_library.h"

namespace hone {
namespace {

using Kind = NoiseKind;
constexpr std::array kKinds = {Kind::none, Kind::gaussian, Kind::poisson, Kind::library,
                               Kind::simulator};

Kind kind_from(const std::string& name) {
  std::vector<std::string> names;
  for (const Kind kind : kKinds) {
    names.push_back(to_string(kind));
    if (names.back() == name) return kind;
  }
  fail_value("noise.kind", fmt::format("'{}'", name.substr(0, 60)),
             "unknown; " + suggestion(name, names));
}

std::unique_ptr<NoiseModel> make_correlated(const NoiseSpec& spec, Index size) {
  if (std::ssize(spec.covariance) != size * size) {
    fail_place("noise.covariance",
               fmt::format("it has {} numbers; must be {} x {}, as the data have",
                           spec.covariance.size(), size, size));
  }
  return make_gaussian_noise(MatrixView<const double>(spec.covariance.data(), size, size));
}

}  // namespace

std::string to_string(NoiseKind kind) {
  switch (kind) {
    case Kind::none: return "none";
    case Kind::gaussian: return "gaussian";
    case Kind::poisson: return "poisson";
    case Kind::library: return "library";
    case Kind::simulator: return "simulator";
  }
  return "unknown";
}

nlohmann::ordered_json to_json(const NoiseSpec& spec) {
  nlohmann::ordered_json json{{"kind", to_string(spec.kind)}};
  if (!spec.sigma.empty()) json["sigma"] = spec.sigma;
  if (!spec.covariance.empty()) json["covariance"] = "noise.h5";
  if (spec.kind == Kind::library) {
    json["library"] = spec.library;
    json["noiseless_size"] = spec.noiseless_size;
  }
  return json;
}

NoiseSpec noise_spec_from_json(const nlohmann::json& json) {
  NoiseSpec spec;
  spec.kind = kind_from(json.at("kind").get<std::string>());
  if (spec.kind == Kind::gaussian && !json.contains("covariance")) {
    json.at("sigma").get_to(spec.sigma);
    if (spec.sigma.empty()) fail_place("noise.sigma", "it has no numbers");
  }
  if (spec.kind == Kind::library) {
    json.at("library").get_to(spec.library);
    json.at("noiseless_size").get_to(spec.noiseless_size);
    if (spec.noiseless_size < 1) fail_place("noise.noiseless_size", "must be positive");
  }
  return spec;
}

std::string describe(const NoiseSpec& spec) {
  switch (spec.kind) {
    case Kind::none:
    case Kind::poisson: return to_string(spec.kind);
    case Kind::library:
      return fmt::format("by {}", std::filesystem::path(spec.library).filename().string());
    case Kind::simulator: return "the simulator's own";
    case Kind::gaussian: break;
  }
  if (spec.sigma.empty()) return "gaussian, correlated";
  const auto [low, high] = std::ranges::minmax(spec.sigma);
  return low == high ? fmt::format("gaussian, sigma {:.4g}", low)
                     : fmt::format("gaussian, sigma {:.4g} .. {:.4g}", low, high);
}

std::unique_ptr<NoiseModel> make_noise(const NoiseSpec& spec, Index parameters, Index data_size) {
  switch (spec.kind) {
    case Kind::none:
    case Kind::simulator: return nullptr;
    case Kind::gaussian:
      return spec.covariance.empty() ? make_gaussian_noise(data_size, spec.sigma)
                                     : make_correlated(spec, data_size);
    case Kind::poisson: return make_poisson_noise(data_size);
    case Kind::library: return load_noise(spec.library, parameters, data_size);
  }
  return nullptr;
}

Index simulated_size(const NoiseSpec& spec, Index data_size) {
  return spec.kind == Kind::library ? spec.noiseless_size : data_size;
}

}  // namespace hone
