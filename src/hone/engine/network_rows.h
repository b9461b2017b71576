#pragma once

#include <algorithm>

#include "hone/engine/network.h"

namespace hone {

inline constexpr double kNormEpsilon = 1e-5;

// f(rows) for blocks of rows that fit into L1 together with what is done to them.
template <typename T>
template <typename F>
void Network<T>::for_row_blocks(Index rows, F&& f) const {
  for (Index begin = 0; begin < rows; begin += kRowBlock) {
    f(Rows{begin, std::min(kRowBlock, rows - begin)});
  }
}

}  // namespace hone
