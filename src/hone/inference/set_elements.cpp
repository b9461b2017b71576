#include "hone/inference/set_elements.h"

#include <algorithm>
#include <vector>

#include "hone/core/error.h"

namespace hone {
namespace {

void copy_rows(MatrixView<float> out, MatrixView<const float> from) {
  for (Index i = 0; i < from.rows(); ++i) std::ranges::copy(from.row(i), out.row(i).begin());
}

}  // namespace

Index moment_count(Index columns) {
  return columns + columns * (columns + 1) / 2;
}

Index element_count(const DataDescription& data) {
  if (data.blocks().size() != 1 || data.blocks().front().kind != DataKind::set) return 1;
  return data.blocks().front().shape.front();
}

ElementRows::ElementRows(const RowSource& x, Index elements, Index used)
    : x_(x), elements_(elements), used_(used) {
  HONE_ASSERT(x.cols() % elements == 0 && used >= 1 && used <= elements);
}

void ElementRows::read(MatrixView<float> out, std::span<const Index> rows) const {
  read_realisation(out, rows, 0);
}

void ElementRows::read_realisation(MatrixView<float> out, std::span<const Index> rows,
                                   std::uint64_t realisation) const {
  std::vector<Index> sets;
  sets.reserve(rows.size());
  for (const Index row : rows) sets.push_back(row / used_);
  Matrix<float> whole(std::ssize(sets), x_.cols());
  x_.read_realisation(whole, sets, realisation);
  for (Index i = 0; i < whole.rows(); ++i) {
    const Index element = rows[static_cast<std::size_t>(i)] % used_;
    std::copy_n(whole.row(i).begin() + element * cols(), cols(), out.row(i).begin());
  }
}

Matrix<float> element_moments(MatrixView<const float> x, Index elements) {
  const Index columns = x.cols() / elements;
  Matrix<float> moments(x.rows(), moment_count(columns));
  std::vector<double> sums(static_cast<std::size_t>(moments.cols()));
  for (Index i = 0; i < x.rows(); ++i) {
    std::ranges::fill(sums, 0.0);
    for (Index e = 0; e < elements; ++e) {
      const std::span<const float> values = x.row(i).subspan(static_cast<std::size_t>(e * columns),
                                                             static_cast<std::size_t>(columns));
      auto sum = sums.begin();
      for (const float value : values) *sum++ += static_cast<double>(value);
      for (std::size_t a = 0; a < values.size(); ++a) {
        for (std::size_t b = a; b < values.size(); ++b) {
          *sum++ += static_cast<double>(values[a]) * static_cast<double>(values[b]);
        }
      }
    }
    std::ranges::transform(sums, moments.row(i).begin(), [&](double sum) {
      return static_cast<float>(sum / static_cast<double>(elements));
    });
  }
  return moments;
}

Index ElementMoments::cols() const {
  return moment_count(x_.cols() / elements_);
}

void ElementMoments::read(MatrixView<float> out, std::span<const Index> rows) const {
  read_realisation(out, rows, 0);
}

void ElementMoments::read_realisation(MatrixView<float> out, std::span<const Index> rows,
                                      std::uint64_t realisation) const {
  Matrix<float> whole(std::ssize(rows), x_.cols());
  x_.read_realisation(whole, rows, realisation);
  copy_rows(out, element_moments(whole, elements_));
}

}  // namespace hone
