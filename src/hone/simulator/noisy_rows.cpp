#include "hone/simulator/noisy_rows.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "hone/core/error.h"

namespace hone {
namespace {

// Noiseless parts are read so many at a time: little memory, and enough for one pass over a
// covariance to serve many.
constexpr std::size_t kRows = 32;

}  // namespace

NoisyRows::NoisyRows(std::unique_ptr<RowSource> noiseless, const NoiseModel& noise,
                     std::vector<std::int64_t> ids, const Rng& rng)
    : noiseless_(std::move(noiseless)), noise_(noise), ids_(std::move(ids)), rng_(rng) {
  HONE_ASSERT(noiseless_->cols() == noise_.input_size());
  HONE_ASSERT(std::ssize(ids_) == noiseless_->rows());
}

void NoisyRows::read_realisation(MatrixView<float> out, std::span<const Index> rows,
                                 std::uint64_t realisation) const {
  Matrix<float> buffer(std::ssize(rows.first(std::min(kRows, rows.size()))), noiseless_->cols());
  std::vector<Rng> streams;
  for (std::size_t begin = 0; begin < rows.size(); begin += kRows) {
    const auto part = rows.subspan(begin, std::min(kRows, rows.size() - begin));
    const MatrixView<float> noiseless = buffer.view().rows(0, std::ssize(part));
    const MatrixView<float> x = out.rows(static_cast<Index>(begin), std::ssize(part));
    noiseless_->read(noiseless, part);
    streams.clear();
    for (const Index row : part) {
      const auto id = static_cast<std::uint64_t>(ids_[static_cast<std::size_t>(row)]);
      streams.push_back(rng_.child("noise of", id).child("realisation", realisation));
    }
    noise_.apply(x, noiseless, streams);
    for (std::size_t i = 0; i < part.size(); ++i) {
      const auto values = x.row(static_cast<Index>(i));
      const auto bad = std::ranges::find_if(values, [](float v) { return !std::isfinite(v); });
      if (bad == values.end()) continue;
      fail(ErrorKind::simulator, "the noise of simulation {} makes x[{}] {}; it must be finite",
           ids_[static_cast<std::size_t>(part[i])], bad - values.begin(), *bad);
    }
  }
}

}  // namespace hone
