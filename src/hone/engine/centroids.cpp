#include "hone/engine/centroids.h"

#include <algorithm>
#include <cmath>

namespace hone {
namespace {

// A channel that is 0 everywhere is in the middle.
constexpr double kFaint = 1e-3;

}  // namespace

Index centroid_numbers(const GridLayer& layer) {
  return layer.height > 1 ? 4 : 3;
}

template <typename T>
std::vector<T> centroid_coordinates(const GridLayer& layer) {
  const Index rows = layer.out_height(), columns = layer.out_columns();
  const auto from = [](Index i, Index n) { return T(2 * i + 1) / T(n) - 1; };
  std::vector<T> across, down, square;
  for (Index r = 0; r < rows; ++r) {
    for (Index c = 0; c < columns; ++c) {
      const T x = from(c, columns), y = layer.height > 1 ? from(r, rows) : T(0);
      across.push_back(x);
      if (layer.height > 1) down.push_back(y);
      square.push_back(x * x + y * y);
    }
  }
  across.insert(across.end(), down.begin(), down.end());
  across.insert(across.end(), square.begin(), square.end());
  return across;
}

template <typename T>
void centroids_forward(T* out, const T* a, const std::vector<T>& f, Index positions, Index width) {
  const Index centroids = std::ssize(f) / positions;
  T* strength = out + centroids * width;
  std::fill(out, strength + width, T(0));
  for (Index at = 0; at < positions; ++at) {
    const T* row = a + at * width;
    for (Index c = 0; c < width; ++c) strength[c] += row[c] * row[c] + T(kFaint);
    for (Index m = 0; m < centroids; ++m) {
      const T place = f[std::size_t(m * positions + at)];
      T* sum = out + m * width;
      for (Index c = 0; c < width; ++c) sum[c] += (row[c] * row[c] + T(kFaint)) * place;
    }
  }
  for (Index m = 0; m < centroids; ++m) {
    for (Index c = 0; c < width; ++c) out[m * width + c] /= strength[c];
  }
  for (Index c = 0; c < width; ++c) strength[c] = std::log(strength[c] / T(positions));
}
// d centroid / d a_p = 2 a_p (f_p - centroid) / sum_p s_p, and d log mean = 2 a_p / sum_p s_p.
template <typename T>
void centroids_backward(T* da, const T* dout, const T* out, const T* a, const std::vector<T>& f,
                        Index positions, Index width) {
  const Index centroids = std::ssize(f) / positions;
  const auto size = static_cast<std::size_t>(width);
  std::vector<T> slope(size), factor(size);
  for (Index c = 0; c < width; ++c) {
    factor[std::size_t(c)] = 2 / (std::exp(out[centroids * width + c]) * T(positions));
  }
  for (Index at = 0; at < positions; ++at) {
    std::copy_n(dout + centroids * width, width, slope.begin());
    for (Index m = 0; m < centroids; ++m) {
      const T place = f[std::size_t(m * positions + at)];
      const T *d = dout + m * width, *centroid = out + m * width;
      for (Index c = 0; c < width; ++c) slope[std::size_t(c)] += d[c] * (place - centroid[c]);
    }
    for (Index c = 0; c < width; ++c) {
      da[at * width + c] += slope[std::size_t(c)] * factor[std::size_t(c)] * a[at * width + c];
    }
  }
}

template std::vector<float> centroid_coordinates(const GridLayer&);
template std::vector<double> centroid_coordinates(const GridLayer&);
template void centroids_forward(float*, const float*, const std::vector<float>&, Index, Index);
template void centroids_forward(double*, const double*, const std::vector<double>&, Index, Index);
template void centroids_backward(float*, const float*, const float*, const float*,
                                 const std::vector<float>&, Index, Index);
template void centroids_backward(double*, const double*, const double*, const double*,
                                 const std::vector<double>&, Index, Index);

}  // namespace hone
