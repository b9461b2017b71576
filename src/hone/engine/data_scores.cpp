#include "hone/engine/data_scores.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace hone {
namespace {

// Enough for any mean and width.
constexpr std::size_t kMostElements = std::size_t{1} << 20;

// Every element of a set in every row of a table, as a row of its own.
class ElementRows final : public RowSource {
 public:
  ElementRows(const RowSource& table, Index column, Index elements, Index values)
      : table_(table), column_(column), elements_(elements), values_(values) {}

  Index rows() const override { return table_.rows() * elements_; }
  Index cols() const override { return values_; }
  void read(MatrixView<float> out, std::span<const Index> rows) const override {
    Matrix<float> whole(1, table_.cols());
    Index held = -1;
    for (Index i = 0; i < out.rows(); ++i) {
      const Index row = rows[std::size_t(i)] / elements_,
                  element = rows[std::size_t(i)] % elements_;
      if (row != held) table_.read(whole, {&row, 1});
      held = row;
      std::copy_n(whole.row(0).begin() + column_ + element * values_, values_, out.row(i).begin());
    }
  }

 private:
  const RowSource& table_;
  Index column_, elements_, values_;
};

// Statistics of one column for another.
void copy_scores(Standardizer& to, Index column, const Standardizer& from, Index value) {
  const auto j = static_cast<std::size_t>(column), v = static_cast<std::size_t>(value);
  to.mean[j] = from.mean[v];
  to.inverse[j] = from.inverse[v];
  if (to.softness.empty() && from.softness.empty()) return;
  to.center.resize(to.mean.size());
  to.softness.resize(to.mean.size());
  to.center[j] = from.softness.empty() ? 0 : from.center[v];
  to.softness[j] = from.softness.empty() ? 0 : from.softness[v];
}

// One scale for all pixels of a channel, the root mean square of theirs: a source looks the same
// wherever it is. Means stay those of the pixels, so that scores have none.
void share_scale(Standardizer& scores, Index column, Index size, Index channels) {
  for (Index channel = 0; channel < channels; ++channel) {
    double square = 0, count = 0;
    for (Index j = column + channel; j < column + size; j += channels) {
      const auto inverse = static_cast<double>(scores.inverse[static_cast<std::size_t>(j)]);
      if (inverse == 0) continue;
      square += 1 / (inverse * inverse);
      ++count;
    }
    for (Index j = column + channel; j < column + size; j += channels) {
      float& inverse = scores.inverse[static_cast<std::size_t>(j)];
      if (inverse != 0) inverse = static_cast<float>(std::sqrt(count / square));
    }
  }
}

}  // namespace

Standardizer fit_data_standardizer(const RowSource& x, std::span<const Index> rows, Tails tails,
                                   const EmbeddingOptions& embedding) {
  Standardizer scores = fit_standardizer(x, rows, "x", tails, embedding.may_be_missing());
  Index column = 0;
  for (const EncoderOptions& block : embedding.blocks) {
    const Index size = DataBlock{"", block.kind, block.shape}.size();
    if (block.kind == DataKind::set) {
      const Index elements = block.shape[0], values = size / elements;
      const ElementRows table(x, column, elements, values);
      const std::size_t step = 1 + rows.size() * std::size_t(elements) / kMostElements;
      std::vector<Index> all;
      for (std::size_t i = 0; i < rows.size(); i += step) {
        for (Index e = 0; e < elements; ++e) all.push_back(rows[i] * elements + e);
      }
      const std::vector<char> gaps(static_cast<std::size_t>(values), block.missing ? 1 : 0);
      const Standardizer shared = fit_standardizer(table, all, "x", tails, gaps);
      for (Index j = 0; j < size; ++j) copy_scores(scores, column + j, shared, j % values);
    } else if (block.kind == DataKind::image) {
      share_scale(scores, column, size, block.shape.size() > 2 ? block.shape[2] : 1);
    }
    column += size;
  }
  return scores;
}

}  // namespace hone
