#include "hone/bench/defaults_study.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "hone/bench/case_run.h"
#include "hone/bench/row.h"
#include "hone/check/check_run.h"
#include "hone/core/version.h"
#include "hone/metrics/c2st.h"
#include "hone/metrics/marginal_pairs.h"
#include "hone/posterior/sampling.h"
#include "hone/run/execute_run.h"
#include "hone/run/finished_run.h"

namespace hone {
namespace {

std::vector<Marginal> marginals_of(const DefaultProblem& problem, bool quick) {
  std::vector<Marginal> wanted = problem.marginals;
  if (quick) std::erase_if(wanted, [](const Marginal& marginal) { return marginal.size() > 1; });
  return wanted;
}

RunSpec spec_of(const DefaultProblem& problem, const DefaultsCase& one) {
  SimulatorSpec simulator;
  simulator.kind = SimulatorKind::function;
  simulator.function = problem.name;
  return {.name = problem.name,
          .simulator = simulator,
          .seed = one.seed,
          .prior = problem.prior,
          .observation = problem.observation(),
          .data = one.declared ? problem.data : DataDescription(),
          .marginals = marginals_of(problem, one.quick),
          .options = one.options};
}

struct Moments {
  double mean = 0, deviation = 0;
};
Moments moments_of(const Matrix<double>& rows, Index column) {
  const double n = static_cast<double>(rows.rows());
  Moments m;
  for (Index i = 0; i < rows.rows(); ++i) m.mean += rows(i, column) / n;
  double square = 0;
  for (Index i = 0; i < rows.rows(); ++i) square += std::pow(rows(i, column) - m.mean, 2) / n;
  m.deviation = std::sqrt(square);
  return m;
}

Matrix<double> columns_of(const Matrix<double>& rows, const Marginal& marginal) {
  Matrix<double> result(rows.rows(), std::ssize(marginal));
  for (Index i = 0; i < rows.rows(); ++i) {
    for (std::size_t j = 0; j < marginal.size(); ++j) {
      result(i, static_cast<Index>(j)) = rows(i, marginal[j]);
    }
  }
  return result;
}

void compare_moments(DefaultsRow& row, const Summary& summary, const DefaultProblem& problem,
                     const Matrix<double>& exact) {
  for (const ParameterSummary& found : summary.parameters) {
    const Moments expected = moments_of(exact, problem.prior.index_of(found.name));
    const double offset = (found.mean - expected.mean) / expected.deviation;
    const double ratio = found.deviation / expected.deviation;
    row.parameters += fmt::format("{}{} {:+.2f} x{:.2f}", row.parameters.empty() ? "" : ", ",
                                  found.name, offset, ratio);
    if (row.worst_mean.empty() || std::abs(offset) > std::abs(row.mean_offset)) {
      row.mean_offset = offset;
      row.worst_mean = found.name;
    }
    if (row.worst_width.empty() ||
        std::abs(std::log(ratio)) > std::abs(std::log(row.width_ratio))) {
      row.width_ratio = ratio;
      row.worst_width = found.name;
    }
  }
}

void compare_samples(DefaultsRow& row, const std::vector<TrainedPosterior>& posteriors,
                     const DefaultProblem& problem, const std::vector<Marginal>& marginals,
                     const Matrix<double>& exact, const Rng& rng, Observer& observer) {
  const std::vector<double> x = problem.observation();
  std::vector<SamplePair> pairs;
  for (const Marginal& marginal : marginals) {
    const MarginalPosterior posterior = find_posterior(posteriors, marginal, x);
    pairs.push_back(
        {columns_of(exact, marginal),
         sample_posterior(posterior, exact.rows(), rng.child("sample", pairs.size())).theta});
  }
  const auto means = c2st_ddm(pairs, c2st(pairs, C2stOptions{}, rng.child("c2st"), observer));
  const auto mean = [&](Index dimensions) {
    const auto found = means.find(dimensions);
    return found == means.end() ? std::numeric_limits<double>::quiet_NaN() : found->second;
  };
  row.c2st_1d = mean(1);
  row.c2st_2d = mean(2);
}

void take_checks(DefaultsRow& row, RunDirectory& run, Executor& executor, Observer& observer) {
  auto checks = read_checks(run);
  if (!checks) checks = check_run(run, {}, &executor, observer);
  row.verdict = checks->verdict;
  for (const CheckResult& check : checks->checks) {
    if (check.status == Status::pass) continue;
    row.flagged += (row.flagged.empty() ? "" : " ") + check.name;
  }
}

std::string verdict_text(const DefaultsRow& row) {
  return row.verdict ? to_string(*row.verdict) : "not checked";
}

}  // namespace

bool DefaultsRow::right() const {
  return std::abs(mean_offset) <= 0.3 && width_ratio >= 0.85 && width_ratio <= 1.15;
}

bool DefaultsRow::wrong() const {
  return std::abs(mean_offset) > 0.5 || width_ratio < 0.7 || width_ratio > 1.3;
}

DefaultsRow run_defaults_case(const DefaultsCase& one, const std::filesystem::path& directory,
                              Observer& observer) {
  const DefaultProblem& problem = find_default_problem(one.problem);
  RunDirectory run = open_case_run(directory, spec_of(problem, one));
  const auto simulator = make_simulator(problem.data_size, problem.simulate);
  const auto executor = make_thread_executor(*simulator);
  if (!run.complete()) execute_run(run, {*executor, observer});
  DefaultsRow row{.problem = one.problem, .budget = one.options.budget, .seed = one.seed};
  if (!one.quick) take_checks(row, run, *executor, observer);
  const auto posteriors = run.posteriors();
  row.rows = training_data(run, posteriors[0].posterior->prior().region()).rows.rows();
  const Matrix<double> exact = problem.reference_draws(one.samples);
  compare_moments(row, *run.summary(), problem, exact);
  compare_samples(row, posteriors, problem, marginals_of(problem, one.quick), exact,
                  Rng(one.seed).child("defaults"), observer);
  return row;
}

std::string defaults_csv(const std::vector<DefaultsRow>& rows) {
  std::string text =
      csv_line({"problem", "budget", "seed", "mean_offset", "worst_mean", "width_ratio",
                "worst_width", "c2st_1d", "c2st_2d", "final_simulations", "verdict", "flagged",
                "parameters", "seconds", "version"}) +
      "\n";
  const auto number = [](auto value) { return fmt::format("{}", value); };
  for (const DefaultsRow& row : rows) {
    text += csv_line({row.problem, number(row.budget), number(row.seed), number(row.mean_offset),
                      row.worst_mean, number(row.width_ratio), row.worst_width, number(row.c2st_1d),
                      number(row.c2st_2d), number(row.rows), verdict_text(row), row.flagged,
                      row.parameters, fmt::format("{:.1f}", row.seconds), version()}) +
            "\n";
  }
  return text;
}

std::string defaults_markdown(const std::vector<DefaultsRow>& rows) {
  std::string text =
      "| problem | simulations | seed | mean off by, sigma | width, ratio | C2ST 1-d | C2ST 2-d | "
      "verdict | seconds | |\n|---|---|---|---|---|---|---|---|---|---|\n";
  for (const DefaultsRow& row : rows) {
    text += fmt::format(
        "| {} | {} | {} | {:+.2f} ({}) | {:.2f} ({}) | {:.3f} | {} | {}{} | {:.0f} | {} |\n",
        row.problem, row.budget, row.seed, row.mean_offset, row.worst_mean, row.width_ratio,
        row.worst_width, row.c2st_1d,
        std::isfinite(row.c2st_2d) ? fmt::format("{:.3f}", row.c2st_2d) : "-", verdict_text(row),
        row.flagged.empty() ? "" : ": " + row.flagged, row.seconds,
        row.right()   ? "right"
        : row.wrong() ? "**wrong**"
                      : "");
  }
  return text;
}

}  // namespace hone
