#include "hone/engine/encoder.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "hone/engine/centroids.h"
#include "hone/engine/flush_denormals.h"

namespace hone {
namespace {

constexpr Index kTaskRows = 16;

// The kernels activate through a norm per column. Any array seen as a tall matrix of kLane columns
// has this one.
template <typename T>
struct Trivial {
  Trivial() { std::ranges::fill(ones, T(1)); }
  alignas(kAlignment) T ones[kLane];
  alignas(kAlignment) T zeros[kLane] = {};
  alignas(kAlignment) T unused[2 * kLane] = {};
};

Index length_of(const std::vector<Index>& shape) {
  Index product = 1;
  for (const Index length : shape) product *= length;
  return product;
}

// f(first row, rows) in parallel.
template <typename F>
void for_tasks(Index rows, F&& f) {
  parallel_for((rows + kTaskRows - 1) / kTaskRows, [&](Index task) {
    const FlushDenormals flush;
    f(task * kTaskRows, std::min(kTaskRows, rows - task * kTaskRows));
  });
}

template <typename F>
void for_rows(Index rows, F&& f) {
  for_tasks(rows, [&](Index begin, Index count) {
    for (Index i = begin; i < begin + count; ++i) f(i);
  });
}

// a = act(z); both (rows, size)
template <typename T>
void activate(T* a, const T* z, Index rows, Index size, Activation activation) {
  const Trivial<T> norm;
  for_tasks(rows, [&](Index begin, Index count) {
    best_kernels<T>().activate(a + begin * size, z + begin * size, norm.ones, norm.zeros, nullptr,
                               count * size / kLane, kLane, activation);
  });
}
// In: d = gradient of a. Out: that of z.
template <typename T>
void activate_backward(T* d, const T* z, Index rows, Index size, Activation activation) {
  for_tasks(rows, [&](Index begin, Index count) {
    Trivial<T> norm;
    best_kernels<T>().activate_backward(d + begin * size, norm.unused, norm.unused + kLane,
                                        z + begin * size, norm.ones, norm.zeros, norm.zeros,
                                        nullptr, count * size / kLane, kLane, activation);
  });
}

}  // namespace

template <typename T>
Encoder<T>::Encoder(const EncoderOptions& options, Index offset, GemmBackend backend)
    : options_(options), backend_(backend), end_(offset) {
  add_layers();
  plan_collection();
  const auto place = [this](GridLayer& layer) {
    layer.weight = end_;
    layer.bias = end_ + padded(layer.patch()) * layer.out_width();
    end_ += layer.parameters();
    ranges_.push_back({layer.weight, layer.parameters(), layer.inputs()});
  };
  for (GridLayer& layer : layers_) place(layer);
  place(readout_);
  if (copies()) ranges_.back().inputs = double(std::ranges::count(places_.used, char(1)));
}

template <typename T>
void Encoder<T>::add_layers() {
  GridLayer grid = first_grid(options_);
  for (const int channels : options_.channels) {
    const bool is_image = options_.kind == DataKind::image;
    if (is_image) {
      grid.kernel_height = options_.kernel;
      grid.stride_height = options_.stride;
    }
    if (is_image || options_.kind == DataKind::series) {
      grid.kernel_width = options_.kernel;
      grid.stride_width = options_.stride;
    } else if (!is_set()) {
      grid.kernel_width = grid.width;  // kinds without places are seen as a whole
    }
    grid.out = channels;
    layers_.push_back(grid);
    grid = {.height = grid.out_height(),
            .width = grid.out_columns(),
            .channels = grid.out,
            .channel_width = grid.out_width()};
  }
  // Line by line all values are consecutive: one long line.
  readout_ = {.width = grid.height * grid.width,
              .channels = grid.channels,
              .channel_width = grid.channel_width,
              .kernel_width = grid.height * grid.width,
              .out = options_.features};
}

template <typename T>
void Encoder<T>::plan_collection() {
  if (!copies()) return;
  const auto add = [this](Index places, Index channels) {
    const Index begin = places_.size;
    places_.size += places * padded(channels);
    places_.used.resize(std::size_t(places_.size), 0);
    for (Index at = 0; at < places; ++at) {
      std::fill_n(places_.used.begin() + begin + at * padded(channels), channels, char(1));
    }
    return begin;
  };
  const GridLayer& last = layers_.back();
  if (is_set()) {
    places_.largest = add(1, last.out);
    if (options_.missing) places_.count = add(1, 2);
  } else if (options_.kind != DataKind::vector) {
    places_.last = add(last.positions(), last.out);
  }
  for (const GridLayer& layer : layers_) {
    places_.means.push_back(add(1, layer.out));
    if (places_.last < 0) continue;
    coordinates_.push_back(centroid_coordinates<T>(layer));
    places_.centroids.push_back(add(centroid_numbers(layer), layer.out));
  }
  readout_ = {.width = 1,
              .channels = places_.size,
              .channel_width = places_.size,
              .out = options_.features};
}

template <typename T>
Index Encoder<T>::data_size() const {
  return length_of(options_.shape);
}

template <typename T>
std::vector<ParameterBlock> Encoder<T>::blocks(const std::string& name) const {
  std::vector<ParameterBlock> result;
  for (std::size_t i = 0; i <= layers_.size(); ++i) {
    const GridLayer& layer = i < layers_.size() ? layers_[i] : readout_;
    const Index width = layer.out_width();
    result.push_back(
        {fmt::format("{}.{}.weight", name, i), layer.patch(), layer.out, layer.weight, width});
    result.push_back({fmt::format("{}.{}.bias", name, i), 1, layer.out, layer.bias, width});
  }
  return result;
}

// Weights of padding channels are zero and stay so: otherwise gradients would reach the layer
// before through them, and its padding would be trained.
template <typename T>
void Encoder<T>::initialize(T* parameters, Rng& rng, bool wide) const {
  for (std::size_t i = 0; i <= layers_.size(); ++i) {
    const bool out = i == layers_.size();
    const GridLayer& layer = out ? readout_ : layers_[i];
    // A variance of 2 / inputs keeps activations of one size from layer to layer (He et al. 2015).
    const double limit = std::sqrt((wide ? (out ? 3 : 6) : 1) / ranges_[i].inputs);
    const auto fill_row = [&](T* row) {
      for (Index c = 0; c < layer.out; ++c) {
        row[c] = static_cast<T>(limit * (2 * rng.uniform() - 1));
      }
    };
    for (Index r = 0; r < layer.patch(); ++r) {
      const bool used = out && copies() ? places_.used[std::size_t(r)] != 0
                                        : r % layer.channel_width < layer.channels;
      if (used) fill_row(parameters + layer.weight + r * layer.out_width());
    }
    fill_row(parameters + layer.bias);
  }
}

template <typename T>
EncoderWorkspace<T> Encoder<T>::make_workspace(Index rows, bool training) const {
  const auto buffer = [](Index size) { return AlignedBuffer<T>(static_cast<std::size_t>(size)); };
  EncoderWorkspace<T> w;
  const GridLayer first = first_grid(options_);
  if (options_.missing) {
    w.input = buffer(rows * padded(first.line() * first.height));
    if (is_set()) w.weight = buffer(rows * first.width);
  }
  for (const GridLayer& layer : layers_) {
    w.z.push_back(buffer(rows * layer.out_size()));
    w.activated.push_back(buffer(rows * layer.out_size()));
    if (training) w.gradient.push_back(buffer(rows * layer.out_size()));
    if (training) w.scratch.grow(layer, rows);
  }
  if (training) w.scratch.grow(readout_, rows);
  if (copies()) {
    w.collected = buffer(rows * places_.size);
    if (training) w.collected_gradient = buffer(rows * places_.size);
    if (is_set()) w.largest.resize(std::size_t(rows * layers_.back().out_width()));
  }
  w.features = buffer(rows * feature_stride());
  return w;
}

template <typename T>
void Encoder<T>::fill_gaps(EncoderWorkspace<T>& w, const T* x, Index x_stride, Index rows) const {
  const Index channels = first_grid(options_).channels / 2, values = data_size();
  const Index stride = padded(2 * values);
  for_rows(rows, [&](Index i) {
    const T* from = x + i * x_stride;
    T* to = w.input.data() + i * stride;
    Index there = 0;
    for (Index place = 0; place < values / channels; ++place) {
      bool any = false;
      for (Index c = 0; c < channels; ++c) {
        const T value = from[place * channels + c];
        const bool present = std::isfinite(value);
        any |= present;
        to[2 * place * channels + c] = present ? value : T(0);
        to[(2 * place + 1) * channels + c] = T(present ? 1 : 0);
      }
      if (is_set()) w.weight.data()[i * values / channels + place] = T(any ? 1 : 0);
      if (any) ++there;
    }
    if (!is_set()) return;
    const Index elements = values / channels;
    T* weight = w.weight.data() + i * elements;
    for (Index e = 0; e < elements; ++e) weight[e] /= T(std::max<Index>(1, there));
    if (places_.count < 0) return;
    T* count = w.collected.data() + i * places_.size + places_.count;
    count[0] = T(there) / T(elements);
    count[1] = std::log1p(T(there)) / std::log1p(T(elements));
  });
}

template <typename T>
typename Encoder<T>::Input Encoder<T>::input(EncoderWorkspace<T>& w, const T* x,
                                             Index x_stride) const {
  if (!options_.missing) return {x, x_stride};
  return {w.input.data(), padded(2 * data_size())};
}

// Of one row: the last layer itself, or its largest values.
template <typename T>
void Encoder<T>::collect_last(EncoderWorkspace<T>& w, Index row) const {
  const std::size_t l = layers_.size() - 1;
  const Index width = layers_[l].out_width(), positions = layers_[l].positions();
  const T* a = w.activated[l].data() + row * layers_[l].out_size();
  T* out = w.collected.data() + row * places_.size;
  if (places_.last >= 0) std::copy(a, a + layers_[l].out_size(), out + places_.last);
  if (places_.largest < 0) return;
  const T* weights = w.weight.size() > 0 ? w.weight.data() + row * positions : nullptr;
  T* largest = out + places_.largest;
  std::int32_t* whose = w.largest.data() + row * width;
  std::fill(largest, largest + width, T(0));
  std::fill(whose, whose + width, -1);
  for (Index at = 0; at < positions; ++at) {
    if (weights != nullptr && weights[at] == 0) continue;
    for (Index c = 0; c < width; ++c) {
      if (whose[c] >= 0 && a[at * width + c] <= largest[c]) continue;
      largest[c] = a[at * width + c];
      whose[c] = static_cast<std::int32_t>(at);
    }
  }
}

// Means and centroids over the places of one row.
template <typename T>
void Encoder<T>::collect(EncoderWorkspace<T>& w, Index row) const {
  T* out = w.collected.data() + row * places_.size;
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const Index width = layers_[l].out_width(), positions = layers_[l].positions();
    const T* a = w.activated[l].data() + row * layers_[l].out_size();
    T* mean = out + places_.means[l];
    std::fill(mean, mean + width, T(0));
    const T* weights = w.weight.size() > 0 ? w.weight.data() + row * positions : nullptr;
    for (Index at = 0; at < positions; ++at) {
      const T weight = weights != nullptr ? weights[at] : T(1) / T(positions);
      for (Index c = 0; c < width; ++c) mean[c] += weight * a[at * width + c];
    }
    if (places_.centroids.empty()) continue;
    centroids_forward(out + places_.centroids[l], a, coordinates_[l], positions, width);
  }
  collect_last(w, row);
}

// d: gradient of the activations of a layer, one row; (=) for the last layer, else (+=).
template <typename T>
void Encoder<T>::collect_backward(EncoderWorkspace<T>& w, T* d, std::size_t l, Index row) const {
  const T* dout = w.collected_gradient.data() + row * places_.size;
  const Index width = layers_[l].out_width(), positions = layers_[l].positions();
  if (l + 1 == layers_.size()) {
    if (places_.last >= 0) {
      std::copy_n(dout + places_.last, layers_[l].out_size(), d);
    } else {
      std::fill_n(d, layers_[l].out_size(), T(0));
    }
    if (places_.largest >= 0) {
      const std::int32_t* whose = w.largest.data() + row * width;
      for (Index c = 0; c < width; ++c) {
        if (whose[c] >= 0) d[whose[c] * width + c] += dout[places_.largest + c];
      }
    }
  }
  const T* dmean = dout + places_.means[l];
  const T* weights = w.weight.size() > 0 ? w.weight.data() + row * positions : nullptr;
  for (Index at = 0; at < positions; ++at) {
    const T weight = weights != nullptr ? weights[at] : T(1) / T(positions);
    for (Index c = 0; c < width; ++c) d[at * width + c] += weight * dmean[c];
  }
  if (places_.centroids.empty()) return;
  const Index first = row * places_.size + places_.centroids[l];
  centroids_backward(d, w.collected_gradient.data() + first, w.collected.data() + first,
                     w.activated[l].data() + row * layers_[l].out_size(), coordinates_[l],
                     positions, width);
}

template <typename T>
typename Encoder<T>::Input Encoder<T>::readout_input(EncoderWorkspace<T>& w, const Input& x) const {
  if (layers_.empty()) return x;
  if (copies()) return {w.collected.data(), places_.size};
  return {w.activated.back().data(), layers_.back().out_size()};
}

template <typename T>
void Encoder<T>::forward(EncoderWorkspace<T>& w, const T* p, const T* x, Index x_stride,
                         Index rows) const {
  if (options_.missing) fill_gaps(w, x, x_stride, rows);
  const Input first = input(w, x, x_stride);
  Input in = first;
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const GridLayer& layer = layers_[l];
    grid_forward(w.z[l].data(), p, layer, in.x, in.stride, rows, backend_);
    activate(w.activated[l].data(), w.z[l].data(), rows, layer.out_size(), options_.activation);
    in = {w.activated[l].data(), layer.out_size()};
  }
  if (copies()) for_rows(rows, [&](Index i) { collect(w, i); });
  in = readout_input(w, first);
  grid_forward(w.features.data(), p, readout_, in.x, in.stride, rows, backend_);
}

template <typename T>
void Encoder<T>::backward(EncoderWorkspace<T>& w, T* gradient, const T* p, const T* dfeatures,
                          const T* x, Index x_stride, Index rows) const {
  const Input first = input(w, x, x_stride), out = readout_input(w, first);
  grid_backward(gradient, w.scratch, readout_, dfeatures, out.x, out.stride, rows, backend_);
  if (layers_.empty()) return;
  T* dout = copies() ? w.collected_gradient.data() : w.gradient.back().data();
  grid_input_backward(dout, w.scratch, p, readout_, dfeatures, out.stride, rows, backend_);
  for (std::size_t l = layers_.size(); l-- > 0;) {
    const GridLayer& layer = layers_[l];
    T* d = w.gradient[l].data();
    if (copies()) {
      for_rows(rows, [&](Index i) { collect_backward(w, d + i * layer.out_size(), l, i); });
    }
    activate_backward(d, w.z[l].data(), rows, layer.out_size(), options_.activation);
    const Input in = l == 0 ? first : Input{w.activated[l - 1].data(), layers_[l - 1].out_size()};
    grid_backward(gradient, w.scratch, layer, d, in.x, in.stride, rows, backend_);
    if (l == 0) return;
    grid_input_backward(w.gradient[l - 1].data(), w.scratch, p, layer, d, in.stride, rows,
                        backend_);
  }
}

template class Encoder<float>;
template class Encoder<double>;

}  // namespace hone
