#pragma once

#include "hone/engine/column_density.h"
#include "hone/engine/stack.h"

namespace hone {

// Where the columns of a table lie, raw; without ends: infinite.
struct ColumnBounds {
  std::vector<float> lower, upper;
};

// Densities of columns of a table, given a context that all members see, as mixtures of Gaussians
// or splines (column_density.h) inside the columns' bounds. There are two kinds of them:
//
// - Each network says the density of one column, given other columns of the same row:
//       member {3, 0, 5}:   p(y_5 | y_3, y_0, context)
//   Products of such factors are densities of several columns, and can share factors.
// - T networks in a row say the density of several columns together, as a flow (flow_pass.h):
//       members {3, 0, 5}, {5, 0, 3}, ..:   p(y_3, y_0, y_5 | context)
//   Each of them lists the columns in the order in which it goes through them.
//
// With data as the context and parameters as the table they are posteriors; with parameters as the
// context and data as the table, likelihoods.
//
// All densities are those of the columns' standard scores: whoever needs those of raw values adds
// log_score_slope().
class DensityStack : public NetworkStack {
 public:
  DensityStack(std::vector<MemberSpec> members, const NetworkOptions& network, DensityForm form,
               const StackOutputs& outputs, const EmbeddingOptions& embedding, Standardizer context,
               Standardizer table, ColumnBounds bounds);
  static DensityStack from_arrays(std::span<const NamedArray> arrays);
  std::vector<NamedArray> to_arrays() const;

  // Networks in a row that say one density: 1, or the transforms of a flow.
  Index transforms() const { return stack_outputs().transforms; }
  Index densities() const { return size() / transforms(); }
  // The member that names density i: its columns, and its replica times transforms().
  const MemberSpec& first_member(Index i) const { return member(i * transforms()); }
  std::span<float> density_parameters(Index i);  // of all its networks

  Index target(Index k) const { return member(k).columns.back(); }
  DensityShape shape(Index k) const { return shape(k, target(k)); }  // of standard scores
  // Of a column in member k: what comes out of a transform has no ends any more.
  DensityShape shape(Index k, Index column) const;
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
  // out[r] += log density i for row r.
  void add_log_densities(std::span<float> out, Index i, const Rows& rows) const;
  // Draws of scores for one context: fills those columns of the rows (n, columns of the table)
  // whose densities are listed, each given the ones before. uniform (n, columns): random numbers.
  void draw(MatrixView<float> scores, std::span<const Index> densities,
            MatrixView<const float> context, MatrixView<const double> uniform) const;
  // (rows, output_width): what member k says of its density, for every row.
  Matrix<float> outputs(Index k, const Rows& rows) const;

 private:
  DensityStack(NetworkStack stack, DensityForm form, ColumnBounds bounds)
      : NetworkStack(std::move(stack)), form_(form), bounds_(std::move(bounds)) {}
  // f(first row, rows, their outputs), on all threads.
  template <typename F>
  void for_outputs(Index k, const Rows& rows, F&& f) const;
  void add_flow_log_densities(std::span<float> out, Index i, const Rows& rows) const;
  void invert_flow(MatrixView<float> scores, Index i, MatrixView<const float> context) const;

  DensityForm form_;
  ColumnBounds bounds_;
};

}  // namespace hone
