#include "hone/posterior/parts.h"

#include <algorithm>

#include <fmt/format.h>

#include "hone/core/error.h"

namespace hone {
namespace {

std::string prefix(std::size_t part) {
  return fmt::format("part{}_", part);
}

}  // namespace

Parts::Parts(std::vector<SharedPosterior> parts) : parts_(std::move(parts)) {
  HONE_ASSERT(!parts_.empty());
  const Matrix<float> row(1, parts_[0]->data_size());
  for (const SharedPosterior& part : parts_) {
    HONE_ASSERT(part->data_size() == row.cols());
    widths_.push_back(part->features(row.view()).cols());
  }
}

Matrix<float> Parts::features(MatrixView<const float> x) const {
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

Matrix<float> Parts::features_of(Index part, MatrixView<const float> features) const {
  Index first = 0;
  for (Index k = 0; k < part; ++k) first += widths_[static_cast<std::size_t>(k)];
  Matrix<float> own(features.rows(), widths_[static_cast<std::size_t>(part)]);
  for (Index i = 0; i < features.rows(); ++i) {
    std::copy_n(features.row(i).begin() + first, own.cols(), own.row(i).begin());
  }
  return own;
}

std::vector<NamedArray> Parts::to_arrays() const {
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
