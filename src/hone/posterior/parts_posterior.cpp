#include "hone/posterior/parts_posterior.h"

#include <algorithm>

#include <fmt/format.h>

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

std::string prefix(std::size_t part) {
  return fmt::format("part{}_", part);
}

}  // namespace

PartsPosterior::PartsPosterior(std::vector<SharedPosterior> parts)
    : AmortizedPosterior(parts.at(0)->prior(), marginals_of(parts), parts.at(0)->ensemble(),
                         weights_of(parts)),
      parts_(std::move(parts)) {
  const Matrix<float> row(1, data_size());
  for (const SharedPosterior& part : parts_) {
    HONE_ASSERT(part->marginals().size() == 1 && part->ensemble() == ensemble());
    widths_.push_back(part->features(row.view()).cols());
  }
}

Matrix<float> PartsPosterior::features(MatrixView<const float> x) const {
  Index width = 0, first = 0;
  for (const Index one : widths_) width += one;
  Matrix<float> all(x.rows(), width);
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const Matrix<float> own = parts_[k]->features(x);
    for (Index i = 0; i < x.rows(); ++i) {
      std::ranges::copy(own.row(i), all.row(i).begin() + first);
    }
    first += widths_[k];
  }
  return all;
}

Matrix<float> PartsPosterior::features_of(Index part, MatrixView<const float> all) const {
  Index first = 0;
  for (Index k = 0; k < part; ++k) first += widths_[static_cast<std::size_t>(k)];
  Matrix<float> own(all.rows(), widths_[static_cast<std::size_t>(part)]);
  for (Index i = 0; i < all.rows(); ++i) {
    std::copy_n(all.row(i).begin() + first, own.cols(), own.row(i).begin());
  }
  return own;
}

Matrix<float> PartsPosterior::log_densities(Index marginal, const Matrix<float>& features,
                                            MatrixView<const float> local) const {
  return parts_[static_cast<std::size_t>(marginal)]->log_densities(
      0, features_of(marginal, features), local);
}

std::vector<Matrix<float>> PartsPosterior::log_density_blocks(Index marginal,
                                                              MatrixView<const float> features,
                                                              MatrixView<const float> local) const {
  return parts_[static_cast<std::size_t>(marginal)]->log_density_blocks(
      0, features_of(marginal, features), local);
}

std::vector<NamedArray> PartsPosterior::to_arrays() const {
  std::vector<NamedArray> arrays;
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    for (NamedArray& one : parts_[k]->to_arrays()) {
      one.name = prefix(k) + one.name;
      arrays.push_back(std::move(one));
    }
  }
  return arrays;
}

std::vector<std::vector<NamedArray>> arrays_of_parts(std::span<const NamedArray> arrays) {
  std::vector<std::vector<NamedArray>> parts;
  for (std::size_t k = 0;; ++k) {
    std::vector<NamedArray> own;
    for (const NamedArray& one : arrays) {
      if (!one.name.starts_with(prefix(k))) continue;
      own.push_back(one);
      own.back().name = one.name.substr(prefix(k).size());
    }
    if (own.empty()) return parts;
    parts.push_back(std::move(own));
  }
}

}  // namespace hone
