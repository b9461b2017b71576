#include "hone/engine/flow_pass.h"

#include <algorithm>

#include "hone/core/error.h"
#include "hone/engine/column_transform.h"

namespace hone {

// Hidden feature h may know of the first h mod D columns and of the context; what the context alone
// says of the first column comes from features of degree 0.
template <typename T>
AlignedBuffer<T> flow_mask(const NetworkLayout& layout, Index hidden, Index columns, Index each) {
  AlignedBuffer<T> mask(static_cast<std::size_t>(layout.trained));
  std::ranges::fill(mask.span(), T(1));
  const auto forbid = [&](Index block, Index rows, Index cols, Index stride, auto&& allowed) {
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < cols; ++j) {
        if (!allowed(i, j)) mask.data()[block + i * stride + j] = T(0);
      }
    }
  };
  const auto degree = [&](Index feature) { return feature % columns; };
  const Index outputs = columns * each;
  forbid(layout.weight_theta, columns, hidden, layout.width,
         [&](Index column, Index feature) { return column < degree(feature); });
  for (const UnitLayout& unit : layout.units) {
    if (unit.is_output) {
      forbid(unit.weight, hidden, outputs, layout.output_width,
             [&](Index feature, Index output) { return degree(feature) <= output / each; });
    } else {
      forbid(unit.weight, hidden, hidden, layout.width,
             [&](Index from, Index to) { return degree(from) <= degree(to); });
    }
  }
  forbid(layout.skip_theta, columns, outputs, layout.output_width,
         [&](Index column, Index output) { return column < output / each; });
  return mask;
}

template <typename T>
FlowPass<T>::FlowPass(std::vector<FlowTransform<T>> transforms, Index most_rows)
    : transforms_(std::move(transforms)), log_(static_cast<std::size_t>(most_rows)) {
  const auto numbers = static_cast<std::size_t>(most_rows * columns());
  through_ = AlignedBuffer<T>(numbers);
  for (std::size_t t = 0; t < transforms_.size(); ++t) {
    inputs_.emplace_back(numbers);
    dinputs_.emplace_back(numbers);
    if (t == 0) continue;
    std::vector<Index>& target = target_.emplace_back(static_cast<std::size_t>(columns()));
    for (Index i = 0; i < columns(); ++i) {
      target[static_cast<std::size_t>(transforms_[t].source[static_cast<std::size_t>(i)])] = i;
    }
  }
}

template <typename T>
NetworkBatch<T> FlowPass<T>::batch(Index t, const FlowContext<const T>& context) const {
  return {.x = context.values,
          .x_stride = context.stride,
          .theta = inputs_[static_cast<std::size_t>(t)].data(),
          .theta_size = columns(),
          .rows = context.rows,
          .candidates = 1};
}

template <typename T>
void FlowPass<T>::start(Index rows) {
  HONE_ASSERT(rows <= std::ssize(log_));
  rows_ = rows;
  std::fill_n(log_.begin(), rows, T(0));
}

template <typename T>
T* FlowPass<T>::target(std::vector<AlignedBuffer<T>>& matrices, Index t, Index i) {
  if (t + 1 == size()) return nullptr;
  return matrices[static_cast<std::size_t>(t + 1)].data() +
         target_[static_cast<std::size_t>(t)][static_cast<std::size_t>(i)];
}

template <typename T>
void FlowPass<T>::apply(Index t, const T* outputs) {
  const FlowTransform<T>& transform = transforms_[static_cast<std::size_t>(t)];
  for (Index i = 0; i < columns(); ++i) {
    const DensityShape& shape = transform.shapes[static_cast<std::size_t>(i)];
    transform_forward(target(inputs_, t, i), log_.data(), outputs + i * 3 * shape.components,
                      inputs_[static_cast<std::size_t>(t)].data() + i, columns(), rows_, shape);
  }
}

template <typename T>
void FlowPass<T>::forward(Workspace<T>& w, std::span<T* const> parameters,
                          std::span<const std::uint64_t> dropout_keys,
                          const FlowContext<const T>& context) {
  start(context.rows);
  for (Index t = 0; t < size(); ++t) {
    const auto at = static_cast<std::size_t>(t);
    Workspace<T>& own = workspace(w, t);
    transforms_[at].network->forward(own, parameters[at], batch(t, context), dropout_keys[at]);
    apply(t, own.logits.data());
  }
}

template <typename T>
void FlowPass<T>::backward(Workspace<T>& w, std::span<T* const> parameters, const T* dlog,
                           const FlowContext<const T>& context, const FlowContext<T>& dcontext) {
  const Index numbers = rows_ * columns();
  const auto context_numbers = static_cast<std::size_t>(context.rows * context.stride);
  if (dcontext.values != nullptr) {
    std::fill_n(dcontext.values, context_numbers, T(0));
    if (dcontext_.size() < context_numbers) dcontext_ = AlignedBuffer<T>(context_numbers);
  }
  T* const dx = dcontext.values == nullptr ? nullptr : dcontext_.data();
  for (Index t = size() - 1; t >= 0; --t) {
    const auto at = static_cast<std::size_t>(t);
    const FlowTransform<T>& transform = transforms_[at];
    Workspace<T>& own = workspace(w, t);
    std::fill_n(own.dlogits.data(), rows_ * transform.network->layout().output_width, T(0));
    for (Index i = 0; i < columns(); ++i) {
      const DensityShape& shape = transform.shapes[static_cast<std::size_t>(i)];
      const Index first = i * 3 * shape.components;
      transform_backward(own.dlogits.data() + first, dinputs_[at].data() + i, dlog,
                         target(dinputs_, t, i), own.logits.data() + first, inputs_[at].data() + i,
                         columns(), rows_, shape);
    }
    transform.network->backward(own, parameters[at], batch(t, context), dx,
                                t == 0 ? nullptr : through_.data());
    for (Index i = 0; i < numbers && t > 0; ++i) dinputs_[at].data()[i] += through_.data()[i];
    for (std::size_t i = 0; i < context_numbers && dx != nullptr; ++i) dcontext.values[i] += dx[i];
  }
}

template <typename T>
void FlowPass<T>::evaluate(Workspace<T>& w, std::span<T* const> parameters,
                           const FlowContext<const T>& context) {
  start(context.rows);
  for (Index t = 0; t < size(); ++t) {
    const auto at = static_cast<std::size_t>(t);
    const Network<T>& network = *transforms_[at].network;
    network.project_data(w.projected.data(), context.values, context.stride, context.rows,
                         parameters[at]);
    network.evaluate(w, w.logits.data(), inputs_[at].data(), columns(), w.projected.data(),
                     network.layout().projected_width(), context.rows, parameters[at]);
    apply(t, w.logits.data());
  }
}

template AlignedBuffer<float> flow_mask<float>(const NetworkLayout&, Index, Index, Index);
template AlignedBuffer<double> flow_mask<double>(const NetworkLayout&, Index, Index, Index);
template class FlowPass<float>;
template class FlowPass<double>;

}  // namespace hone
