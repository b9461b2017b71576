#include "hone/engine/standardizer.h"

#include <algorithm>
#include <cmath>

#include "hone/core/error.h"
#include "hone/engine/soft_tails.h"

namespace hone {
namespace {

// Rows are read a few megabytes at a time, so that tables larger than memory are no problem.
constexpr Index kChunkValues = Index{1} << 20;

template <typename F>
void for_chunks(const RowSource& table, std::span<const Index> rows, F&& f) {
  const Index chunk = std::max<Index>(1, kChunkValues / std::max<Index>(1, table.cols()));
  Matrix<float> values(std::min<Index>(chunk, static_cast<Index>(rows.size())), table.cols());
  for (std::size_t begin = 0; begin < rows.size(); begin += static_cast<std::size_t>(chunk)) {
    const auto part = rows.subspan(begin, std::min(rows.size() - begin, std::size_t(chunk)));
    const auto view = values.view().rows(0, static_cast<Index>(part.size()));
    table.read(view, part);
    f(view, part);
  }
}

}  // namespace

void Standardizer::apply(MatrixView<float> out, MatrixView<const float> in) const {
  for (Index i = 0; i < in.rows(); ++i) {
    const float* from = in.row(i).data();
    float* to = out.row(i).data();
    if (softness.empty()) {
      for (Index j = 0; j < cols(); ++j) to[j] = (from[j] - mean[j]) * inverse[j];
    } else {
      for (Index j = 0; j < cols(); ++j) to[j] = (softened(from[j], j) - mean[j]) * inverse[j];
    }
  }
}

float Standardizer::softened(float value, Index column) const {
  const std::size_t j = static_cast<std::size_t>(column);
  if (softness.empty() || softness[j] == 0) return value;
  return std::asinh((value - center[j]) / softness[j]);
}

void check_finite(const RowSource& table, std::span<const Index> rows, const char* what,
                  std::span<const char> may_be_missing) {
  for_chunks(table, rows, [&](MatrixView<const float> values, std::span<const Index> ids) {
    for (Index i = 0; i < values.rows(); ++i) {
      for (Index j = 0; j < values.cols(); ++j) {
        if (std::isfinite(values(i, j))) continue;
        const bool may_be = !may_be_missing.empty() && may_be_missing[std::size_t(j)] != 0;
        if (may_be && std::isnan(values(i, j))) continue;
        fail(ErrorKind::input, "{}: row {}, column {} is {}; remove the row or mark it as failed",
             what, ids[std::size_t(i)], j, values(i, j));
      }
    }
  });
}

// Two passes in double precision: the mean first, then the squared distances from it.
Standardizer fit_standardizer(const RowSource& table, std::span<const Index> rows, const char* what,
                              Tails tails, std::span<const char> may_be_missing) {
  const std::size_t cols = static_cast<std::size_t>(table.cols());
  std::vector<double> mean(cols, 0.0), square(cols, 0.0), gaps(cols, 0.0);
  check_finite(table, rows, what, may_be_missing);
  Standardizer result{std::vector<float>(cols), std::vector<float>(cols)};
  if (tails == Tails::soften) soften_tails(result, table, rows);
  const auto y = [&result](float value, std::size_t column) {
    return static_cast<double>(result.softened(value, static_cast<Index>(column)));
  };
  for_chunks(table, rows, [&](MatrixView<const float> values, std::span<const Index>) {
    for (Index i = 0; i < values.rows(); ++i) {
      for (std::size_t j = 0; j < cols; ++j) {
        const double score = y(values(i, static_cast<Index>(j)), j);
        const bool gap = std::isnan(score);
        mean[j] += gap ? 0 : score;
        gaps[j] += gap ? 1 : 0;
      }
    }
  });
  const auto there = [&](std::size_t j) {
    return std::max(static_cast<double>(rows.size()) - gaps[j], 1.0);
  };
  for (std::size_t j = 0; j < cols; ++j) mean[j] /= there(j);
  for_chunks(table, rows, [&](MatrixView<const float> values, std::span<const Index>) {
    for (Index i = 0; i < values.rows(); ++i) {
      for (std::size_t j = 0; j < cols; ++j) {
        const double distance = y(values(i, static_cast<Index>(j)), j) - mean[j];
        if (!std::isnan(distance)) square[j] += distance * distance;
      }
    }
  });
  for (std::size_t j = 0; j < cols; ++j) {
    const double deviation = std::sqrt(square[j] / there(j));
    // Float rounding alone scatters a constant by 6e-8 of its size.
    const bool constant = deviation <= 1e-7 * std::abs(mean[j]) || deviation == 0;
    result.mean[j] = static_cast<float>(mean[j]);
    result.inverse[j] = constant ? 0.0F : static_cast<float>(1 / deviation);
  }
  return result;
}

}  // namespace hone
