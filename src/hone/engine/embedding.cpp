#include "hone/engine/embedding.h"

#include <algorithm>
#include <cmath>

#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "hone/engine/flush_denormals.h"

namespace hone {
namespace {

// Rows per task: enough for a good product, few enough that a batch of 128 feeds several threads.
constexpr Index kTaskRows = 16;
// Weight rows per task on the way back: 512 x 16 floats of result stay in L1.
constexpr Index kTaskInputs = 512;

Index blocks_of(Index count, Index block) {
  return (count + block - 1) / block;
}

// The kernels activate through a norm per column. Any array seen as a tall matrix of kLane columns
// has this one.
template <typename T>
struct Trivial {
  Trivial() { std::ranges::fill(ones, T(1)); }
  alignas(kAlignment) T ones[kLane];
  alignas(kAlignment) T zeros[kLane] = {};
  alignas(kAlignment) T unused[2 * kLane] = {};
};

double inputs_of(const AffineLayout& layer) {
  return static_cast<double>(layer.patch / layer.channel_width * layer.channels);
}

std::vector<AffineLayout> make_layers(Index data_size, const EmbeddingOptions& o) {
  std::vector<AffineLayout> layers;
  Index length = data_size, channels = 1, width = 1;
  for (const int size : o.hidden) {
    AffineLayout layer{
        .patch = length * width, .channels = channels, .channel_width = width, .out = size};
    if (o.kind == EmbeddingKind::convolution) {
      layer.patch = o.kernel * width;
      layer.step = o.stride * width;
      layer.positions = (length - o.kernel) / o.stride + 1;
    }
    length = layer.positions;
    channels = layer.out;
    width = layer.out_width();
    layers.push_back(layer);
  }
  layers.push_back(
      {.patch = length * width, .channels = channels, .channel_width = width, .out = o.features});
  return layers;
}

}  // namespace

void EmbeddingOptions::validate(Index data_size) const {
  if (features < 1 || features > 4096) {
    fail_value("embedding.features", features, "must lie in 1 .. 4096");
  }
  const bool wants_hidden = kind == EmbeddingKind::mlp || kind == EmbeddingKind::convolution;
  if (wants_hidden && hidden.empty()) {
    fail_place("embedding.hidden", "it is empty; give the size of at least one layer");
  }
  if (!wants_hidden && !hidden.empty()) {
    fail_place("embedding.hidden", "only an mlp or a convolution has hidden layers");
  }
  for (const int size : hidden) {
    if (size < 1 || size > 16384) {
      fail_value("embedding.hidden", size, "must lie in 1 .. 16384");
    }
  }
  if (kind != EmbeddingKind::convolution) return;
  if (kernel < 1) fail_value("embedding.kernel", kernel, "must be 1 or greater");
  if (stride < 1) fail_value("embedding.stride", stride, "must be 1 or greater");
  Index length = data_size;
  for (std::size_t i = 0; i < hidden.size(); ++i) {
    if (length < kernel) {
      fail_value(
          "embedding.kernel", kernel,
          fmt::format("convolution {} has only {} positions left of {} data values; use a shorter "
                      "kernel, a smaller stride or fewer convolutions",
                      i + 1, length, data_size));
    }
    length = (length - kernel) / stride + 1;
  }
}

template <typename T>
Embedding<T>::Embedding(Index data_size, const EmbeddingOptions& options, GemmBackend backend)
    : options_(options),
      data_size_(data_size),
      backend_(backend),
      k_(best_kernels<T>()),
      layers_(make_layers(data_size, options)) {
  HONE_ASSERT(options.kind != EmbeddingKind::none);
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    AffineLayout& layer = layers_[i];
    const Index width = layer.out_width();
    layer.weight = total_;
    layer.bias = total_ + padded(layer.patch) * width;
    total_ = layer.bias + width;
    ranges_.push_back({layer.weight, total_ - layer.weight, inputs_of(layer)});
    blocks_.push_back(
        {fmt::format("embedding.{}.weight", i), layer.patch, layer.out, layer.weight, width});
    blocks_.push_back({fmt::format("embedding.{}.bias", i), 1, layer.out, layer.bias, width});
  }
}

// Weights of padding channels are zero and stay so: otherwise gradients would reach the layer
// before through them, and its padding would be trained.
template <typename T>
void Embedding<T>::initialize(T* parameters, Rng rng) const {
  std::fill(parameters, parameters + total_, T(0));
  for (const AffineLayout& layer : layers_) {
    const double limit = 1 / std::sqrt(inputs_of(layer));
    const auto fill_row = [&](T* row) {
      for (Index c = 0; c < layer.out; ++c) {
        row[c] = static_cast<T>(limit * (2 * rng.uniform() - 1));
      }
    };
    for (Index r = 0; r < layer.patch; ++r) {
      if (r % layer.channel_width >= layer.channels) continue;
      fill_row(parameters + layer.weight + r * layer.out_width());
    }
    fill_row(parameters + layer.bias);
  }
}

template <typename T>
EmbeddingWorkspace<T> Embedding<T>::make_workspace(Index rows, bool training) const {
  const auto buffer = [](Index size) { return AlignedBuffer<T>(static_cast<std::size_t>(size)); };
  EmbeddingWorkspace<T> w;
  Index patches = 0;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    w.z.push_back(buffer(rows * layers_[i].out_size()));
    w.activated.push_back(buffer(i == 0 ? 0 : rows * layers_[i - 1].out_size()));
    if (!training) continue;
    w.gradient_z.push_back(buffer(rows * layers_[i].out_size()));
    w.transposed.push_back(buffer(i == 0 ? 0 : padded(layers_[i].patch) * layers_[i].out_width()));
    if (i > 0) patches = std::max(patches, layers_[i].positions * padded(layers_[i].patch));
  }
  if (training) {
    w.gradient = buffer(total_);
    w.patch_gradient = buffer(rows * patches);
  }
  return w;
}

// One layer: z = patches(x) W + b. x: (rows, x_stride), z: (rows, positions * out_width)
template <typename T>
void Embedding<T>::layer_forward(T* z, const T* p, const AffineLayout& layer, const T* x,
                                 Index x_stride, Index rows) const {
  const Index width = layer.out_width();
  parallel_for(blocks_of(rows, kTaskRows), [&](Index task) {
    const FlushDenormals flush;
    const Index begin = task * kTaskRows, count = std::min(kTaskRows, rows - begin);
    const auto product = [&](Index at, Index products, Index lda) {
      Gemm<T>({.rows = products,
               .cols = width,
               .inner = layer.patch,
               .lda = lda,
               .ldb = width,
               .ldc = width},
              backend_)(z + at * layer.out_size(), x + at * x_stride, p + layer.weight);
    };
    if (layer.positions == 1) {
      product(begin, count, x_stride);
    } else {
      for (Index i = begin; i < begin + count; ++i) product(i, layer.positions, layer.step);
    }
    k_.finish_linear(z + begin * layer.out_size(), p + layer.bias, nullptr, 0,
                     count * layer.positions, width);
  });
}

// dW += patches(x)^T dz, each task a range of W's rows; db += column sums of dz
template <typename T>
void Embedding<T>::layer_backward(T* dweight, T* dbias, const AffineLayout& layer, const T* dz,
                                  const T* x, Index x_stride, Index rows) const {
  const Index width = layer.out_width();
  parallel_for(blocks_of(layer.patch, kTaskInputs), [&](Index task) {
    const FlushDenormals flush;
    const Index begin = task * kTaskInputs, count = std::min(kTaskInputs, layer.patch - begin);
    const auto outer = [&](Index at, Index products, Index lda) {
      Gemm<T>({.rows = count,
               .cols = width,
               .inner = products,
               .lda = lda,
               .ldb = width,
               .ldc = width,
               .transpose_a = true,
               .accumulate = true},
              backend_)(dweight + begin * width, x + at * x_stride + begin,
                        dz + at * layer.out_size());
    };
    if (layer.positions == 1) {
      outer(0, rows, x_stride);
    } else {
      for (Index i = 0; i < rows; ++i) outer(i, layer.positions, layer.step);
    }
  });
  k_.column_sums(dbias, dz, rows * layer.positions, width);
}

// dx = sum over patches of dz W^T, each added where its patch lies
template <typename T>
void Embedding<T>::input_backward(EmbeddingWorkspace<T>& w, T* dx, const T* p, std::size_t index,
                                  const T* dz, Index x_stride, Index rows) const {
  const AffineLayout& layer = layers_[index];
  const Index width = layer.out_width(), patch = padded(layer.patch);
  T* transposed = w.transposed[index].data();
  k_.transpose(transposed, p + layer.weight, patch, width);
  parallel_for(blocks_of(rows, kTaskRows), [&](Index task) {
    const FlushDenormals flush;
    const Index begin = task * kTaskRows, end = std::min(begin + kTaskRows, rows);
    for (Index i = begin; i < end; ++i) {
      T* patches = w.patch_gradient.data() + i * layer.positions * patch;
      Gemm<T>({.rows = layer.positions,
               .cols = patch,
               .inner = width,
               .lda = width,
               .ldb = patch,
               .ldc = patch},
              backend_)(patches, dz + i * layer.out_size(), transposed);
      T* row = dx + i * x_stride;
      std::fill(row, row + x_stride, T(0));
      for (Index at = 0; at < layer.positions; ++at) {
        for (Index j = 0; j < layer.patch; ++j) row[at * layer.step + j] += patches[at * patch + j];
      }
    }
  });
}

template <typename T>
const T* Embedding<T>::forward(EmbeddingWorkspace<T>& w, const T* p, const T* x, Index x_stride,
                               Index rows) const {
  const Trivial<T> norm;
  layer_forward(w.z[0].data(), p, layers_[0], x, x_stride, rows);
  for (std::size_t i = 1; i < layers_.size(); ++i) {
    const Index size = layers_[i - 1].out_size();
    k_.activate(w.activated[i].data(), w.z[i - 1].data(), norm.ones, norm.zeros, nullptr,
                rows * size / kLane, kLane, options_.activation);
    layer_forward(w.z[i].data(), p, layers_[i], w.activated[i].data(), size, rows);
  }
  return w.z.back().data();
}

template <typename T>
void Embedding<T>::backward(EmbeddingWorkspace<T>& w, const T* p, const T* dfeatures, const T* x,
                            Index x_stride, Index rows) const {
  Trivial<T> norm;
  std::ranges::fill(w.gradient.span(), T(0));
  const T* dz = dfeatures;
  for (std::size_t i = layers_.size() - 1;; --i) {
    const AffineLayout& layer = layers_[i];
    const T* input = i == 0 ? x : w.activated[i].data();
    const Index stride = i == 0 ? x_stride : layers_[i - 1].out_size();
    layer_backward(w.gradient.data() + layer.weight, w.gradient.data() + layer.bias, layer, dz,
                   input, stride, rows);
    if (i == 0) return;
    T* d = w.gradient_z[i - 1].data();
    input_backward(w, d, p, i, dz, stride, rows);
    k_.activate_backward(d, norm.unused, norm.unused + kLane, w.z[i - 1].data(), norm.ones,
                         norm.zeros, norm.zeros, nullptr, rows * stride / kLane, kLane,
                         options_.activation);
    dz = d;
  }
}

template class Embedding<float>;
template class Embedding<double>;

}  // namespace hone
