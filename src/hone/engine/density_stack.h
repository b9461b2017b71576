#pragma once

#include "hone/engine/column_density.h"
#include "hone/engine/stack.h"

namespace hone {

// Where the columns of a table lie, raw; without ends: infinite.
struct ColumnBounds {
  std::vector<float> lower, upper;
};

// K networks that each say the density of one column of a table, given other columns of the same
// row and a context that all members see:
//
//   member {3, 0, 5}:   p(y_5 | y_3, y_0, context)
//
// as a mixture of Gaussians or a spline flow (column_density.h) inside the column's bounds.
// Products of such factors are densities of several columns. With data as the context and
// parameters as the table they are posteriors; with parameters as the context and data as the
// table, likelihoods.
//
// All densities are those of the columns' standard scores: whoever needs those of raw values adds
// log_score_slope().
class DensityStack : public NetworkStack {
 public:
  DensityStack(std::vector<MemberSpec> members, const NetworkOptions& network, DensityForm form,
               Index components, const EmbeddingOptions& embedding, Standardizer context,
               Standardizer table, ColumnBounds bounds);
  static DensityStack from_arrays(std::span<const NamedArray> arrays);
  std::vector<NamedArray> to_arrays() const;

  Index target(Index k) const { return member(k).columns.back(); }
  DensityShape shape(Index k) const;  // of standard scores
  // log of d score / d value in a column whose tails are as they are.
  double log_score_slope(Index column) const;
  double log_score_slope(Index column, float value) const;  // also where they are softened

  // Standard scores of table rows, (n, columns of the table).
  Matrix<float> scores(MatrixView<const float> table) const;

  // Row r is made of row r / contexts_each of the contexts (as features() gives them) and row
  // r / scores_each of the table's scores.
  struct Rows {
    MatrixView<const float> contexts;
    Index contexts_each = 1;
    MatrixView<const float> scores;
    Index scores_each = 1;

    Index size() const { return contexts.rows() * contexts_each; }
  };
  // out[r] += log density of member k for row r.
  void add_log_densities(std::span<float> out, Index k, const Rows& rows) const;
  // (rows, output_width): what member k says of its density, for every row.
  Matrix<float> outputs(Index k, const Rows& rows) const;

 private:
  DensityStack(NetworkStack stack, DensityForm form, ColumnBounds bounds)
      : NetworkStack(std::move(stack)), form_(form), bounds_(std::move(bounds)) {}
  // f(first row, rows, their outputs), on all threads.
  template <typename F>
  void for_outputs(Index k, const Rows& rows, F&& f) const;

  DensityForm form_;
  ColumnBounds bounds_;
};

}  // namespace hone
