#pragma once

#include "hone/engine/mixture.h"
#include "hone/engine/spline.h"

namespace hone {

// f(row): with the reader of one row of outputs that the shape asks for.
template <typename T, typename F>
auto with_density_row(const DensityShape& shape, F&& f) {
  if (shape.form == DensityForm::spline) return f(SplineRow<T>(shape));
  return f(MixtureRow<T>(shape));
}

}  // namespace hone
