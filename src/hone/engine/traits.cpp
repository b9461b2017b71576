#include "hone/engine/traits.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

namespace hone {
namespace {

constexpr Index kWidths[] = {1, 2, 4};  // of bumps
constexpr Index kNumbersOfPeak = 3;     // height and place, (x, y)
constexpr Index kNumbersOfBest = 4;     // and width
constexpr Index kSpectrum = 2;          // amplitude, frequency
constexpr Index kBins = 8;
constexpr double kFirstBin = -2.1, kBinStep = 0.6;  // in standard deviations
constexpr Index kLags[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32};

// exp(-t^2 / 2 width^2) of norm 1.
std::vector<double> bump(Index width) {
  std::vector<double> weights;
  double square = 0;
  for (Index t = -3 * width; t <= 3 * width; ++t) {
    const double z = static_cast<double>(t) / static_cast<double>(width);
    weights.push_back(std::exp(-z * z / 2));
    square += weights.back() * weights.back();
  }
  for (double& weight : weights) weight /= std::sqrt(square);
  return weights;
}

// One channel of a block.
struct Map {
  Index height = 1, width = 1;
  std::vector<double> values;

  double at(Index y, Index x) const { return values[std::size_t(y * width + x)]; }
};

// Along `length` values that lie `step` apart, for `lines` lines that begin `line` apart.
std::vector<double> smoothed(const std::vector<double>& in, Index length, Index step, Index lines,
                             Index line, const std::vector<double>& weights) {
  std::vector<double> out(in.size());
  const Index reach = std::ssize(weights) / 2;
  for (Index l = 0; l < lines; ++l) {
    for (Index i = 0; i < length; ++i) {
      const Index first = std::max<Index>(0, i - reach), last = std::min(length - 1, i + reach);
      double sum = 0;
      for (Index j = first; j <= last; ++j) {
        sum += weights[std::size_t(j - i + reach)] * in[std::size_t(l * line + j * step)];
      }
      out[std::size_t(l * line + i * step)] = sum;
    }
  }
  return out;
}

Map smoothed(const Map& map, Index width) {
  const std::vector<double> weights = bump(width);
  Map result{map.height, map.width,
             smoothed(map.values, map.width, 1, map.height, map.width, weights)};
  if (map.height > 1) {
    result.values = smoothed(result.values, map.height, map.width, map.width, 1, weights);
  }
  return result;
}

// Where between its neighbours a parabola through three values has its top, in -1/2 .. 1/2.
double top(double before, double here, double after) {
  const double bend = before - 2 * here + after;
  return bend < 0 ? std::clamp((before - after) / (2 * bend), -0.5, 0.5) : 0;
}

struct Peak {
  double height = 0, x = 0, y = 0, width = 0;
};

// The highest value of sign x map, and where it is, each direction from -1 to 1.
Peak highest(const Map& map, double sign) {
  Index best = 0;
  for (Index i = 1; i < std::ssize(map.values); ++i) {
    if (sign * map.values[std::size_t(i)] > sign * map.values[std::size_t(best)]) best = i;
  }
  const Index y = best / map.width, x = best % map.width;
  const auto value = [&](Index row, Index column) { return sign * map.at(row, column); };
  const auto place = [](double at, Index n) { return (2 * at + 1) / static_cast<double>(n) - 1; };
  Peak peak{.height = value(y, x), .x = static_cast<double>(x), .y = static_cast<double>(y)};
  if (x > 0 && x + 1 < map.width) peak.x += top(value(y, x - 1), peak.height, value(y, x + 1));
  if (y > 0 && y + 1 < map.height) peak.y += top(value(y - 1, x), peak.height, value(y + 1, x));
  peak.x = place(peak.x, map.width);
  peak.y = place(peak.y, map.height);
  return peak;
}

template <typename T>
T* write_peak(T* out, const Peak& peak) {
  // A source may be a thousand times as bright as another.
  *out++ = static_cast<T>(std::asinh(peak.height));
  *out++ = static_cast<T>(peak.x);
  *out++ = static_cast<T>(peak.y);
  return out;
}

// Where the next landmarks and statistics of a row go.
template <typename T>
struct Output {
  T *landmarks, *statistics;
};

template <typename T>
void write_peaks(Output<T>& out, const Map& map, const std::vector<Index>& widths) {
  std::vector<Map> smooth;
  for (const Index width : widths) smooth.push_back(width == 0 ? map : smoothed(map, width));
  for (const double sign : {1.0, -1.0}) {
    Peak best;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      Peak peak = highest(smooth[i], sign);
      peak.width = std::log(static_cast<double>(widths[i]) + 1);
      if (i == 0 || peak.height > best.height) best = peak;
      out.statistics = write_peak(out.statistics, peak);
    }
    out.landmarks = write_peak(out.landmarks, best);
    *out.landmarks++ = static_cast<T>(best.width);
  }
}

// Points of the transform: a power of two, with frequencies at least this much closer than those of
// the series itself, so that a top lies between points that see it.
constexpr Index kFinerFrequencies = 4;
Index transform_points(Index length) {
  Index points = 2;
  while (points < kFinerFrequencies * length) points *= 2;
  return points;
}

std::vector<std::complex<double>> turns_of(Index points) {
  std::vector<std::complex<double>> turns;
  for (Index k = 0; k < points / 2; ++k) {
    turns.push_back(std::polar(1.0, -2 * std::numbers::pi * double(k) / double(points)));
  }
  return turns;
}

// sum_t x_t exp(-2 pi i k t / n) for n = 2^m points, in place (Cooley and Tukey 1965). turns: of
// the first half of the points, exp(-2 pi i k / n).
void transform(std::vector<std::complex<double>>& x,
               const std::vector<std::complex<double>>& turns) {
  const std::size_t n = x.size();
  for (std::size_t i = 1, j = 0; i < n; ++i) {  // to the order of reversed bits
    std::size_t bit = n / 2;
    for (; (j & bit) != 0; bit /= 2) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(x[i], x[j]);
  }
  for (std::size_t half = 1; half < n; half *= 2) {
    for (std::size_t begin = 0; begin < n; begin += 2 * half) {
      for (std::size_t k = 0; k < half; ++k) {
        const std::complex<double> odd = x[begin + half + k] * turns[k * (n / (2 * half))];
        x[begin + half + k] = x[begin + k] - odd;
        x[begin + k] += odd;
      }
    }
  }
}

// Amplitude |sum_t x_t exp(i w t)| / sqrt(n) at the highest, and log of its frequency, as a share
// of the highest one there is: low frequencies are told apart more finely.
template <typename T>
void write_spectrum(Output<T>& out, const std::vector<double>& x,
                    const std::vector<std::complex<double>>& turns) {
  std::vector<std::complex<double>> points(2 * turns.size());
  std::ranges::copy(x, points.begin());
  transform(points, turns);
  Map amplitudes{1, std::ssize(turns), {}};
  for (std::size_t k = 0; k < turns.size(); ++k) {
    amplitudes.values.push_back(std::abs(points[k]) / std::sqrt(static_cast<double>(x.size())));
  }
  const Peak peak = highest(amplitudes, 1);
  *out.landmarks++ = static_cast<T>(std::asinh(peak.height));
  *out.landmarks++ = static_cast<T>(std::log((peak.x + 1) / 2));
}

// Shares of a value in two neighbouring bins.
struct Share {
  Index bin = 0;
  double upper = 0;
};
Share share_of(double value) {
  const double last = static_cast<double>(kBins - 1);
  const double at = std::clamp((value - kFirstBin) / kBinStep, 0.0, last);
  const Index bin = std::min(static_cast<Index>(at), kBins - 2);
  return {bin, at - static_cast<double>(bin)};
}

template <typename T>
T* write_statistics(T* out, const std::vector<double>& x) {
  const Index n = std::ssize(x);
  std::fill_n(out, kBins * kBins, T(0));
  for (Index t = 0; t + 1 < n; ++t) {
    const Share a = share_of(x[std::size_t(t)]), b = share_of(x[std::size_t(t + 1)]);
    T* corner = out + a.bin * kBins + b.bin;
    const double count = static_cast<double>(n - 1);
    corner[0] += static_cast<T>((1 - a.upper) * (1 - b.upper) / count);
    corner[1] += static_cast<T>((1 - a.upper) * b.upper / count);
    corner[kBins] += static_cast<T>(a.upper * (1 - b.upper) / count);
    corner[kBins + 1] += static_cast<T>(a.upper * b.upper / count);
  }
  out += kBins * kBins;
  for (const Index lag : kLags) {
    double sum = 0;
    for (Index t = 0; t + lag < n; ++t) sum += x[std::size_t(t)] * x[std::size_t(t + lag)];
    *out++ = static_cast<T>(sum / static_cast<double>(n));
  }
  return out;
}

}  // namespace

Traits::Traits(const EmbeddingOptions& options) {
  Index column = 0;
  Index statistics = 0;
  for (const EncoderOptions& o : options.blocks) {
    const Index size = DataBlock{.name = "", .kind = o.kind, .shape = o.shape}.size();
    if (o.kind == DataKind::series || o.kind == DataKind::image) {
      const std::size_t places = o.kind == DataKind::image ? 2 : 1;
      Block block{.column = column,
                  .height = places == 2 ? o.shape[0] : 1,
                  .width = o.shape[places - 1],
                  .channels = o.shape.size() > places ? o.shape[places] : 1,
                  .series = places == 1,
                  .widths = {0},
                  .turns = {}};
      const Index shortest = places == 2 ? std::min(block.height, block.width) : block.width;
      for (const Index width : kWidths) {
        if (4 * width <= shortest) block.widths.push_back(width);
      }
      landmarks_ += block.channels * (2 * kNumbersOfBest + (block.series ? kSpectrum : 0));
      statistics += block.channels * 2 * kNumbersOfPeak * std::ssize(block.widths);
      if (block.series) statistics += block.channels * (kBins * kBins + std::ssize(kLags));
      if (block.series) block.turns = turns_of(transform_points(block.width));
      blocks_.push_back(std::move(block));
    }
    column += size;
  }
  size_ = landmarks_ + statistics;
}

template <typename T>
void Traits::compute(T* out, const T* x) const {
  Output<T> next{out, out + landmarks_};
  for (const Block& block : blocks_) {
    const Index places = block.height * block.width;
    for (Index channel = 0; channel < block.channels; ++channel) {
      Map map{block.height, block.width, {}};
      for (Index i = 0; i < places; ++i) {
        const T value = x[block.column + i * block.channels + channel];
        map.values.push_back(std::isfinite(value) ? static_cast<double>(value) : 0.0);
      }
      write_peaks(next, map, block.widths);
      if (!block.series) continue;
      write_spectrum(next, map.values, block.turns);
      next.statistics = write_statistics(next.statistics, map.values);
    }
  }
}

template void Traits::compute(float*, const float*) const;
template void Traits::compute(double*, const double*) const;

}  // namespace hone
