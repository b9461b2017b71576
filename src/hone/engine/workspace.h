#pragma once

#include <vector>

#include "hone/core/matrix.h"

namespace hone {

struct NetworkLayout;

// 64 rows x 64 features x 4 B = 16 kB: a block's input, its output and the weights between them
// share an L1 of 48 kB (benchmarks/engine.cpp).
inline constexpr Index kRowBlock = 64;

// What a norm needs of its input's columns, and of the way back through it.
template <typename T>
struct NormColumns {
  explicit NormColumns(Index width);
  AlignedBuffer<T> scale, shift;     // y = z * scale + shift
  AlignedBuffer<T> center, inverse;  // mean and 1 / sqrt(variance + epsilon)
  AlignedBuffer<T> sum, square;      // moments of z about the running mean
};

// Scratch memory for one network at a time, or for some that belong together: one per thread,
// whatever the number of members.
template <typename T>
struct Workspace {
  // Enough for `rows` rows (batch rows x candidates) of which `batch_rows` have their own x.
  // Training also needs the gradient side; evaluation works on one block of rows.
  Workspace(const NetworkLayout& layout, Index theta_size, Index rows, Index batch_rows,
            bool training);

  Index rows = 0;                                       // in use now
  std::vector<AlignedBuffer<T>> z;                      // (rows, width) per layer: z_0 .. z_U
  std::vector<NormColumns<T>> norm;                     // per unit
  std::vector<AlignedBuffer<T>> row_mean, row_inverse;  // (rows) per unit, for layer norm
  std::vector<AlignedBuffer<T>> mask;                   // (rows, width) per unit with dropout
  std::vector<AlignedBuffer<T>> activated;              // (rows, width) per unit, or one block
  AlignedBuffer<T> projected;                           // (batch rows, projected_width)
  AlignedBuffer<T> theta;   // (rows, theta_size), for the trainer to fill
  AlignedBuffer<T> logits;  // (rows, output_width)

  // Gradient of z_k lives in gradient_z[k % 3]: two are in use by the sweep, the third waits for
  // its skip connection.
  AlignedBuffer<T> dlogits;
  AlignedBuffer<T> gradient_z[3];                        // (rows, width) each
  AlignedBuffer<T> sum_d, sum_dz;                        // (width)
  AlignedBuffer<T> back_scale, back_slope, back_offset;  // dz = d * scale + z * slope + offset
  AlignedBuffer<T> transposed;                           // of one matrix of weights at a time
  AlignedBuffer<T> dprojected;                           // (batch rows, width)
  AlignedBuffer<T> gradient;                             // (layout.trained)

  std::vector<Workspace> others;  // of networks that work together with this one (flow_pass.h)
};

}  // namespace hone
