#pragma once

#include <string>
#include <vector>

#include "hone/core/matrix.h"
#include "hone/core/rng.h"
#include "hone/engine/gemm.h"
#include "hone/engine/network.h"

// A compression x -> features in front of all members of a stack, trained by the sum of their
// losses. Its work on one batch is spread over the threads; every number is summed by one thread in
// a fixed order, so the bits do not depend on how many there are.

namespace hone {

enum class EmbeddingKind { none, linear, mlp, convolution };

struct EmbeddingOptions {
  EmbeddingKind kind = EmbeddingKind::none;
  int features = 10;                         // numbers handed to every member; in 1 .. 4096
  std::vector<int> hidden;                   // mlp: width of each hidden layer
                                             // convolution: channels of each convolution
  int kernel = 5;                            // convolution: length of each filter; >= 1
  int stride = 2;                            // convolution: distance between its positions; >= 1
  Activation activation = Activation::relu;  // between layers; the features themselves are linear

  void validate(Index data_size) const;  // throws Error{input}
  bool operator==(const EmbeddingOptions&) const = default;
};

// out = patches(x) W + b. A dense layer has one patch, the whole row; a 1-d convolution over
// (length, channels) data, channels innermost, has overlapping patches of kernel x channels values,
// `step` values apart, which lie in memory ready for the matrix product.
struct AffineLayout {
  Index patch = 0;                        // inputs of one patch, with the padding between channels
  Index channels = 0, channel_width = 0;  // of the input, without and with padding
  Index positions = 1;                    // patches per row
  Index step = 0;                         // values between the starts of two patches
  Index out = 0;                          // outputs per patch, without padding
  Index weight = 0, bias = 0;  // (patch, padded out) and (padded out) in the parameter vector

  Index out_width() const { return padded(out); }
  Index out_size() const { return positions * out_width(); }  // values of an output row
};

// Weights and bias of a layer in the parameter vector.
struct LayerRange {
  Index begin = 0, size = 0;
  double inputs = 0;  // values that an output is a weighted sum of
};

// Activations of one batch; one per stack.
template <typename T>
struct EmbeddingWorkspace {
  std::vector<AlignedBuffer<T>> z;          // output of each layer before its activation
  std::vector<AlignedBuffer<T>> activated;  // input of each layer but the first
  std::vector<AlignedBuffer<T>> gradient_z;
  std::vector<AlignedBuffer<T>> transposed;
  AlignedBuffer<T> patch_gradient;  // (rows, positions, patch) of the widest convolution
  AlignedBuffer<T> gradient;        // of the parameters
};

template <typename T>
class Embedding {
 public:
  Embedding(Index data_size, const EmbeddingOptions& options,
            GemmBackend backend = best_gemm_backend());

  Index parameters() const { return total_; }
  Index feature_stride() const { return layers_.back().out_size(); }
  const std::vector<ParameterBlock>& blocks() const { return blocks_; }
  const EmbeddingOptions& options() const { return options_; }
  const std::vector<LayerRange>& layers() const { return ranges_; }

  void initialize(T* parameters, Rng rng) const;
  EmbeddingWorkspace<T> make_workspace(Index rows, bool training) const;

  // Features of the batch: (rows, feature_stride()), valid until the next call.
  const T* forward(EmbeddingWorkspace<T>& workspace, const T* parameters, const T* x,
                   Index x_stride, Index rows) const;
  // dfeatures as the features; overwrites (=) workspace.gradient.
  void backward(EmbeddingWorkspace<T>& workspace, const T* parameters, const T* dfeatures,
                const T* x, Index x_stride, Index rows) const;

 private:
  void layer_forward(T* z, const T* parameters, const AffineLayout& layer, const T* x,
                     Index x_stride, Index rows) const;
  void layer_backward(T* dweight, T* dbias, const AffineLayout& layer, const T* dz, const T* x,
                      Index x_stride, Index rows) const;
  void input_backward(EmbeddingWorkspace<T>& workspace, T* dx, const T* parameters,
                      std::size_t layer, const T* dz, Index x_stride, Index rows) const;

  EmbeddingOptions options_;
  Index data_size_;
  GemmBackend backend_;
  const Kernels<T>& k_;
  std::vector<AffineLayout> layers_;
  std::vector<LayerRange> ranges_;
  std::vector<ParameterBlock> blocks_;
  Index total_ = 0;
};

}  // namespace hone
