#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hone/core/matrix.h"
#include "hone/core/rng.h"
#include "hone/engine/encoder.h"
#include "hone/engine/gemm.h"
#include "hone/engine/network.h"

// A compression x -> features in front of all members of a stack, trained by the sum of their
// losses. Its work on one batch is spread over the threads; every number is summed by one thread in
// a fixed order, so the bits do not depend on how many there are.

namespace hone {

enum class EmbeddingKind {
  none,
  linear,       // one dense layer
  mlp,          // several
  convolution,  // of the data as one series
  automatic,    // to be chosen by what the data are, before there is an embedding
  blocks        // an encoder for each block of the data, and estimates of the parameters
};

struct EmbeddingOptions {
  EmbeddingKind kind = EmbeddingKind::none;
  int features = 10;                         // numbers handed to every member; in 1 .. 4096
  std::vector<int> hidden;                   // mlp: width of each hidden layer
                                             // convolution: channels of each convolution
  int kernel = 5;                            // convolution: length of each filter; >= 1
  int stride = 2;                            // convolution: distance between its positions; >= 1
  Activation activation = Activation::relu;  // between layers; the features themselves are linear

  // With blocks, instead of all these: an encoder for each, in the order of the data. A vector
  // without features hands its values on as they are; a series or an image without features is seen
  // through the estimates alone.
  std::vector<EncoderOptions> blocks = {};
  // ... and weights (data, estimates) of linear estimates, which are features too and are not
  // trained with the rest (ridge.h). Elements of sets have none.
  int estimates = 0;
  // ... and numbers that are worth knowing of any series and image (traits.h): landmarks are
  // features, and the estimates are made from all of them too.
  bool traits = false;

  Index output_size() const;                    // features in all
  std::vector<char> estimated_columns() const;  // 1 where a column of the data has weights of them
  std::vector<char> may_be_missing() const;     // 1 where a column may be NaN; empty: nowhere
  void validate(Index data_size) const;         // throws Error{input}
  bool operator==(const EmbeddingOptions&) const = default;
};

// Activations of one batch; one per stack.
template <typename T>
struct EmbeddingWorkspace {
  std::vector<EncoderWorkspace<T>> encoders;
  AlignedBuffer<T> seen;               // by the estimates: data, 0 where missing, and traits
  AlignedBuffer<T> features;           // (rows, feature stride)
  AlignedBuffer<T> estimates;          // (rows, padded estimates)
  AlignedBuffer<T> features_gradient;  // of one encoder
  AlignedBuffer<T> gradient;           // of the parameters
};

class Traits;

template <typename T>
class Embedding {
 public:
  Embedding(Index data_size, const EmbeddingOptions& options,
            GemmBackend backend = best_gemm_backend());

  Index parameters() const { return total_; }
  bool has_gaps() const;  // values of some block may be missing
  Index feature_stride() const { return padded(outputs_); }
  const std::vector<ParameterBlock>& blocks() const { return blocks_; }
  const EmbeddingOptions& options() const { return options_; }
  // Of what is trained.
  const std::vector<LayerRange>& layers() const { return ranges_; }

  // Where the estimates are among the features, and the rows of their weights in the parameter
  // vector: row j is that of column j of the data, then of the traits.
  Index first_estimate() const { return outputs_ - options_.estimates; }
  MatrixView<T> estimate_weights(T* parameters) const;
  // Null: none. The traits' means and 1 / standard deviations are in the parameter vector; both are
  // 0 until they are set.
  const Traits* traits() const { return traits_.get(); }
  std::span<T> trait_means(T* parameters) const;
  std::span<T> trait_inverses(T* parameters) const;

  void initialize(T* parameters, Rng rng) const;
  EmbeddingWorkspace<T> make_workspace(Index rows, bool training) const;

  // Features of the batch: (rows, feature_stride()), valid until the next call.
  const T* forward(EmbeddingWorkspace<T>& workspace, const T* parameters, const T* x,
                   Index x_stride, Index rows) const;
  // dfeatures as the features; overwrites (=) workspace.gradient. Estimates get none.
  void backward(EmbeddingWorkspace<T>& workspace, const T* parameters, const T* dfeatures,
                const T* x, Index x_stride, Index rows) const;

 private:
  struct Part {
    Index column = 0, columns = 0;        // of the data
    Index feature = 0, features = 0;      // where its features are
    std::unique_ptr<Encoder<T>> encoder;  // null: the values themselves
  };
  void add_estimates();
  void fill_seen(EmbeddingWorkspace<T>& w, const T* p, const T* x, Index x_stride,
                 Index rows) const;

  EmbeddingOptions options_;
  Index data_size_, outputs_;
  GemmBackend backend_;
  std::vector<Part> parts_;
  std::shared_ptr<const Traits> traits_;
  Index trait_scores_ = 0;  // where their means begin in the parameter vector, then the inverses
  GridLayer estimates_;     // a dense layer without bias
  std::vector<LayerRange> ranges_;
  std::vector<ParameterBlock> blocks_;
  Index total_ = 0;
};

}  // namespace hone
