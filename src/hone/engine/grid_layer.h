#pragma once

#include "hone/core/matrix.h"
#include "hone/engine/gemm.h"

// z = patches(x) W + b: the one layer that encoders are made of. x lies on a grid of (height,
// width) places with channels innermost; every output place sees a patch of kernel_height strips of
// kernel_width x channels values, which lie in memory one after another. So a convolution is one
// product of matrices for each line of the grid and each line of the kernel, without copies.
//   dense layer        the kernel is the whole grid: one place is left
//   series             height 1
//   elements of a set  width 1 x 1 kernel: every element by itself
// Work is spread over threads by rows of the batch; every sum has a fixed order, so the bits do not
// depend on how many there are.

namespace hone {

struct GridLayer {
  Index height = 1, width = 1;            // places of the input
  Index channels = 1, channel_width = 1;  // of each, without and with padding
  Index kernel_height = 1, kernel_width = 1;
  Index stride_height = 1, stride_width = 1;
  Index out = 1;               // output channels, without padding
  Index weight = 0, bias = 0;  // (patch, padded out) and (padded out) in the parameter vector

  Index out_height() const { return (height - kernel_height) / stride_height + 1; }
  Index out_columns() const { return (width - kernel_width) / stride_width + 1; }
  Index positions() const { return out_height() * out_columns(); }
  Index line() const { return width * channel_width; }          // values of a line of the grid
  Index strip() const { return kernel_width * channel_width; }  // ... of a line of a patch
  Index step() const { return stride_width * channel_width; }   // between patches of a line
  Index patch() const { return kernel_height * strip(); }
  Index out_width() const { return padded(out); }
  Index out_size() const { return positions() * out_width(); }  // values of an output row
  Index parameters() const { return padded(patch()) * out_width() + out_width(); }
  // Weights that an output is a sum of.
  double inputs() const { return static_cast<double>(kernel_height * kernel_width * channels); }
  // One place that sees consecutive values.
  bool dense() const { return positions() == 1 && kernel_height == 1; }
};

// Scratch memory for the way back, large enough for every layer it is grown for.
template <typename T>
struct GridScratch {
  AlignedBuffer<T> transposed;  // of the weights
  AlignedBuffer<T> patches;     // gradients of the patches of a row, for each task
  AlignedBuffer<T> partial;     // gradients of the weights, of each task

  void grow(const GridLayer& layer, Index rows);
};

// z: (rows, layer.out_size())  x: (rows, x_stride)
template <typename T>
void grid_forward(T* z, const T* parameters, const GridLayer& layer, const T* x, Index x_stride,
                  Index rows, GemmBackend backend);
// dW += patches(x)^T dz, db += column sums of dz, in the gradient of the parameter vector.
template <typename T>
void grid_backward(T* gradient, GridScratch<T>& scratch, const GridLayer& layer, const T* dz,
                   const T* x, Index x_stride, Index rows, GemmBackend backend);
// dx = sum over patches of dz W^T, each added where its patch lies. dx: (rows, x_stride), (=)
template <typename T>
void grid_input_backward(T* dx, GridScratch<T>& scratch, const T* parameters,
                         const GridLayer& layer, const T* dz, Index x_stride, Index rows,
                         GemmBackend backend);

}  // namespace hone
