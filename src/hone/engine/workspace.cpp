#include "hone/engine/workspace.h"

#include <algorithm>

#include "hone/engine/network.h"

namespace hone {
namespace {

template <typename T>
AlignedBuffer<T> buffer(Index rows, Index cols) {
  return AlignedBuffer<T>(static_cast<std::size_t>(rows * cols));
}

}  // namespace

template <typename T>
NormColumns<T>::NormColumns(Index width)
    : scale(buffer<T>(1, width)),
      shift(buffer<T>(1, width)),
      center(buffer<T>(1, width)),
      inverse(buffer<T>(1, width)),
      sum(buffer<T>(1, width)),
      square(buffer<T>(1, width)) {
  std::ranges::fill(scale.span(), T(1));  // identity, for units without a norm
}

template <typename T>
Workspace<T>::Workspace(const NetworkLayout& layout, Index theta_size, Index max_rows,
                        Index batch_rows, bool training) {
  const Index width = layout.width;
  for (const UnitLayout& unit : layout.units) {
    z.push_back(buffer<T>(max_rows, width));
    norm.emplace_back(width);
    row_mean.push_back(buffer<T>(1, unit.norm == Norm::layer ? max_rows : 0));
    row_inverse.push_back(buffer<T>(1, unit.norm == Norm::layer ? max_rows : 0));
    mask.push_back(buffer<T>(training && unit.dropout > 0 ? max_rows : 0, width));
    const bool activates = training ? !unit.takes_z_as_it_is() : activated.empty();
    activated.push_back(buffer<T>(activates ? max_rows : 0, width));
  }
  projected = buffer<T>(batch_rows, layout.projected_width());
  theta = buffer<T>(max_rows, theta_size);
  logits = buffer<T>(layout.output_width, max_rows);
  if (!training) return;

  dlogits = buffer<T>(layout.output_width, max_rows);
  for (auto& gradient_buffer : gradient_z) gradient_buffer = buffer<T>(max_rows, width);
  for (auto* columns : {&sum_d, &sum_dz, &back_scale, &back_slope, &back_offset}) {
    *columns = buffer<T>(1, width);
  }
  const Index data_rows = (layout.weight_theta - layout.weight_x) / width;
  transposed = buffer<T>(std::max(width, layout.output_width),
                         std::max({width, data_rows, padded(theta_size), layout.output_width}));
  dprojected = buffer<T>(batch_rows, width);
  gradient = buffer<T>(1, layout.trained);
}

template struct NormColumns<float>;
template struct NormColumns<double>;
template struct Workspace<float>;
template struct Workspace<double>;

}  // namespace hone
