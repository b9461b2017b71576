#pragma once

#include <complex>
#include <vector>

#include "hone/core/matrix.h"
#include "hone/engine/embedding.h"

// What is worth knowing of any series and image, whatever the parameters are. Networks learn from
// few simulations neither where a source is in an image, nor which frequency a series has, nor how
// a value depends on the one before; nobody needs to learn how to look for them.
//
//   landmarks    The block is smoothed by bumps of some widths and of norm 1. Of the highest value
//                that this gives at any place: how high, where, and by which width; the same of the
//                lowest. Of a series also the highest amplitude of its spectrum, and the frequency.
//   statistics   The highest and the lowest value for every width, and where they are. Of a series:
//                how often a value near b_i is followed by one near b_j (of a process without
//                further memory they are all there is to know), and the mean products of values l
//                places apart.
//
// All this of every channel by itself. Networks see the landmarks. Linear estimates (ridge.h) are
// made from both and from the data.

namespace hone {

class Traits {
 public:
  explicit Traits(const EmbeddingOptions& options);

  Index landmarks() const { return landmarks_; }
  Index size() const { return size_; }  // of all, landmarks first
  // x: standard scores of a row; values that are not finite count as 0.
  template <typename T>
  void compute(T* out, const T* x) const;

 private:
  struct Block {
    Index column = 0, height = 1, width = 1, channels = 1;
    bool series = false;
    std::vector<Index> widths;                // of bumps
    std::vector<std::complex<double>> turns;  // of a series: of the transform that is its spectrum
  };

  std::vector<Block> blocks_;
  Index landmarks_ = 0, size_ = 0;
};

}  // namespace hone
