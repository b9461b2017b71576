#include "hone/check/data_functions.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "hone/check/series_functions.h"
#include "hone/core/parallel.h"
#include "hone/engine/smooth_basis.h"

namespace hone {
namespace {

// Beyond so many columns a function of each of them costs more time than it is worth.
constexpr Index kMostColumns = 512, kMostLogarithms = 256;
// Undeclared data of so many values may be a series or a set: shorter ones have too few neighbours
// to show it, and longer ones are usually spectra or images.
constexpr Index kFewestUndeclared = 12, kMostUndeclared = 2048;
// Numbers in a table of smooth sums: each row of the data is multiplied by all of them.
constexpr Index kMostWeights = Index{1} << 20;
constexpr Index kMostChannels = 6, kQuantiles = 9;
// A value so far out is as far as it matters: one wild number must not rule a regression.
constexpr double kFarthest = 5;

struct Moments {
  double mean = 0, inverse = 0;  // inverse: 1 / standard deviation; 0: all values are the same
};

// Of what is finite among `count` values of every row, `step` columns apart.
Moments moments_of(MatrixView<const float> x, Index first, Index count, Index step) {
  double n = 0, sum = 0, square = 0;
  const auto each = [&](const auto& body) {
    for (Index i = 0; i < x.rows(); ++i) {
      for (Index j = 0; j < count; ++j) {
        const float value = x(i, first + j * step);
        if (std::isfinite(value)) body(static_cast<double>(value));
      }
    }
  };
  each([&](double v) { n += 1, sum += v; });
  if (n == 0) return {};
  each([&](double v) { square += (v - sum / n) * (v - sum / n); });
  return {sum / n, square > 0 ? std::sqrt(n / square) : 0};
}

double clamped(double score) {
  return std::clamp(score, -kFarthest, kFarthest);
}

void append(std::vector<float>& out, double value) {
  out.push_back(static_cast<float>(value));
}

// The finest smooth sums that are not too many.
Matrix<float> bumps_of(const DataDescription& data) {
  EmbeddingOptions options;
  for (const DataBlock& block : data.blocks()) {
    EncoderOptions& one = options.blocks.emplace_back();
    one.kind = block.kind;
    one.shape = block.shape;
  }
  for (Matrix<float>& table : smooth_bases(options, 0)) {
    if (table.cols() <= kMostFunctions && table.rows() * table.cols() <= kMostWeights) {
      return std::move(table);
    }
  }
  return {};
}

}  // namespace

DataFunctions::DataFunctions(const DataDescription& data, MatrixView<const float> reference)
    : columns_(reference.cols()),
      centre_(static_cast<std::size_t>(columns_)),
      inverse_(static_cast<std::size_t>(columns_)) {
  parallel_for(columns_, [&](Index c) {
    const Moments of_column = moments_of(reference, c, 1, 1);
    centre_[static_cast<std::size_t>(c)] = of_column.mean;
    inverse_[static_cast<std::size_t>(c)] = of_column.inverse;
  });
  Index column = 0;
  for (const DataBlock& block : data.blocks()) {
    const bool plane = block.kind == DataKind::image;
    const Index places = plane ? block.shape[0] * block.shape[1] : block.shape[0];
    add_block(block.kind, column, places, block.size() / places, reference);
    column += block.size();
  }
  if (data.declared()) {
    bumps_ = bumps_of(data);
  } else {
    add_block(DataKind::vector, 0, columns_, 1, reference);
    if (columns_ >= kFewestUndeclared && columns_ <= kMostUndeclared) {
      add_block(DataKind::series, 0, columns_, 1, reference);
      add_block(DataKind::set, 0, columns_, 1, reference);
    }
  }
}

void DataFunctions::add_block(DataKind kind, Index column, Index places, Index channels,
                              MatrixView<const float> reference) {
  Block block{.kind = kind, .column = column, .places = places, .channels = channels};
  block.positive = true;
  for (Index i = 0; i < reference.rows() && block.positive; ++i) {
    const auto values = reference.row(i).subspan(static_cast<std::size_t>(column),
                                                 static_cast<std::size_t>(places * channels));
    block.positive = std::ranges::none_of(values, [](float v) { return v < 0; });
  }
  for (Index channel = 0; channel < channels; ++channel) {
    const Moments one = moments_of(reference, column + channel, places, channels);
    block.mean.push_back(one.mean);
    block.inverse.push_back(one.inverse);
  }
  blocks_.push_back(std::move(block));
}

double DataFunctions::score(Index column, float value) const {
  const auto c = static_cast<std::size_t>(column);
  if (!std::isfinite(value)) return 0;
  return clamped((static_cast<double>(value) - centre_[c]) * inverse_[c]);
}

// Of a value that should not be negative, in units of the mean. Zeros count as a twentieth of it.
double DataFunctions::logarithm(const Block& block, Index channel, float value) const {
  const double mean = block.mean[static_cast<std::size_t>(channel)];
  if (!std::isfinite(value) || !(mean > 0)) return 0;
  return std::log(std::max(static_cast<double>(value), 0.0) / mean + 0.05);
}

void DataFunctions::append_columns(std::vector<float>& out, std::span<const float> x) const {
  if (columns_ > kMostColumns) return;
  for (Index c = 0; c < columns_; ++c) {
    const double z = score(c, x[static_cast<std::size_t>(c)]);
    append(out, z);
    append(out, z * z);
  }
  if (columns_ > kMostLogarithms) return;
  for (const Block& block : blocks_) {
    if (!block.positive || block.kind == DataKind::set) continue;
    for (Index c = 0; c < block.places * block.channels; ++c) {
      append(out, logarithm(block, c % block.channels, x[std::size_t(block.column + c)]));
    }
  }
}

void DataFunctions::append_sums(std::vector<float>& out, std::span<const float> x) const {
  std::vector<float> sums(static_cast<std::size_t>(bumps_.cols()));
  for (Index c = 0; c < bumps_.rows(); ++c) {
    const auto z = static_cast<float>(score(c, x[static_cast<std::size_t>(c)]));
    const auto weights = bumps_.row(c);
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += z * weights[k];
  }
  out.insert(out.end(), sums.begin(), sums.end());
}

void DataFunctions::append_series(std::vector<float>& out, const Block& block,
                                  std::span<const float> x) const {
  for (Index channel = 0; channel < std::min(block.channels, kMostChannels); ++channel) {
    std::vector<double> whole, by_column, logarithms;
    const auto k = static_cast<std::size_t>(channel);
    for (Index t = 0; t < block.places; ++t) {
      const Index column = block.column + t * block.channels + channel;
      const float value = x[static_cast<std::size_t>(column)];
      const double z = (static_cast<double>(value) - block.mean[k]) * block.inverse[k];
      whole.push_back(std::isfinite(value) ? clamped(z) : 0);
      by_column.push_back(score(column, value));
      if (block.positive) logarithms.push_back(logarithm(block, channel, value));
    }
    append_series_functions(out, whole);
    append_series_functions(out, by_column);
    if (block.positive) append_series_functions(out, logarithms);
  }
}

void DataFunctions::append_set(std::vector<float>& out, const Block& block,
                               std::span<const float> x) const {
  const Index channels = std::min(block.channels, kMostChannels);
  const double n = static_cast<double>(block.places);
  std::vector<std::vector<double>> values(static_cast<std::size_t>(channels));
  for (Index e = 0; e < block.places; ++e) {
    for (std::size_t k = 0; k < values.size(); ++k) {
      const float v = x[std::size_t(block.column + e * block.channels) + k];
      const double z = (static_cast<double>(v) - block.mean[k]) * block.inverse[k];
      values[k].push_back(std::isfinite(v) ? clamped(z) : 0);
    }
  }
  for (std::size_t a = 0; a < values.size(); ++a) {
    append(out, std::accumulate(values[a].begin(), values[a].end(), 0.0) / n);
    for (std::size_t b = 0; b <= a; ++b) {
      append(out,
             std::inner_product(values[a].begin(), values[a].end(), values[b].begin(), 0.0) / n);
    }
  }
  for (std::vector<double>& one : values) {
    std::ranges::sort(one);
    for (Index q = 0; q < kQuantiles; ++q) {
      append(out, one[std::size_t(q * (block.places - 1) / (kQuantiles - 1))]);
    }
  }
}

std::vector<float> DataFunctions::row(std::span<const float> x) const {
  std::vector<float> out;
  append_columns(out, x);
  append_sums(out, x);
  for (const Block& block : blocks_) {
    if (block.kind == DataKind::series) append_series(out, block, x);
    if (block.kind == DataKind::set) append_set(out, block, x);
  }
  return out;
}

Matrix<float> DataFunctions::operator()(MatrixView<const float> x) const {
  if (x.rows() == 0) return {};
  const std::vector<float> first = row(x.row(0));
  Matrix<float> result(x.rows(), std::ssize(first));
  parallel_for(x.rows(), [&](Index i) {
    std::ranges::copy(i == 0 ? first : row(x.row(i)), result.row(i).begin());
  });
  return result;
}

}  // namespace hone
