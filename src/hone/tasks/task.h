#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hone/core/data_description.h"
#include "hone/core/matrix.h"
#include "hone/core/rng.h"
#include "hone/prior/marginals.h"
#include "hone/prior/prior.h"
#include "hone/simulator/simulator.h"

namespace hone {

// Exact answers to compare an inference with. Every function takes the observation x, so that
// other data than the default can be studied. Throws Error{input} if x has the wrong length.
struct ReferencePosterior {
  // log p(x | theta), normalised over x.
  std::function<double(std::span<const double> x, std::span<const double> theta)> log_likelihood;

  // (rows, parameters): independent draws from p(theta | x). Row i depends on rng and i only.
  std::function<Matrix<double>(std::span<const double> x, Index rows, const Rng& rng)> samples;

  // The normalised density of a marginal posterior at points (n, parameters in the marginal). Empty
  // where there is no simple way to it.
  std::function<std::vector<double>(std::span<const double> x, const Marginal& marginal,
                                    MatrixView<const double> points)>
      marginal_density;
};

// A built-in problem.
struct Task {
  std::string name;
  std::string description;  // one sentence
  Prior prior;
  std::vector<double> truth;        // parameters behind the default observation
  std::vector<double> observation;  // default x
  DataDescription data = {};        // what its values are; nothing: one vector
  Index budget = 0;                 // default number of simulations
  std::string preset = "default";   // of options, to start from where none is chosen
  std::function<std::unique_ptr<Simulator>()> simulator;
  ReferencePosterior reference;
};

const std::vector<Task>& all_tasks();

// Throws Error{input} with the nearest name and the list of all.
const Task& find_task(std::string_view name);

}  // namespace hone
