#pragma once

#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "hone/simulator/noise.h"

namespace hone {

enum class NoiseKind {
  none,      // x is what the simulator makes
  gaussian,  // x = noiseless + n
  poisson,   // x = Poisson numbers with the noiseless part as mean
  library,   // hone_noise() of a shared library
  simulator  // the simulator brings its own
};
std::string to_string(NoiseKind kind);  // as `kind` in a problem file

// The noise that training adds to what the simulator makes: what the [noise] section of a problem
// file says, and what run.json keeps. A plain value; which fields mean something depends on the
// kind.
struct NoiseSpec {
  NoiseKind kind = NoiseKind::none;
  std::vector<double> sigma;       // gaussian: one for all values, or one for each
  std::vector<double> covariance;  // gaussian, instead of sigma: row by row; in noise.h5
  std::string library;             // library: absolute path
  Index noiseless_size = 0;        // library: length of the noiseless part

  bool operator==(const NoiseSpec&) const = default;
};

// Without the covariance.
nlohmann::ordered_json to_json(const NoiseSpec& spec);
// nlohmann's exceptions on wrong types, Error{input} on an unknown kind: for read_json_as().
NoiseSpec noise_spec_from_json(const nlohmann::json& json);

// "gaussian, sigma 0.1": for people.
std::string describe(const NoiseSpec& spec);

// Null for none and for a simulator's own. Error{input} if it does not fit data of this length.
std::unique_ptr<NoiseModel> make_noise(const NoiseSpec& spec, Index parameters, Index data_size);

// How many values a simulation makes, if training turns them into so many data.
Index simulated_size(const NoiseSpec& spec, Index data_size);

}  // namespace hone
