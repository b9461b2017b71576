#include "hone/engine/network.h"

#include <algorithm>
#include <cmath>

#include "hone/core/error.h"
#include "hone/engine/network_rows.h"

namespace hone {
template <typename T>
Network<T>::Network(const NetworkShape& shape, GemmBackend backend, const Kernels<T>& kernels)
    : shape_(shape), layout_(shape), backend_(backend), k_(kernels) {
  const Index width = layout_.width;
  block_product_ = plan(kRowBlock, width, width, width, false);
  block_outer_ = plan(width, width, kRowBlock, width, true);
}

// Products with a (·, width) right-hand side and result.
template <typename T>
Gemm<T> Network<T>::plan(Index rows, Index cols, Index inner, Index lda, bool transpose_a) const {
  return Gemm<T>({.rows = rows,
                  .cols = cols,
                  .inner = inner,
                  .lda = lda,
                  .ldb = cols,
                  .ldc = cols,
                  .transpose_a = transpose_a,
                  .accumulate = transpose_a},
                 backend_);
}

template <typename T>
void Network<T>::product(T* out, Index out_stride, const T* x, Index x_stride, const T* w,
                         Index rows, Index cols, Index inner, bool accumulate) const {
  Gemm<T>({.rows = rows,
           .cols = cols,
           .inner = inner,
           .lda = x_stride,
           .ldb = cols,
           .ldc = out_stride,
           .accumulate = accumulate},
          backend_)(out, x, w);
}

// Activation of a block of rows

// drop(act(norm(z_unit))) of the rows. Training keeps it for the way back; evaluation needs it
// once, in a block that stays in L1.
template <typename T>
const T* Network<T>::activate_rows(Workspace<T>& w, const T* p, Index unit, Rows rows,
                                   Mode mode) const {
  const UnitLayout& u = layout_.units[unit];
  const Index width = layout_.width, begin = rows.begin * width;
  const T* z = w.z[unit].data() + begin;
  const bool drops = mode == Mode::training && u.dropout > 0;
  const T* mask = drops ? w.mask[unit].data() + begin : nullptr;
  T* a = mode == Mode::training ? w.activated[unit].data() + begin : w.activated[0].data();
  if (u.norm == Norm::layer) {
    k_.row_norm_activate(a, w.row_mean[unit].data() + rows.begin,
                         w.row_inverse[unit].data() + rows.begin, z, p + u.scale, p + u.shift, mask,
                         rows.count, width, shape_.options.hidden, static_cast<T>(kNormEpsilon),
                         u.activation);
  } else if (u.norm == Norm::none && u.activation == Activation::identity && !drops) {
    return z;
  } else {
    const NormColumns<T>& columns = w.norm[unit];
    k_.activate(a, z, columns.scale.data(), columns.shift.data(), mask, rows.count, width,
                u.activation);
  }
  return a;
}

// The same rows on the way back.
template <typename T>
const T* Network<T>::activated_rows(const Workspace<T>& w, Index unit, Rows rows) const {
  const bool as_it_is = layout_.units[unit].takes_z_as_it_is();
  return (as_it_is ? w.z[unit] : w.activated[unit]).data() + rows.begin * layout_.width;
}

// In: d = gradient of the activated rows. Out: the gradient before the column norm (see
// finish_norm_backward), or of z itself where there is none.
template <typename T>
void Network<T>::activation_backward_rows(Workspace<T>& w, T* d, const T* p, Index unit,
                                          Rows rows) const {
  const UnitLayout& u = layout_.units[unit];
  const Index width = layout_.width, begin = rows.begin * width;
  const T* z = w.z[unit].data() + begin;
  const T* mask = u.dropout > 0 ? w.mask[unit].data() + begin : nullptr;
  if (u.norm == Norm::layer) {
    k_.row_norm_backward(d, w.gradient.data() + u.scale, w.gradient.data() + u.shift, z,
                         w.row_mean[unit].data() + rows.begin,
                         w.row_inverse[unit].data() + rows.begin, p + u.scale, p + u.shift, mask,
                         rows.count, width, shape_.options.hidden, u.activation);
  } else if (u.norm != Norm::none || u.activation != Activation::identity || mask != nullptr) {
    const NormColumns<T>& columns = w.norm[unit];
    k_.activate_backward(d, w.sum_d.data(), w.sum_dz.data(), z, columns.scale.data(),
                         columns.shift.data(), columns.center.data(), mask, rows.count, width,
                         u.activation);
  }
}

// Input layer: z_0 = x W_x + theta W_theta + b

template <typename T>
void Network<T>::project_data(T* projected, const T* x, Index x_stride, Index rows,
                              const T* p) const {
  if (shape_.data_size == 0) return;
  const Index stride = layout_.projected_width();
  for_row_blocks(rows, [&](Rows r) {
    T* out = projected + r.begin * stride;
    const T* in = x + r.begin * x_stride;
    product(out, stride, in, x_stride, p + layout_.weight_x, r.count, layout_.width,
            shape_.data_size, false);
    if (!layout_.has_skip()) return;
    product(out + layout_.width, stride, in, x_stride, p + layout_.skip_x, r.count,
            layout_.output_width, shape_.data_size, false);
  });
}

// Bias, skip and, where the next norm wants them, the moments of z_layer.
template <typename T>
void Network<T>::finish_rows(Workspace<T>& w, const T* p, Index layer, const T* bias, const T* skip,
                             Index skip_stride, Rows rows, Mode mode) const {
  const UnitLayout& reader = layout_.units[layer];
  T* z = w.z[layer].data() + rows.begin * layout_.width;
  if (mode == Mode::training && reader.norm == Norm::batch) {
    NormColumns<T>& columns = w.norm[layer];
    k_.finish_linear_moments(z, columns.sum.data(), columns.square.data(), bias, skip, skip_stride,
                             p + reader.running_mean, rows.count, layout_.width);
  } else {
    k_.finish_linear(z, bias, skip, skip_stride, rows.count, layout_.width);
  }
}

template <typename T>
void Network<T>::input_rows(Workspace<T>& w, const T* p, const Inputs& in, Rows rows,
                            Mode mode) const {
  const Index width = layout_.width;
  for_row_blocks(rows.count, [&](Rows r) {
    const Rows at{rows.begin + r.begin, r.count};
    T* z = w.z[0].data() + at.begin * width;
    if (in.theta_size > 0) {
      product(z, width, in.theta + r.begin * in.theta_size, in.theta_size, p + layout_.weight_theta,
              r.count, width, in.theta_size, false);
    } else {
      std::fill(z, z + r.count * width, T(0));
    }
    finish_rows(w, p, 0, p + layout_.input_bias, in.projected + r.begin * in.projected_stride,
                in.projected_stride, at, mode);
  });
}

template <typename T>
void Network<T>::input_backward(Workspace<T>& w, const T* p, const NetworkBatch<T>& batch,
                                T* dx) const {
  const Index width = layout_.width, n = batch.rows;
  T* gradient = w.gradient.data();
  const T* d = w.gradient_z[0].data();
  for (Index c = 0; c < batch.candidates; ++c) {
    for_row_blocks(n, [&](Rows r) {
      const Rows at{c * n + r.begin, r.count};
      gradient_rows(w, 0, gradient + layout_.input_bias, at);
      if (batch.theta_size == 0) return;
      plan(batch.theta_size, width, r.count, batch.theta_size, true)(
          gradient + layout_.weight_theta, batch.theta + at.begin * batch.theta_size,
          d + at.begin * width);
    });
    if (shape_.data_size == 0) continue;
    if (c == 0) {
      std::copy(d, d + n * width, w.dprojected.data());
    } else {
      k_.add(w.dprojected.data(), d + c * n * width, n * width);
    }
  }
  if (shape_.data_size == 0) return;
  plan(shape_.data_size, width, n, batch.x_stride, true)(gradient + layout_.weight_x, batch.x,
                                                         w.dprojected.data());
  if (dx == nullptr) return;
  const Index data_cols = padded(shape_.data_size);
  HONE_ASSERT(batch.x_stride == data_cols);
  k_.transpose(w.transposed.data(), p + layout_.weight_x, data_cols, width);
  plan(n, data_cols, width, width, false)(dx, w.dprojected.data(), w.transposed.data());
}

// dtheta = dz_0 W_theta^T [+ df S_theta^T]
template <typename T>
void Network<T>::theta_backward(Workspace<T>& w, const T* p, const NetworkBatch<T>& batch,
                                T* dtheta) const {
  const Index columns = padded(batch.theta_size);
  const auto add = [&](const T* d, const T* weight, Index inner, bool accumulate) {
    k_.transpose(w.transposed.data(), weight, columns, inner);
    for_row_blocks(w.rows, [&](Rows r) {
      Gemm<T>({.rows = r.count,
               .cols = batch.theta_size,
               .inner = inner,
               .lda = inner,
               .ldb = columns,
               .ldc = batch.theta_size,
               .accumulate = accumulate},
              backend_)(dtheta + r.begin * batch.theta_size, d + r.begin * inner,
                        w.transposed.data());
    });
  };
  add(w.gradient_z[0].data(), p + layout_.weight_theta, layout_.width, false);
  if (layout_.has_skip()) {
    add(w.dlogits.data(), p + layout_.skip_theta, layout_.output_width, true);
  }
}

// Unit: z_{i+1} = drop(act(norm(z_i))) W + b [+ z_{i-1}]

template <typename T>
void Network<T>::unit_forward(Workspace<T>& w, const T* p, Index unit, Mode mode) const {
  const UnitLayout& u = layout_.units[unit];
  const Index width = layout_.width;
  prepare_norm(w, p, unit, mode);
  for_row_blocks(w.rows, [&](Rows r) {
    const Index begin = r.begin * width;
    const T* a = activate_rows(w, p, unit, r, mode);
    T* z = w.z[unit + 1].data() + begin;
    if (r.count == kRowBlock) {
      block_product_(z, a, p + u.weight);
    } else {
      plan(r.count, width, width, width, false)(z, a, p + u.weight);
    }
    const T* skip = u.adds_skip ? w.z[unit - 1].data() + begin : nullptr;
    finish_rows(w, p, unit + 1, p + u.bias, skip, width, r, mode);
  });
}

// Completes the gradient of z_layer for the rows: through the norm that reads it, plus the skip
// connection that leaves it.
template <typename T>
void Network<T>::gradient_rows(Workspace<T>& w, Index layer, T* bias_gradient, Rows rows) const {
  const Index begin = rows.begin * layout_.width;
  const bool skipped =
      layer + 1 < static_cast<Index>(layout_.units.size()) && layout_.units[layer + 1].adds_skip;
  const T* skip = skipped ? w.gradient_z[(layer + 2) % 3].data() + begin : nullptr;
  k_.column_norm_backward(w.gradient_z[layer % 3].data() + begin, bias_gradient,
                          w.z[layer].data() + begin, w.back_scale.data(), w.back_slope.data(),
                          w.back_offset.data(), skip, rows.count, layout_.width);
}

template <typename T>
void Network<T>::unit_backward(Workspace<T>& w, const T* p, Index unit) const {
  const UnitLayout& u = layout_.units[unit];
  const Index width = layout_.width;
  k_.transpose(w.transposed.data(), p + u.weight, width, width);
  std::ranges::fill(w.sum_d.span(), T(0));
  std::ranges::fill(w.sum_dz.span(), T(0));
  for_row_blocks(w.rows, [&](Rows r) {
    const T* dz = w.gradient_z[(unit + 1) % 3].data() + r.begin * width;
    T* d = w.gradient_z[unit % 3].data() + r.begin * width;
    gradient_rows(w, unit + 1, w.gradient.data() + u.bias, r);
    const T* a = activated_rows(w, unit, r);
    if (r.count == kRowBlock) {
      block_outer_(w.gradient.data() + u.weight, a, dz);
      block_product_(d, dz, w.transposed.data());
    } else {
      plan(width, width, r.count, width, true)(w.gradient.data() + u.weight, a, dz);
      plan(r.count, width, width, width, false)(d, dz, w.transposed.data());
    }
    activation_backward_rows(w, d, p, unit, r);
  });
  finish_norm_backward(w, p, unit);
}

// Output layer: f = act(norm(z_U)) . w + b

template <typename T>
void Network<T>::output_forward(Workspace<T>& w, T* out, const T* p, Mode mode) const {
  const Index unit = static_cast<Index>(layout_.units.size()) - 1;
  const UnitLayout& u = layout_.units[unit];
  for_row_blocks(w.rows, [&](Rows r) {
    const T* a = activate_rows(w, p, unit, r, mode);
    k_.row_dot(out + r.begin, a, p + u.weight, p[u.bias], r.count, layout_.width);
  });
}

template <typename T>
void Network<T>::output_backward(Workspace<T>& w, const T* p) const {
  const Index unit = static_cast<Index>(layout_.units.size()) - 1;
  const UnitLayout& u = layout_.units[unit];
  std::ranges::fill(w.sum_d.span(), T(0));
  std::ranges::fill(w.sum_dz.span(), T(0));
  for_row_blocks(w.rows, [&](Rows r) {
    T* d = w.gradient_z[unit % 3].data() + r.begin * layout_.width;
    const T* a = activated_rows(w, unit, r);
    k_.row_dot_backward(d, w.gradient.data() + u.weight, w.dlogits.data() + r.begin, a,
                        p + u.weight, r.count, layout_.width);
    activation_backward_rows(w, d, p, unit, r);
  });
  for (Index i = 0; i < w.rows; ++i) w.gradient.data()[u.bias] += w.dlogits.data()[i];
  finish_norm_backward(w, p, unit);
}

// The whole network

template <typename T>
void Network<T>::forward(Workspace<T>& w, T* p, const NetworkBatch<T>& batch,
                         std::uint64_t dropout_key) const {
  const Index output = static_cast<Index>(layout_.units.size()) - 1;
  w.rows = batch.rows * batch.candidates;
  for (Index i = 0; i <= output; ++i) {
    std::ranges::fill(w.norm[i].sum.span(), T(0));
    std::ranges::fill(w.norm[i].square.span(), T(0));
    if (layout_.units[i].dropout > 0) {
      k_.dropout_mask(w.mask[i].data(), dropout_key + static_cast<std::uint64_t>(i),
                      layout_.units[i].dropout, w.rows * layout_.width);
    }
  }
  project_data(w.projected.data(), batch.x, batch.x_stride, batch.rows, p);
  const bool has_data = shape_.data_size > 0;
  Inputs inputs{batch.theta, batch.theta_size, has_data ? w.projected.data() : nullptr,
                has_data ? layout_.projected_width() : 0};
  for (Index c = 0; c < batch.candidates; ++c) {
    inputs.theta = batch.theta + c * batch.rows * batch.theta_size;
    input_rows(w, p, inputs, {c * batch.rows, batch.rows}, Mode::training);
  }
  for (Index unit = 0; unit < output; ++unit) unit_forward(w, p, unit, Mode::training);
  prepare_norm(w, p, output, Mode::training);
  if (layout_.has_skip()) {
    HONE_ASSERT(batch.candidates == 1);
    outputs_forward(w, w.logits.data(), p, inputs, Mode::training);
  } else {
    output_forward(w, w.logits.data(), p, Mode::training);
  }
  for (Index unit = 0; unit <= output; ++unit) update_running_statistics(w, p, unit);
}

template <typename T>
void Network<T>::backward(Workspace<T>& w, const T* p, const NetworkBatch<T>& batch, T* dx,
                          T* dtheta) const {
  if (layout_.has_skip()) {
    outputs_backward(w, p, batch);
  } else {
    output_backward(w, p);
  }
  for (Index unit = static_cast<Index>(layout_.units.size()) - 2; unit >= 0; --unit) {
    unit_backward(w, p, unit);
  }
  input_backward(w, p, batch, dx);
  if (layout_.has_skip()) skip_backward(w, p, batch, dx);
  if (dtheta != nullptr && batch.theta_size > 0) theta_backward(w, p, batch, dtheta);
}

// Without batch statistics rows are independent: a block goes through all layers while in cache.
template <typename T>
void Network<T>::evaluate(Workspace<T>& w, T* out, const T* theta, Index theta_size,
                          const T* projected, Index projected_stride, Index rows,
                          const T* p) const {
  const Index output = static_cast<Index>(layout_.units.size()) - 1;
  for_row_blocks(rows, [&](Rows r) {
    w.rows = r.count;
    const Inputs inputs{theta + r.begin * theta_size, theta_size,
                        projected + r.begin * projected_stride, projected_stride};
    input_rows(w, p, inputs, {0, r.count}, Mode::evaluation);
    for (Index unit = 0; unit < output; ++unit) {
      unit_forward(w, p, unit, Mode::evaluation);
    }
    prepare_norm(w, p, output, Mode::evaluation);
    if (layout_.has_skip()) {
      outputs_forward(w, out + r.begin * layout_.output_width, p, inputs, Mode::evaluation);
    } else {
      output_forward(w, out + r.begin, p, Mode::evaluation);
    }
  });
}

template class Network<float>;
template class Network<double>;

}  // namespace hone
