#pragma once

#include <string>
#include <utility>
#include <vector>

#include "hone/prior/prior.h"

namespace hone {

// Parameters of these names, each uniform between two numbers.
inline Prior small_prior(const std::vector<std::string>& names, double low, double high) {
  std::vector<Parameter> parameters;
  for (const std::string& name : names) {
    const DistributionSpec uniform{
        .kind = "uniform", .numbers = {{"low", low}, {"high", high}}, .arrays = {}};
    parameters.push_back({name, "", make_distribution(uniform, name)});
  }
  return Prior(std::move(parameters));
}

}  // namespace hone
