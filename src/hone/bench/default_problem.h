#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hone/core/data_description.h"
#include "hone/prior/marginals.h"
#include "hone/prior/prior.h"
#include "hone/simulator/simulator.h"

namespace hone {

// A problem as a scientist brings it: a simulator, a prior, an observation, a budget. Its
// likelihood can be computed, so that there is an exact answer to compare with; a run does not see
// it.
struct DefaultProblem {
  std::string name;
  std::string description;  // one line
  Prior prior;
  std::vector<Marginal> marginals;  // that are wanted; 1-d ones and perhaps others
  Index budget = 5000;
  Index data_size = 1;
  DataDescription data = {};  // what a user would say of them; nothing: a vector
  std::vector<double> truth;  // behind the observation
  RowFunction simulate;
  std::function<double(std::span<const double> x, std::span<const double> theta)> log_likelihood;
  // Draws of the posterior, (rows, parameters); empty: from the likelihood.
  std::function<Matrix<double>(std::span<const double> x, Index rows, const Rng& rng)> reference =
      nullptr;

  std::vector<double> observation() const;  // one simulation of the truth, always the same
  Matrix<double> reference_draws(Index rows) const;
};

const std::vector<DefaultProblem>& default_problems();
const DefaultProblem& find_default_problem(const std::string& name);  // Error{input}

// Inside bench/ only: the problems.
DefaultProblem oscillator_problem();
DefaultProblem image_problem();
DefaultProblem iid_problem();
DefaultProblem ricker_problem();
DefaultProblem banana_problem();
DefaultProblem twenty_problem();
DefaultProblem integer_problem();
DefaultProblem spectrum_problem();
DefaultProblem reactions_problem();
DefaultProblem outliers_problem();

// {"omega", uniform, 0.5, 4} and the like.
struct ParameterRow {
  const char* name;
  const char* kind;  // "uniform" or "loguniform": low, high; "normal": mean, sigma
  double a, b;
};
Prior prior_of(const std::vector<ParameterRow>& rows);

DataDescription one_block(const char* name, DataKind kind, std::vector<Index> shape);

std::vector<Marginal> all_marginals(int dimensions);  // 1-d and 2-d, of the first so many

// The sum of log N(x_i; mean_i, sigma).
double log_normal_sum(std::span<const double> x, std::span<const double> mean, double sigma);
// The sum of log Poisson(x_i; mean_i).
double log_poisson_sum(std::span<const double> x, std::span<const double> mean);

}  // namespace hone
