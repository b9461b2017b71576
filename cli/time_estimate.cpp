#include "cli/time_estimate.h"

#include <algorithm>
#include <thread>

#include <fmt/format.h>

#include "hone/estimate/combined_estimation.h"
#include "hone/estimate/piece_training.h"
#include "hone/inference/method.h"

namespace hone::cli {
namespace {

constexpr double kPerSecond =
    2e10;                        // floating-point operations of a core (docs/benchmarks/engine.md)
constexpr double kEpochs = 0.5;  // of max_epochs, before early stopping
constexpr double kRounds = 5;    // typical
constexpr double kAfterwards = 1.5;  // with checks, grids and report: over training alone

// One row forward and backward through a network with so many inputs.
double row_operations(const NetworkOptions& network, double inputs) {
  const double hidden = network.hidden;
  return 6 * hidden * (inputs + 2 * network.depth * hidden);
}

double ratio_operations(const InferenceOptions& used, double networks, double rows, double inputs) {
  const double candidates = 1 + used.training.loss.negatives;
  return networks * rows * kEpochs * used.training.max_epochs * candidates *
         row_operations(used.network, inputs);
}

// So many densities for each member.
double likelihood_operations(const InferenceOptions& options, const DataSize& size,
                             Index densities) {
  const InferenceOptions used = fitted_densities(options, size);
  const double networks = static_cast<double>(densities) * used.ensemble;
  return networks * static_cast<double>(size.rows) * used.training.max_epochs *
         row_operations(used.network, 2.0 * static_cast<double>(size.parameters));
}

DataSize size_of(const RunSpec& spec, double rows) {
  const auto count = std::max<Index>(kFewestRows, static_cast<Index>(rows));
  return {.rows = count,
          .training_rows = count - count / 10,
          .columns = std::ssize(spec.observation),
          .parameters = spec.prior.dimensions(),
          .data = spec.data};
}

}  // namespace

double seconds_to_learn(const RunSpec& spec, bool has_rounds) {
  const InferenceOptions& options = spec.options;
  const double budget = static_cast<double>(options.budget);
  // About so many are in the region in the end.
  const DataSize final = size_of(spec, has_rounds ? 0.7 * budget : budget);
  const InferenceOptions used = fitted(options, final);
  const double inputs = used.embedding.kind == EmbeddingKind::none
                            ? static_cast<double>(final.columns)
                            : static_cast<double>(used.embedding.output_size());
  const double marginals = static_cast<double>(spec.marginals.size());
  double operations =
      ratio_operations(used, marginals * used.ensemble, static_cast<double>(final.rows), inputs);
  if (has_rounds) {
    const DataSize round = size_of(spec, std::max(options.round_fraction * budget,
                                                  static_cast<double>(options.round_minimum)));
    const InferenceOptions in_round = fitted(options, round);
    operations +=
        kRounds * ratio_operations(in_round, spec.prior.dimensions() * in_round.round_ensemble,
                                   static_cast<double>(round.rows), inputs);
  }
  const bool likelihoods = find_method(options.method).estimator().with_likelihoods;
  if (likelihoods && may_have_likelihood(options, spec.prior, final)) {
    operations += likelihood_operations(options, final, final.columns);
  }
  if (likelihoods && may_have_transitions(options, spec.prior, final)) {
    const DataPieces steps = steps_of(final.data, final.columns);
    operations += likelihood_operations(options, size_of_pieces(final, steps), steps.step());
  }
  const double cores = std::max(1U, std::thread::hardware_concurrency());
  return kAfterwards * operations / (kPerSecond * cores);
}

std::string in_words(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.2g} microseconds", 1e6 * seconds);
  if (seconds < 1) return fmt::format("{:.0f} milliseconds", 1e3 * seconds);
  if (seconds < 120) return fmt::format("{:.0f} s", seconds);
  if (seconds < 7200) return fmt::format("{:.0f} minutes", seconds / 60);
  if (seconds < 2 * 86400) return fmt::format("{:.1f} hours", seconds / 3600);
  return fmt::format("{:.1f} days", seconds / 86400);
}

}  // namespace hone::cli
