#include "hone/posterior/amortized_posterior.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/ranges.h>

#include "hone/core/error.h"

namespace hone {

AmortizedPosterior::AmortizedPosterior(TruncatedPrior prior, std::vector<Marginal> marginals,
                                       int ensemble, std::vector<double> weights)
    : prior_(std::move(prior)),
      marginals_(std::move(marginals)),
      ensemble_(ensemble),
      weights_(std::move(weights)) {
  HONE_ASSERT(ensemble_ > 0 && std::ssize(weights_) == std::ssize(marginals_) * ensemble_);
}

bool AmortizedPosterior::has(const Marginal& marginal) const {
  return std::ranges::find(marginals_, marginal) != marginals_.end();
}

Index AmortizedPosterior::find(const Marginal& marginal) const {
  const auto found = std::ranges::find(marginals_, marginal);
  if (found == marginals_.end()) {
    const auto names = prior_.prior().quantity_names();
    std::vector<std::string> trained;
    for (const Marginal& one : marginals_) trained.push_back(marginal_name(one, names));
    fail(ErrorKind::input, "the marginal {} has not been trained; trained are {}",
         marginal_name(marginal, names), fmt::join(trained, "; "));
  }
  return found - marginals_.begin();
}

std::span<const double> AmortizedPosterior::weights(Index marginal) const {
  return std::span(weights_).subspan(static_cast<std::size_t>(marginal * ensemble_),
                                     static_cast<std::size_t>(ensemble_));
}

Matrix<float> AmortizedPosterior::features(std::span<const double> x) const {
  if (std::ssize(x) != data_size()) {
    fail(ErrorKind::input, "the data vector has {} values, the simulator makes {}", x.size(),
         data_size());
  }
  Matrix<float> row(1, data_size());
  std::ranges::transform(x, row.row(0).begin(), [](double v) { return static_cast<float>(v); });
  return features(row);
}

double ensemble_scatter(std::span<const double> values, std::span<const double> weights) {
  HONE_ASSERT(values.size() == weights.size());
  if (values.size() < 2) return 0;
  const double mean = std::inner_product(values.begin(), values.end(), weights.begin(), 0.0);
  double square = 0;
  for (std::size_t e = 0; e < values.size(); ++e) {
    square += weights[e] * (values[e] - mean) * (values[e] - mean);
  }
  const double n = static_cast<double>(values.size());
  return std::sqrt(square * n / (n - 1));
}

}  // namespace hone
