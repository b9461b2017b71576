#include "hone/posterior/combined_posterior.h"

#include <algorithm>
#include <map>

#include <fmt/ranges.h>

#include "hone/core/error.h"

namespace hone {
namespace {

int ensemble_of(const std::vector<SharedPosterior>& parts) {
  int networks = 0;
  for (const SharedPosterior& part : parts) networks += part->ensemble();
  return networks;
}

std::vector<double> weights_of(const std::vector<SharedPosterior>& parts,
                               const std::vector<double>& shares) {
  std::vector<double> weights;
  for (std::size_t m = 0; m < parts.at(0)->marginals().size(); ++m) {
    for (std::size_t k = 0; k < parts.size(); ++k) {
      for (const double own : parts[k]->weights(static_cast<Index>(m))) {
        weights.push_back(shares.at(m * parts.size() + k) * own);
      }
    }
  }
  return weights;
}

}  // namespace

CombinedPosterior::CombinedPosterior(const std::vector<SharedPosterior>& parts,
                                     std::vector<double> shares, std::vector<double> kinds)
    : AmortizedPosterior(parts.at(0)->prior(), parts.at(0)->marginals(), ensemble_of(parts),
                         weights_of(parts, shares)),
      parts_(parts),
      shares_(std::move(shares)),
      kinds_(std::move(kinds)) {
  for (const SharedPosterior& part : parts) HONE_ASSERT(part->marginals() == marginals());
  HONE_ASSERT(shares_.size() == marginals().size() * parts.size());
}

std::span<const double> CombinedPosterior::shares(Index marginal) const {
  const auto count = static_cast<std::size_t>(parts_.size());
  return std::span(shares_).subspan(static_cast<std::size_t>(marginal) * count, count);
}

Matrix<float> CombinedPosterior::log_densities(Index marginal, const Matrix<float>& features,
                                               MatrixView<const float> local) const {
  Matrix<float> out(ensemble(), local.rows());
  Index first = 0;
  for (Index k = 0; k < parts_.size(); first += parts_[k++].ensemble()) {
    if (shares(marginal)[static_cast<std::size_t>(k)] == 0) continue;
    const Matrix<float> own =
        parts_[k].log_densities(marginal, parts_.features_of(k, features), local);
    for (Index e = 0; e < own.rows(); ++e) {
      std::ranges::copy(own.row(e), out.row(first + e).begin());
    }
  }
  return out;
}

std::vector<Matrix<float>> CombinedPosterior::log_density_blocks(
    Index marginal, MatrixView<const float> features, MatrixView<const float> local) const {
  std::vector<Matrix<float>> result;
  for (Index k = 0; k < parts_.size(); ++k) {
    if (shares(marginal)[static_cast<std::size_t>(k)] == 0) {
      for (int e = 0; e < parts_[k].ensemble(); ++e) {
        result.emplace_back(features.rows(), local.rows() / features.rows());
      }
      continue;
    }
    std::ranges::move(
        parts_[k].log_density_blocks(marginal, parts_.features_of(k, features), local),
        std::back_inserter(result));
  }
  return result;
}

std::optional<double> CombinedPosterior::effective_draws(std::span<const double> x) const {
  constexpr double kSay = 0.1;
  std::optional<double> fewest;
  for (Index k = 0; k < parts_.size(); ++k) {
    if (largest_share(k) < kSay) continue;
    if (const auto own = parts_[k].effective_draws(x))
      fewest = std::min(*own, fewest.value_or(*own));
  }
  return fewest;
}

double CombinedPosterior::largest_share(Index part) const {
  double share = 0;
  for (Index m = 0; m < std::ssize(marginals()); ++m) {
    share = std::max(share, shares(m)[static_cast<std::size_t>(part)]);
  }
  return share;
}

bool CombinedPosterior::weighted_draws() const {
  for (Index k = 0; k < parts_.size(); ++k) {
    if (largest_share(k) > 0 && parts_[k].weighted_draws()) return true;
  }
  return false;
}

std::string CombinedPosterior::describe_shares() const {
  std::map<std::size_t, std::vector<Index>> groups;  // marginals by their number of parameters
  for (Index m = 0; m < std::ssize(marginals()); ++m) {
    groups[marginals()[static_cast<std::size_t>(m)].size()].push_back(m);
  }
  std::vector<std::string> lines;
  for (const auto& [dimensions, group] : groups) {
    std::vector<std::string> words;
    for (Index k = 0; k < parts_.size(); ++k) {
      double sum = 0;
      for (const Index m : group) sum += shares(m)[static_cast<std::size_t>(k)];
      std::string name = parts_[k].estimator();
      std::ranges::replace(name, '_', ' ');
      words.push_back(fmt::format("{} {:.2f}", name, sum / static_cast<double>(group.size())));
    }
    const std::string whose = dimensions == 1   ? "single parameters"
                              : dimensions == 2 ? "pairs"
                                                : fmt::format("{} parameters", dimensions);
    lines.push_back(fmt::format("{}: {}", whose, fmt::join(words, ", ")));
  }
  return fmt::format("{}", fmt::join(lines, "; "));
}

std::vector<NamedArray> CombinedPosterior::to_arrays() const {
  std::vector<NamedArray> arrays = parts_.to_arrays();
  arrays.push_back({"shares", {std::ssize(marginals()), parts_.size()}, shares_});
  arrays.push_back({kKinds, {std::ssize(kinds_)}, kinds_});
  return arrays;
}

}  // namespace hone
