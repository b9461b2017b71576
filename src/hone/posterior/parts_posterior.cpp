#include "hone/posterior/parts_posterior.h"

#include <algorithm>

#include "hone/core/error.h"

namespace hone {
namespace {

std::vector<Marginal> marginals_of(const std::vector<SharedPosterior>& parts) {
  std::vector<Marginal> marginals;
  marginals.reserve(parts.size());
  for (const SharedPosterior& part : parts) marginals.push_back(part->marginals().at(0));
  return marginals;
}

std::vector<double> weights_of(const std::vector<SharedPosterior>& parts) {
  std::vector<double> weights;
  for (const SharedPosterior& part : parts) {
    const auto own = part->weights(0);
    weights.insert(weights.end(), own.begin(), own.end());
  }
  return weights;
}

}  // namespace

PartsPosterior::PartsPosterior(std::vector<SharedPosterior> parts)
    : AmortizedPosterior(parts.at(0)->prior(), marginals_of(parts), parts.at(0)->ensemble(),
                         weights_of(parts)),
      parts_(std::move(parts)) {
  for (Index k = 0; k < parts_.size(); ++k) {
    HONE_ASSERT(parts_[k].marginals().size() == 1 && parts_[k].ensemble() == ensemble());
  }
}

Matrix<float> PartsPosterior::log_densities(Index marginal, const Matrix<float>& features,
                                            MatrixView<const float> local) const {
  return parts_[marginal].log_densities(0, parts_.features_of(marginal, features), local);
}

std::vector<Matrix<float>> PartsPosterior::log_density_blocks(Index marginal,
                                                              MatrixView<const float> features,
                                                              MatrixView<const float> local) const {
  return parts_[marginal].log_density_blocks(0, parts_.features_of(marginal, features), local);
}

}  // namespace hone
