#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "hone/check/checks.h"
#include "hone/check/model_run.h"

namespace hone {

// log p(observation | model) of one model, in the units of the data.
struct ModelEvidence {
  std::string name;
  double log_evidence = 0;
  double error = 0;      // as a standard deviation
  double effective = 0;  // simulations that count in the mean (noise_evidence.h)
  RegionFacts region = {};
  Status status = Status::pass;
  std::string reason = {};
};

// Without networks, where the noise was declared and the likelihood is therefore known: Gaussian or
// Poisson noise of the problem file. Error{input} otherwise, and as read_model() says.
ModelEvidence evidence_of_model(const ModelRun& model);

nlohmann::ordered_json to_json(const ModelEvidence& evidence);
nlohmann::ordered_json to_json(const RegionFacts& region);

}  // namespace hone
