#pragma once

#include <vector>

#include "hone/core/data_description.h"
#include "hone/core/matrix.h"

namespace hone {

// Functions of the data that a linear regression of the parameters may need and cannot make by
// itself. What they are depends on what the data are said to be:
//
//   any values   their standard scores and squares; of values that are never negative, logarithms
//   series       of every channel: mean products of values 0 to 3 places apart, and the
//                coefficients and the residual variance of polynomial regressions of a value on the
//                one before, with the whole series in one unit, column by column in units of its
//                own, and in logarithms; smooth sums over neighbours
//   image        smooth sums over neighbours
//   set          means and mean products of the values of an element, and quantiles of each
//
// Data that nothing is said about may be a series or a set nonetheless: where they are not short,
// they have the functions of all three.
class DataFunctions {
 public:
  // reference (n, columns): simulations, which say what the units are.
  DataFunctions(const DataDescription& data, MatrixView<const float> reference);

  // (n, functions); (n, 0) where there are none that would say more than the columns themselves.
  Matrix<float> operator()(MatrixView<const float> x) const;

 private:
  struct Block {
    DataKind kind = DataKind::vector;
    Index column = 0, places = 0, channels = 1;
    std::vector<double> mean = {}, inverse = {};  // of each channel
    bool positive = false;                        // no value of the reference is negative
  };
  void add_block(DataKind kind, Index column, Index places, Index channels,
                 MatrixView<const float> reference);
  std::vector<float> row(std::span<const float> x) const;
  double score(Index column, float value) const;
  double logarithm(const Block& block, Index channel, float value) const;
  void append_columns(std::vector<float>& out, std::span<const float> x) const;
  void append_sums(std::vector<float>& out, std::span<const float> x) const;
  void append_series(std::vector<float>& out, const Block& block, std::span<const float> x) const;
  void append_set(std::vector<float>& out, const Block& block, std::span<const float> x) const;

  Index columns_;
  std::vector<double> centre_, inverse_;  // of each column
  std::vector<Block> blocks_;
  Matrix<float> bumps_;  // (columns, functions): smooth sums
};

}  // namespace hone
