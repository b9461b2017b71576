#pragma once

#include "hone/engine/column_density.h"

// A density of one variable as a transform: its distribution function P takes y to a probability,
// and the normal quantile takes that to
//
//   z = Phi^-1(P(y)),    dz / dy = p(y) / phi(z),
//
// which is standard normal where p is right. What another density says of z is what p has missed:
// so transforms are put on top of each other (flow_pass.h). One Gaussian without ends is the affine
// transform of a masked autoregressive flow (Papamakarios et al. 2017), a spline that of a neural
// spline flow (Durkan et al. 2019), and several Gaussians go as well; ends of y are those of p.
//
// y, z and their gradients are columns of matrices: element i at [i * step]. Outputs of row i begin
// at outputs[i * shape.stride].

namespace hone {

// z, and log[i] += log dz / dy. With z = null, for the last of several transforms:
// log[i] += log p(y).
template <typename T>
void transform_forward(T* z, T* log, const T* outputs, const T* y, Index step, Index rows,
                       const DensityShape& shape);

// From the gradients by log (rows) and by z (null as above): those by the outputs, 3 K numbers a
// row, and by y. Both are overwritten.
template <typename T>
void transform_backward(T* doutputs, T* dy, const T* dlog, const T* dz, const T* outputs,
                        const T* y, Index step, Index rows, const DensityShape& shape);

// y of z.
template <typename T>
void transform_inverse(T* y, const T* outputs, const T* z, Index step, Index rows,
                       const DensityShape& shape);

}  // namespace hone
