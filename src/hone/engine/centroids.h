#pragma once

#include <vector>

#include "hone/engine/grid_layer.h"

// Where in a series or an image the channels of a layer are strong. With strengths s = a^2 + faint
// of the places p: the centroids sum_p s_p f_p / sum_p s_p of coordinates f, one for each direction
// and the squared distance from the middle, then log of the mean strength. Squares need no
// exponentials, and grow faster than the mean: a source stands out of the noise.

namespace hone {

// Of a channel: its centroids and the strength.
Index centroid_numbers(const GridLayer& layer);

// f: (centroids, positions) of the outputs of a layer; both directions from -1 to 1.
template <typename T>
std::vector<T> centroid_coordinates(const GridLayer& layer);

// Of one row.  a: (positions, width)  out: (centroids + 1, width)
template <typename T>
void centroids_forward(T* out, const T* a, const std::vector<T>& f, Index positions, Index width);
// da accumulates (+=).
template <typename T>
void centroids_backward(T* da, const T* dout, const T* out, const T* a, const std::vector<T>& f,
                        Index positions, Index width);

}  // namespace hone
