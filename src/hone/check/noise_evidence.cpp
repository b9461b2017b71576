#include "hone/check/noise_evidence.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "hone/core/parallel.h"

namespace hone {

NoiseEvidence::NoiseEvidence(const SimulationStore& store, const Dataset& model,
                             NoiseDensity density)
    : training_(model.training), density_(std::move(density)) {
  const auto rows = store.x_rows(model.ids);
  all_.resize(static_cast<std::size_t>(model.rows()));
  std::iota(all_.begin(), all_.end(), Index{0});
  noiseless_ = Matrix<float>(rows->rows(), rows->cols());
  rows->read(noiseless_, all_);
}

NoiseEvidence::Mean NoiseEvidence::operator()(std::span<const float> x, bool all) const {
  // Of data that no simulation can make: a logarithm that stays a number.
  constexpr double kNone = -1e30;
  const std::vector<Index>& rows = all ? all_ : training_;
  std::vector<double> logs;
  logs.reserve(rows.size());
  for (const Index row : rows) logs.push_back(std::max(kNone, density_(x, noiseless_.row(row))));
  const double peak = std::ranges::max(logs), n = static_cast<double>(rows.size());
  double sum = 0, squares = 0;
  for (const double log : logs) {
    const double weight = std::exp(log - peak);
    sum += weight;
    squares += weight * weight;
  }
  const double effective = sum * sum / squares;
  return {peak + std::log(sum / n), std::sqrt(std::max(0.0, 1 / effective - 1 / n)), effective};
}

std::optional<NoiseEvidence> noise_evidence(const RunDirectory& run, const Dataset& model) {
  const RunSpec& spec = run.spec();
  NoiseDensity density = noise_density(spec.noise, std::ssize(spec.observation));
  if (density == nullptr) return std::nullopt;
  return NoiseEvidence(*run.store(), model, std::move(density));
}

ModelOdds noise_odds(std::span<const NoiseEvidence> models, const HeldOutModels& held_out,
                     std::span<const double> observation) {
  const Index n = held_out.x.rows(), count = std::ssize(models);
  ModelOdds odds{kNoiseWay, Matrix<double>(n, count), {}, Matrix<double>(count, count)};
  const std::vector<float> observed(observation.begin(), observation.end());
  std::vector<double> errors;
  for (Index m = 0; m < count; ++m) {
    const NoiseEvidence& model = models[static_cast<std::size_t>(m)];
    parallel_for(n, [&](Index i) { odds.held_out(i, m) = model(held_out.x.row(i), false).log; });
    const auto mean = model(observed, true);
    odds.observed.push_back(mean.log);
    errors.push_back(mean.error);
  }
  for (Index a = 0; a < count; ++a) {
    for (Index b = 0; b < count; ++b) {
      const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
      odds.scatter(a, b) = a == b ? 0 : std::hypot(errors[i], errors[j]);
    }
  }
  return odds;
}

}  // namespace hone
