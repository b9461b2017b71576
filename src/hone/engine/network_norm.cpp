// The norms of a network: columns of y = z * scale + shift
#include <algorithm>
#include <cmath>

#include "hone/engine/network_rows.h"

namespace hone {
namespace {

constexpr double kRunningMomentum = 0.1;  // running = 0.9 running + 0.1 batch

}  // namespace

template <typename T>
void Network<T>::prepare_norm(Workspace<T>& w, const T* p, Index unit, Mode mode) const {
  const UnitLayout& u = layout_.units[unit];
  if (u.norm != Norm::batch) return;
  NormColumns<T>& columns = w.norm[unit];
  const T count = static_cast<T>(w.rows);
  for (Index j = 0; j < layout_.width; ++j) {
    T mean = p[u.running_mean + j], variance = p[u.running_variance + j];
    if (mode == Mode::training) {
      const T shift = columns.sum.data()[j] / count;
      mean += shift;
      variance = std::max(columns.square.data()[j] / count - shift * shift, T(0));
    }
    const T inverse = 1 / std::sqrt(variance + static_cast<T>(kNormEpsilon));
    const T scale = p[u.scale + j] * inverse;
    columns.center.data()[j] = mean;
    columns.inverse.data()[j] = inverse;
    columns.scale.data()[j] = scale;
    columns.shift.data()[j] = p[u.shift + j] - mean * scale;
  }
}

template <typename T>
void Network<T>::update_running_statistics(const Workspace<T>& w, T* p, Index unit) const {
  const UnitLayout& u = layout_.units[unit];
  if (u.norm != Norm::batch) return;
  const NormColumns<T>& columns = w.norm[unit];
  const T count = static_cast<T>(w.rows), momentum = static_cast<T>(kRunningMomentum);
  for (Index j = 0; j < shape_.options.hidden; ++j) {
    T& mean = p[u.running_mean + j];
    T& variance = p[u.running_variance + j];
    const T shift = columns.sum.data()[j] / count;
    const T biased = std::max(columns.square.data()[j] / count - shift * shift, T(0));
    mean += momentum * shift;
    variance += momentum * (biased * count / (count - 1) - variance);
  }
}

// With the norm of the unit folded into an affine map per column:
//   d loss / dz = scale * (d - mean(d) - n * mean(d n)),  n = (z - center) * inverse
//               = d * back_scale + z * back_slope + back_offset
template <typename T>
void Network<T>::finish_norm_backward(Workspace<T>& w, const T* p, Index unit) const {
  const UnitLayout& u = layout_.units[unit];
  if (u.norm != Norm::batch) {
    std::ranges::fill(w.back_scale.span(), T(1));
    std::ranges::fill(w.back_slope.span(), T(0));
    std::ranges::fill(w.back_offset.span(), T(0));
    return;
  }
  const NormColumns<T>& columns = w.norm[unit];
  const T count = static_cast<T>(w.rows);
  for (Index j = 0; j < layout_.width; ++j) {
    const T inverse = columns.inverse.data()[j], scale = p[u.scale + j] * inverse;
    const T sum_d = w.sum_d.data()[j], sum_dn = w.sum_dz.data()[j] * inverse;
    w.gradient.data()[u.scale + j] += sum_dn;
    w.gradient.data()[u.shift + j] += sum_d;
    const T slope = -scale * inverse * sum_dn / count;
    w.back_scale.data()[j] = scale;
    w.back_slope.data()[j] = slope;
    w.back_offset.data()[j] = -scale * sum_d / count - slope * columns.center.data()[j];
  }
}

template void Network<float>::prepare_norm(Workspace<float>&, const float*, Index, Mode) const;
template void Network<float>::update_running_statistics(const Workspace<float>&, float*,
                                                        Index) const;
template void Network<float>::finish_norm_backward(Workspace<float>&, const float*, Index) const;
template void Network<double>::prepare_norm(Workspace<double>&, const double*, Index, Mode) const;
template void Network<double>::update_running_statistics(const Workspace<double>&, double*,
                                                         Index) const;
template void Network<double>::finish_norm_backward(Workspace<double>&, const double*, Index) const;

}  // namespace hone
