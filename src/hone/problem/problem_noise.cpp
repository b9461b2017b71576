// The [noise] section.
#include <cmath>

#include "hone/core/error.h"
#include "hone/files/number_file.h"
#include "hone/problem/problem_sections.h"
#include "hone/simulator/shared_library.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

std::vector<double> numbers_of_file(const TomlTable& section, const std::string& key,
                                    const fs::path& folder) {
  try {
    return read_numbers(folder / *section.text(key));
  } catch (const Error& error) {
    section.refuse(key, error.what());
  }
}

// A number, a list, or a file.
std::vector<double> read_sigma(const TomlTable& section, const fs::path& folder) {
  const nlohmann::json& value = section.at("sigma");
  if (value.is_string()) return numbers_of_file(section, "sigma", folder);
  if (value.is_array()) return section.numbers("sigma").value();
  if (value.is_number()) return {section.number("sigma").value()};
  section.refuse("sigma", "must be a number, a list with one for each value of x, or a file");
}

void read_gaussian(NoiseSpec& noise, const TomlTable& section, const fs::path& folder) {
  if (section.has("sigma") == section.has("covariance")) {
    section.refuse_with("kind", "noise: give either sigma or covariance");
  }
  if (section.has("sigma")) {
    noise.sigma = read_sigma(section, folder);
  } else {
    noise.covariance = numbers_of_file(section, "covariance", folder);
  }
}

void read_library(NoiseSpec& noise, const TomlTable& section, const fs::path& folder,
                  Index parameters, Index data_size) {
  const auto file = section.text("library");
  if (!file) section.refuse_with("kind", "noise.library: missing; name the shared library");
  noise.library = (folder / *file).lexically_normal().string();
  try {
    noise.noiseless_size = library_noiseless_size(noise.library, parameters, data_size);
  } catch (const Error& error) {
    section.refuse("library", error.what());
  }
}

}  // namespace

NoiseSpec read_noise_section(const TomlTable& root, const fs::path& folder, Index parameters,
                             Index data_size) {
  NoiseSpec noise;
  if (!root.has("noise")) return noise;
  const TomlTable section = root.table("noise");
  section.allow_only({"kind", "sigma", "covariance", "library"});
  const auto kind = section.text("kind");
  if (!kind) {
    section.refuse_with("", "noise.kind: missing; must be gaussian, poisson or library");
  }
  if (*kind == "gaussian") {
    section.allow_only({"kind", "sigma", "covariance"});
    noise.kind = NoiseKind::gaussian;
    read_gaussian(noise, section, folder);
  } else if (*kind == "poisson") {
    section.allow_only({"kind"});
    noise.kind = NoiseKind::poisson;
  } else if (*kind == "library") {
    section.allow_only({"kind", "library"});
    noise.kind = NoiseKind::library;
    read_library(noise, section, folder, parameters, data_size);
  } else {
    section.refuse("kind", "must be gaussian, poisson or library");
  }
  if (noise.kind != NoiseKind::library) {
    with_line(root, "", [&] { return make_noise(noise, parameters, data_size); });
  }
  return noise;
}

}  // namespace hone
