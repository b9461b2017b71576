#include "hone/estimate/masked_rows.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "hone/core/error.h"

namespace hone {
namespace {

constexpr double kShareOfObserved = 0.5;
constexpr float kGap = std::numeric_limits<float>::quiet_NaN();

bool loses(const DataBlock& block) {
  return block.missing == Missing::random;
}

}  // namespace

MaskedRows::MaskedRows(std::unique_ptr<RowSource> whole, const DataDescription& data,
                       std::vector<char> observed_gaps, std::vector<std::int64_t> ids,
                       const Rng& rng)
    : whole_(std::move(whole)),
      observed_gaps_(std::move(observed_gaps)),
      ids_(std::move(ids)),
      rng_(rng) {
  HONE_ASSERT(data.size() == whole_->cols() && std::ssize(ids_) == whole_->rows());
  HONE_ASSERT(observed_gaps_.empty() || std::ssize(observed_gaps_) == whole_->cols());
  Index column = 0;
  for (const DataBlock& block : data.blocks()) {
    const Index units = block.kind == DataKind::set ? block.shape[0] : block.size();
    if (loses(block)) parts_.push_back({column, units, block.size() / units});
    column += block.size();
  }
}

bool MaskedRows::has_work(const DataDescription& data) {
  return std::ranges::any_of(data.blocks(), loses);
}

void MaskedRows::mask(std::span<float> x, Rng rng) const {
  const bool as_observed = !observed_gaps_.empty() && rng.uniform() < kShareOfObserved;
  for (const Part& part : parts_) {
    const double probability = rng.uniform();
    for (Index unit = 0; unit < part.units; ++unit) {
      const bool away = rng.uniform() < probability;
      const auto first = static_cast<std::size_t>(part.column + unit * part.values);
      for (std::size_t c = first; c < first + static_cast<std::size_t>(part.values); ++c) {
        if (as_observed ? observed_gaps_[c] != 0 : away) x[c] = kGap;
      }
    }
  }
}

void MaskedRows::read_realisation(MatrixView<float> out, std::span<const Index> rows,
                                  std::uint64_t realisation) const {
  whole_->read_realisation(out, rows, realisation);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto id = static_cast<std::uint64_t>(ids_[static_cast<std::size_t>(rows[i])]);
    mask(out.row(static_cast<Index>(i)),
         rng_.child("gaps of", id).child("realisation", realisation));
  }
}

}  // namespace hone
