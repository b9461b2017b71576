#pragma once

#include <span>
#include <vector>

#include "hone/engine/column_density.h"
#include "hone/engine/network.h"

// A density of D columns together, p(y | context), by T transforms one after the other: a flow.
//
//   z_0 = y,    z_t = transforms of the columns of z_{t-1}, one by one (column_transform.h),
//   log p = sum over the columns of  log dz_1 / dz_0 + .. + log dz_{T-1} / dz_{T-2} + log
//   p_T(z_{T-1})
//
// Each transform goes through the columns in an order of its own. What it does to one of them, a
// network says from the context and the columns before it in that order: one network for all
// columns, in which weights that would lead from a column to itself or to an earlier one are 0
// (Germain et al. 2015). So the density is exact and takes one pass of each network; its gradient
// goes back through all of them.

namespace hone {

// 1 where a network (options, context, columns) may have a weight, else 0; (layout.trained).
// Columns of theta are in the order of the transform; column i has the outputs from i * each.
template <typename T>
AlignedBuffer<T> flow_mask(const NetworkLayout& layout, Index hidden, Index columns, Index each);

template <typename T>
struct FlowTransform {
  const Network<T>* network = nullptr;
  std::vector<DensityShape> shapes;  // of the columns in its order
  std::vector<Index> source;         // its column i is column source[i] of what comes in
};

// Rows of context, (rows, stride).
template <typename T>
struct FlowContext {
  T* values = nullptr;
  Index stride = 0;
  Index rows = 0;
};

template <typename T>
class FlowPass {
 public:
  FlowPass(std::vector<FlowTransform<T>> transforms, Index most_rows);

  Index size() const { return static_cast<Index>(transforms_.size()); }
  Index columns() const { return std::ssize(transforms_.front().shapes); }

  // y (rows, columns), to fill: in the order of the first transform.
  T* inputs() { return inputs_.front().data(); }
  // log p(y) of the rows of the last pass.
  std::span<const T> log_density() const { return {log_.data(), static_cast<std::size_t>(rows_)}; }

  // In training: `parameters` and `dropout_keys` of each transform. The first network works in w,
  // the others in w.others, which keep what backward needs.
  void forward(Workspace<T>& w, std::span<T* const> parameters,
               std::span<const std::uint64_t> dropout_keys, const FlowContext<const T>& context);
  // After forward, for the gradient dlog (rows) by log p: those of the parameters accumulate (+=)
  // in the gradients of the workspaces; dcontext, if its values are not null, is overwritten (=).
  void backward(Workspace<T>& w, std::span<T* const> parameters, const T* dlog,
                const FlowContext<const T>& context, const FlowContext<T>& dcontext);
  // In evaluation; w alone is used.
  void evaluate(Workspace<T>& w, std::span<T* const> parameters,
                const FlowContext<const T>& context);

 private:
  Workspace<T>& workspace(Workspace<T>& w, Index t) const {
    return t == 0 ? w : w.others[static_cast<std::size_t>(t - 1)];
  }
  NetworkBatch<T> batch(Index t, const FlowContext<const T>& context) const;
  void start(Index rows);
  // With the outputs of transform t: log density, and the inputs of the next.
  void apply(Index t, const T* outputs);
  // Where column i of transform t goes to among the inputs of the next, or null after the last.
  T* target(std::vector<AlignedBuffer<T>>& matrices, Index t, Index i);

  std::vector<FlowTransform<T>> transforms_;
  std::vector<std::vector<Index>> target_;  // the inverse of the next transform's source
  std::vector<AlignedBuffer<T>> inputs_;    // (rows, columns) of each transform
  std::vector<AlignedBuffer<T>> dinputs_;   // their gradients
  AlignedBuffer<T> through_;                // (rows, columns): the part of a gradient by a network
  AlignedBuffer<T> dcontext_;               // of one network; grows when it is first needed
  std::vector<T> log_;
  Index rows_ = 0;
};

}  // namespace hone
