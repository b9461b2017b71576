// Draws from the densities of a stack, exact: column by column.
#include "hone/core/error.h"
#include "hone/engine/column_transform.h"
#include "hone/engine/cut_normal.h"
#include "hone/engine/density_stack.h"

namespace hone {

void DensityStack::draw(MatrixView<float> scores, std::span<const Index> densities,
                        MatrixView<const float> context, MatrixView<const double> uniform) const {
  HONE_ASSERT(context.rows() == 1 && uniform.rows() == scores.rows());
  std::vector<double> random(static_cast<std::size_t>(scores.rows()));
  std::vector<float> y(random.size());
  for (const Index i : densities) {
    if (stack_outputs().whole_rows()) {
      for (const int column : first_member(i).columns) {
        for (Index r = 0; r < scores.rows(); ++r) {
          scores(r, column) = static_cast<float>(normal_score(uniform(r, column)));
        }
      }
      invert_flow(scores, i, context);
      continue;
    }
    const Matrix<float> densities_of_rows = outputs(i, {context, scores.rows(), scores, 1});
    for (std::size_t r = 0; r < y.size(); ++r) {
      random[r] = uniform(static_cast<Index>(r), target(i));
    }
    density_draws(y.data(), densities_of_rows.data(), random.data(), scores.rows(), shape(i));
    for (std::size_t r = 0; r < y.size(); ++r) scores(static_cast<Index>(r), target(i)) = y[r];
  }
}

// From normal scores back to y, transform by transform. The network of a transform sees the columns
// before one; so it is asked again for each of them, in its order.
void DensityStack::invert_flow(MatrixView<float> scores, Index i,
                               MatrixView<const float> context) const {
  for (Index t = transforms() - 1; t >= 0; --t) {
    const Index k = i * transforms() + t;
    const std::vector<int>& order = member(k).columns;
    for (std::size_t j = 0; j < order.size(); ++j) {
      const DensityShape shape = this->shape(k, order[j]);
      const Matrix<float> said = outputs(k, {context, scores.rows(), scores, 1});
      float* const column = scores.data() + order[j];
      transform_inverse(column, said.data() + static_cast<Index>(j) * 3 * shape.components, column,
                        scores.stride(), scores.rows(), shape);
    }
  }
}

}  // namespace hone
