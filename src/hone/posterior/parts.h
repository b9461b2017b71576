#pragma once

#include <vector>

#include "hone/posterior/amortized_posterior.h"

namespace hone {

// Posteriors that answer together, of the same data in the same region. What they see of the data
// is what each of them sees, side by side; their arrays are those of each, of part 3 "part3_...".
class Parts {
 public:
  explicit Parts(std::vector<SharedPosterior> parts);

  Index size() const { return std::ssize(parts_); }
  const AmortizedPosterior& operator[](Index part) const {
    return *parts_[static_cast<std::size_t>(part)];
  }
  std::span<const SharedPosterior> all() const { return parts_; }
  Matrix<float> features(MatrixView<const float> x) const;                        // of all
  Matrix<float> features_of(Index part, MatrixView<const float> features) const;  // of one of them
  std::vector<NamedArray> to_arrays() const;

 private:
  std::vector<SharedPosterior> parts_;
  std::vector<Index> widths_;  // features of each part
};

// The arrays of each part, under their own names.
std::vector<std::vector<NamedArray>> arrays_of_parts(std::span<const NamedArray> arrays);

}  // namespace hone
