// The output layer of a network with several outputs: f = act(norm(z_U)) W + x S_x + theta S_theta
// + b. Matrices are (rows, output_width), output_width = padded outputs.
#include "hone/core/error.h"
#include "hone/engine/network_rows.h"

namespace hone {

template <typename T>
void Network<T>::outputs_forward(Workspace<T>& w, T* out, const T* p, const Inputs& in,
                                 Mode mode) const {
  const Index unit = static_cast<Index>(layout_.units.size()) - 1;
  const UnitLayout& u = layout_.units[unit];
  const Index width = layout_.width, cols = layout_.output_width;
  for_row_blocks(w.rows, [&](Rows r) {
    T* f = out + r.begin * cols;
    product(f, cols, activate_rows(w, p, unit, r, mode), width, p + u.weight, r.count, cols, width,
            false);
    if (in.theta_size > 0) {
      product(f, cols, in.theta + r.begin * in.theta_size, in.theta_size, p + layout_.skip_theta,
              r.count, cols, in.theta_size, true);
    }
    const T* skip =
        shape_.data_size > 0 ? in.projected + r.begin * in.projected_stride + width : nullptr;
    k_.finish_linear(f, p + u.bias, skip, in.projected_stride, r.count, cols);
  });
}

// From dlogits: gradients of W and b, and of z_U.
template <typename T>
void Network<T>::outputs_backward(Workspace<T>& w, const T* p, const NetworkBatch<T>& batch) const {
  const Index unit = static_cast<Index>(layout_.units.size()) - 1;
  const UnitLayout& u = layout_.units[unit];
  const Index width = layout_.width, cols = layout_.output_width;
  HONE_ASSERT(batch.candidates == 1);
  k_.transpose(w.transposed.data(), p + u.weight, width, cols);
  std::ranges::fill(w.sum_d.span(), T(0));
  std::ranges::fill(w.sum_dz.span(), T(0));
  for_row_blocks(w.rows, [&](Rows r) {
    const T* df = w.dlogits.data() + r.begin * cols;
    T* d = w.gradient_z[unit % 3].data() + r.begin * width;
    plan(width, cols, r.count, width, true)(w.gradient.data() + u.weight,
                                            activated_rows(w, unit, r), df);
    product(d, width, df, cols, w.transposed.data(), r.count, width, cols, false);
    activation_backward_rows(w, d, p, unit, r);
  });
  k_.column_sums(w.gradient.data() + u.bias, w.dlogits.data(), w.rows, cols);
  finish_norm_backward(w, p, unit);
}

// Gradients of S_x and S_theta; dx, if not null, gets (+=) what x contributes by S_x.
template <typename T>
void Network<T>::skip_backward(Workspace<T>& w, const T* p, const NetworkBatch<T>& batch,
                               T* dx) const {
  const Index cols = layout_.output_width, n = batch.rows;
  T* gradient = w.gradient.data();
  const T* df = w.dlogits.data();
  if (batch.theta_size > 0) {
    plan(batch.theta_size, cols, n, batch.theta_size, true)(gradient + layout_.skip_theta,
                                                            batch.theta, df);
  }
  if (shape_.data_size == 0) return;
  plan(shape_.data_size, cols, n, batch.x_stride, true)(gradient + layout_.skip_x, batch.x, df);
  if (dx == nullptr) return;
  const Index data_cols = padded(shape_.data_size);
  k_.transpose(w.transposed.data(), p + layout_.skip_x, data_cols, cols);
  product(dx, batch.x_stride, df, cols, w.transposed.data(), n, data_cols, cols, true);
}

template void Network<float>::outputs_forward(Workspace<float>&, float*, const float*,
                                              const Inputs&, Mode) const;
template void Network<double>::outputs_forward(Workspace<double>&, double*, const double*,
                                               const Inputs&, Mode) const;
template void Network<float>::outputs_backward(Workspace<float>&, const float*,
                                               const NetworkBatch<float>&) const;
template void Network<double>::outputs_backward(Workspace<double>&, const double*,
                                                const NetworkBatch<double>&) const;
template void Network<float>::skip_backward(Workspace<float>&, const float*,
                                            const NetworkBatch<float>&, float*) const;
template void Network<double>::skip_backward(Workspace<double>&, const double*,
                                             const NetworkBatch<double>&, double*) const;

}  // namespace hone
