#include "hone/estimate/factors.h"

#include <algorithm>

#include "hone/core/error.h"

namespace hone {

std::vector<std::vector<int>> prefixes(const std::vector<int>& columns) {
  std::vector<std::vector<int>> result;
  for (std::size_t count = 1; count <= columns.size(); ++count) {
    result.emplace_back(columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(count));
  }
  return result;
}

std::vector<std::vector<int>> factors_of(const std::vector<int>& columns, Index transforms) {
  if (transforms > 1) return {columns};
  return prefixes(columns);
}

std::vector<std::vector<int>> all_factors(const std::vector<Marginal>& marginals,
                                          Index transforms) {
  std::vector<std::vector<int>> factors;
  for (const Marginal& marginal : marginals) {
    for (std::vector<int>& factor : factors_of(marginal, transforms)) {
      if (std::ranges::find(factors, factor) == factors.end()) factors.push_back(std::move(factor));
    }
  }
  return factors;
}

Index find_factor(const std::vector<std::vector<int>>& factors, const std::vector<int>& factor) {
  const auto found = std::ranges::find(factors, factor);
  HONE_ASSERT(found != factors.end());
  return found - factors.begin();
}

MemberHistory product_history(std::span<const MemberHistory* const> factors) {
  MemberHistory result;
  std::size_t epochs = 0;
  for (const MemberHistory* factor : factors) {
    if (factor->validation_loss.size() > epochs) result.learning_rate = factor->learning_rate;
    epochs = std::max(epochs, factor->validation_loss.size());
    result.best_epoch = std::max(result.best_epoch, factor->best_epoch);
    result.best_loss += factor->best_loss;
    // The worst of them: diverged comes after max_epochs after converged.
    result.stop = std::max(result.stop, factor->stop);
  }
  result.training_loss.assign(epochs, 0.0F);
  result.validation_loss.assign(epochs, 0.0F);
  for (const MemberHistory* factor : factors) {
    for (std::size_t i = 0; i < epochs; ++i) {
      const bool running = i < factor->validation_loss.size();
      const std::size_t last = std::min(i, factor->training_loss.size() - 1);
      result.training_loss[i] += factor->training_loss.empty() ? 0 : factor->training_loss[last];
      result.validation_loss[i] +=
          running ? factor->validation_loss[i] : static_cast<float>(factor->best_loss);
    }
  }
  return result;
}

void fail_misfit() {
  fail(ErrorKind::io, "network file: its members do not fit the run; the file is damaged");
}

}  // namespace hone
