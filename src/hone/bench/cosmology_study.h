#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "hone/bench/reference.h"
#include "hone/core/observer.h"
#include "hone/estimate/options.h"

namespace hone {

// The paper's cosmology: methods on the task `cmb` with the same number of calls of the simulator.
enum class CosmologyMethod {
  mnre,   // all marginals from simulations in the whole prior
  tmnre,  // the same in rounds
  nre,    // one network for all six parameters, whose samples are then projected
  mcmc,   // one Metropolis chain, stopped after as many calls of the likelihood
};
std::string to_string(CosmologyMethod method);
CosmologyMethod cosmology_method(const std::string& name);  // Error{input}

struct CosmologyCase {
  CosmologyMethod method = CosmologyMethod::mnre;
  std::uint64_t seed = 1;
  InferenceOptions options;  // with the budget; its method is replaced
  Index samples = 10000;     // per marginal, to be scored
};

// Samples of every 1-d and 2-d marginal posterior.
struct CosmologySamples {
  std::vector<Marginal> marginals;
  std::vector<Matrix<double>> samples;  // as the marginals: (rows, parameters of it)
};

// An inference stands in `directory` and stays there; what is done of it already is not done again.
//
// MCMC gets what the paper gave it: the covariance of the exact posterior for its proposals, and a
// start inside it, so that nothing is lost to burn-in.
CosmologySamples cosmology_samples(const CosmologyCase& one, const BenchReference& reference,
                                   const std::filesystem::path& directory, Observer& observer);

// The same of the exact posterior.
CosmologySamples reference_marginals(const BenchReference& reference, Index rows);

struct CosmologyRow {
  CosmologyMethod method = CosmologyMethod::mnre;
  std::uint64_t seed = 1;
  Index calls = 0;
  std::vector<double> offset;  // (mean - exact mean) / exact standard deviation, by parameter
  std::vector<double> width;   // standard deviation / exact one
  double c2st_1d = 0, c2st_2d = 0;
};

CosmologyRow score_cosmology(const CosmologyCase& one, const CosmologySamples& samples,
                             const CosmologySamples& exact, Observer& observer);

std::string cosmology_csv(const std::vector<CosmologyRow>& rows);
std::string cosmology_markdown(const std::vector<CosmologyRow>& rows);

}  // namespace hone
