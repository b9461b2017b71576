#pragma once

#include <map>

#include <nlohmann/json.hpp>

#include "hone/prior/marginals.h"

namespace hone {

// Posteriors that are too narrow, made wider: each density to a power of at most 1, against the
// truncated prior, and normalised again. Chosen by a coverage test (hone/check/widening.h); stored
// beside the run's own posterior, which stays as it is.
struct Correction {
  std::map<Marginal, double> powers;  // marginals that are not here stay as they are

  double power(const Marginal& marginal) const;
};

nlohmann::ordered_json to_json(const Correction& correction);
Correction correction_from_json(const nlohmann::json& json);  // Error{input} unless in (0, 1]

}  // namespace hone
