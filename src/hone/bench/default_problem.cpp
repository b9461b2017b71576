#include "hone/bench/default_problem.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "hone/core/error.h"
#include "hone/core/suggestion.h"
#include "hone/tasks/reference.h"

namespace hone {

std::vector<double> DefaultProblem::observation() const {
  std::vector<double> x(static_cast<std::size_t>(data_size));
  simulate(x, truth, Rng(20261118).child("observation"));
  return x;
}

Matrix<double> DefaultProblem::reference_draws(Index rows) const {
  const std::vector<double> x = observation();
  const Rng rng = Rng(1).child("reference of defaults");
  if (reference) return reference(x, rows, rng);
  return samples_by_rejection(prior, data_size, name, log_likelihood)(x, rows, rng);
}

const std::vector<DefaultProblem>& default_problems() {
  static const std::vector<DefaultProblem> problems{
      oscillator_problem(), image_problem(),   iid_problem(),     ricker_problem(),
      banana_problem(),     twenty_problem(),  integer_problem(), spectrum_problem(),
      reactions_problem(),  outliers_problem()};
  return problems;
}

const DefaultProblem& find_default_problem(const std::string& name) {
  const auto& all = default_problems();
  const auto found = std::ranges::find(all, name, &DefaultProblem::name);
  if (found != all.end()) return *found;
  std::vector<std::string> names;
  names.reserve(all.size());
  for (const DefaultProblem& one : all) names.push_back(one.name);
  fail_value("problem", fmt::format("'{}'", name),
             "there is no such problem; " + suggestion(name, names));
}

Prior prior_of(const std::vector<ParameterRow>& rows) {
  std::vector<Parameter> parameters;
  for (const ParameterRow& row : rows) {
    const bool normal = std::string_view(row.kind) == "normal";
    parameters.push_back(
        {row.name, "",
         make_distribution({row.kind,
                            {{normal ? "mean" : "low", row.a}, {normal ? "sigma" : "high", row.b}},
                            {}})});
  }
  return Prior(std::move(parameters));
}

DataDescription one_block(const char* name, DataKind kind, std::vector<Index> shape) {
  return DataDescription({{.name = name, .kind = kind, .shape = std::move(shape)}});
}

std::vector<Marginal> all_marginals(int dimensions) {
  std::vector<Marginal> all = one_dimensional(dimensions);
  const std::vector<Marginal> pairs = two_dimensional(dimensions);
  all.insert(all.end(), pairs.begin(), pairs.end());
  return all;
}

double log_normal_sum(std::span<const double> x, std::span<const double> mean, double sigma) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double z = (x[i] - mean[i]) / sigma;
    sum -= z * z / 2;
  }
  const double n = static_cast<double>(x.size());
  return sum - n * (std::log(sigma) + std::log(2 * std::numbers::pi) / 2);
}

double log_poisson_sum(std::span<const double> x, std::span<const double> mean) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum += x[i] * std::log(mean[i]) - mean[i] - std::lgamma(x[i] + 1);
  }
  return sum;
}

}  // namespace hone
