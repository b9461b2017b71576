#include "hone/estimate/smooth_functions.h"

#include <algorithm>
#include <cmath>

#include "hone/core/cholesky.h"
#include "hone/engine/dense.h"
#include "hone/engine/smooth_basis.h"

namespace hone {
namespace {

// Bumps are nearly functions of each other where a block is narrow.
constexpr double kRidge = 1e-6;

Matrix<double> to_doubles(const Matrix<float>& from) {
  Matrix<double> result(from.rows(), from.cols());
  std::copy_n(from.data(), from.rows() * from.cols(), result.data());
  return result;
}

// N^-1 U, with U orthogonal columns that span those of the table: U L^T = table, by Cholesky.
Matrix<float> in_units_of_noise(const Matrix<float>& table, std::span<const double> inverse_noise) {
  const Matrix<double> bumps = to_doubles(table);
  Matrix<double> square = transposed_product(bumps, bumps);
  for (Index k = 0; k < square.rows(); ++k) square(k, k) *= 1 + kRidge;
  const Matrix<double> root = cholesky(square);
  Matrix<float> result(table.rows(), table.cols());
  std::vector<double> row(static_cast<std::size_t>(table.cols()));
  for (Index j = 0; j < result.rows(); ++j) {
    solve_lower(row, root, bumps.row(j));
    const double inverse = inverse_noise[static_cast<std::size_t>(j)];
    std::ranges::transform(row, result.row(j).begin(),
                           [&](double value) { return static_cast<float>(inverse * value); });
  }
  return result;
}

}  // namespace

std::vector<Matrix<float>> smooth_functions(const DataDescription& data,
                                            const RegressionRows& rows) {
  EmbeddingOptions options;
  for (const DataBlock& block : data.blocks()) {
    EncoderOptions& one = options.blocks.emplace_back();
    one.kind = block.kind;
    one.shape = block.shape;
  }
  std::vector<Matrix<float>> tables = smooth_bases(options, 0);
  if (tables.empty()) return tables;
  const Index monomials = PolynomialBasis::size_of(rows.z.cols(), 2);
  const bool curved = monomials <= kMostMonomials && 4 * monomials < rows.z.rows();
  const DataRegression first(
      rows, {.degree = curved ? 2 : 1, .scatter = Scatter::independent, .low_rank = true});
  const std::vector<double> inverse_noise = first.inverse_noise();
  std::erase_if(tables, [&](const Matrix<float>& table) { return table.rows() <= table.cols(); });
  for (Matrix<float>& table : tables) table = in_units_of_noise(table, inverse_noise);
  return tables;
}

Matrix<double> seen_through(const Matrix<float>& functions, MatrixView<const double> y) {
  return product(y, to_doubles(functions));
}

RegressionRows seen_through(const Matrix<float>& functions, const RegressionRows& rows) {
  RegressionRows result{seen_through(functions, rows.y),
                        Matrix<double>(rows.z.rows(), rows.z.cols())};
  std::copy_n(rows.z.data(), rows.z.rows() * rows.z.cols(), result.z.data());
  return result;
}

}  // namespace hone
