#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hone/estimate/simulations.h"
#include "hone/posterior/amortized_posterior.h"

// Which of several models made the data? Models have parameters of their own and data of the same
// kind. Each has been simulated in a region of its own, and everything here is about its truncated
// prior there and about data that exist: log p(x | model) up to a function of x that all models
// share. What the regions' masses and failed simulations change, the caller adds.

namespace hone {

// Simulations whose model is known, and which no weight of a network was fitted to.
struct HeldOutModels {
  Matrix<float> x;         // (n, data size)
  std::vector<int> model;  // (n): which has made the row, in ascending order
};
// Validation rows of all models, at most so many of each, evenly spread over them.
HeldOutModels held_out_models(std::span<const Dataset* const> models, Index most_of_each);

// What one way of telling models apart says.
struct ModelOdds {
  std::string name;              // "classification", "likelihood", "regression"
  Matrix<double> held_out;       // (n, models): log p(x | model) of the held-out simulations
  std::vector<double> observed;  // (models): of the observation
  Matrix<double> scatter;        // (models, models): standard deviation among its networks of the
                                 // difference between two models, at the observation
};

// By classification: an ensemble of networks learns the ratio p(x, model) / p(x) p(model), in which
// the model is a parameter like any other. As many simulations of each model as there are.
ModelOdds classify_models(std::span<const Dataset* const> models, const HeldOutModels& held_out,
                          std::span<const double> observation, const Rng& rng, Observer& observer);

// By the likelihoods that the posterior of each model was estimated from, or with (alone or in
// combination): their means over the region. A way for those by networks, and one for those by
// regression, where all models have one.
std::vector<ModelOdds> likelihood_odds(std::span<const SharedPosterior> models,
                                       const HeldOutModels& held_out,
                                       std::span<const double> observation);

// Several ways together: the pool
//
//   log p(x | model) = sum over ways of share_w log p_w(x | model)
//
// whose probabilities of the true model are best on held-out simulations, all models alike. Shares
// add up to 1, so that odds are neither stretched nor shrunk. `scatter` holds that of the ways'
// networks and how far the ways differ.
struct PooledOdds {
  ModelOdds odds;
  std::vector<double> shares;  // of the ways
  std::vector<double> scores;  // of each alone: mean log probability of the true model
  double score = 0;            // of the pool
};
PooledOdds pool_odds(const std::vector<ModelOdds>& ways, std::span<const int> model);

// log of the probabilities of models from log p(x | model) and log prior probabilities.
std::vector<double> log_probabilities(std::span<const double> log_evidence,
                                      std::span<const double> log_prior);

}  // namespace hone
