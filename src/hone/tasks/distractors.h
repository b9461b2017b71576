#pragma once

// Inside tasks/ only: what slcp_distractors hides the data of slcp among.

#include <span>
#include <vector>

#include "hone/core/matrix.h"
#include "hone/core/rng.h"

namespace hone {

// A mixture with equal weights of 20 Student t distributions with 2 degrees of freedom in 92
// dimensions, and the order in which data and distractors are shown. sbibm drew the constants with
// NumPy; the same numbers come out here.
class Distractors {
 public:
  static constexpr int kComponents = 20;
  static constexpr int kSize = 92;
  static constexpr int kInformative = 8;
  static constexpr int kShown = kSize + kInformative;

  static const Distractors& instance();  // made when first asked for

  void draw(std::span<double> noise, Rng& rng) const;  // (92)
  double log_density(std::span<const double> noise) const;

  // shown[j] = (data, noise)[order[j]]
  void hide(std::span<double> shown, std::span<const double> data,
            std::span<const double> noise) const;
  void find(std::span<double> data, std::span<double> noise, std::span<const double> shown) const;

  const Matrix<double>& means() const { return means_; }  // (20, 92)
  const Matrix<double>& factor(int component) const;      // (92, 92), lower triangle
  const std::vector<int>& order() const { return order_; }

 private:
  Distractors();

  Matrix<double> means_;
  std::vector<Matrix<double>> factors_;
  std::vector<double> log_determinants_;  // of the factors
  std::vector<int> order_;
};

}  // namespace hone
