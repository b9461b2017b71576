#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hone/core/data_description.h"
#include "hone/core/rng.h"
#include "hone/engine/grid_layer.h"
#include "hone/engine/network.h"

// The network that compresses one block of the data. All kinds are the same thing:
//
//   layers    patches(x) W + b and an activation, over the places of the block
//   collect   for series and images the last layer place by place, for sets its largest values;
//             for all three the mean of every layer over the places; for series and images also
//             where in the block each channel of every layer is strong (its centroids)
//   readout   a dense layer from what was collected to the features
//
//   vector    dense layers, nothing but the last is collected
//   series    convolutions along the line
//   image     convolutions in the plane
//   set       every element by itself; what is collected does not depend on their order

namespace hone {

struct EncoderOptions {
  DataKind kind = DataKind::vector;
  std::vector<Index> shape;    // as in DataBlock
  std::vector<int> channels;   // of each layer
  int kernel = 5, stride = 2;  // series and image: places that a filter sees, and between filters
  int features = 10;           // that come out
  Activation activation = Activation::silu;
  bool pooled = true;  // false: only the last layer, place by place, is collected
  // NaN means that a value is not there. Every value is then followed by 1 if it is, and is 0 if
  // not; an element of a set without any value is left out, and the number of those that are there
  // is collected too.
  bool missing = false;

  bool operator==(const EncoderOptions&) const = default;
};

// The block as its first layer sees it: (height, width, channels).
GridLayer first_grid(const EncoderOptions& options);

// Weights and bias of a layer in the parameter vector.
struct LayerRange {
  Index begin = 0, size = 0;
  double inputs = 0;  // values that an output is a weighted sum of
};

// Activations of one batch.
template <typename T>
struct EncoderWorkspace {
  AlignedBuffer<T> input;                   // with gaps: values and what is there
  AlignedBuffer<T> weight;                  // set: 1 / elements there, or 0, of each element
  std::vector<AlignedBuffer<T>> z;          // output of each layer before its activation
  std::vector<AlignedBuffer<T>> activated;  // ... and after it
  std::vector<AlignedBuffer<T>> gradient;   // of both in turn
  AlignedBuffer<T> collected, collected_gradient;
  std::vector<std::int32_t> largest;  // set: whose value it is, (rows, channels); -1: no element's
  AlignedBuffer<T> features;          // (rows, padded features)
  GridScratch<T> scratch;
};

template <typename T>
class Encoder {
 public:
  // Its parameters begin at `offset` of the parameter vector that all functions take.
  Encoder(const EncoderOptions& options, Index offset, GemmBackend backend);

  Index data_size() const;            // values of the block
  Index end() const { return end_; }  // of its parameters
  Index feature_stride() const { return readout_.out_width(); }
  // Of all layers, the readout last.
  const std::vector<LayerRange>& ranges() const { return ranges_; }
  std::vector<ParameterBlock> blocks(const std::string& name) const;

  // wide: larger first weights, as several layers need that have no norm.
  void initialize(T* parameters, Rng& rng, bool wide) const;
  EncoderWorkspace<T> make_workspace(Index rows, bool training) const;

  // x: the block's columns of (rows, x_stride). Fills w.features.
  void forward(EncoderWorkspace<T>& w, const T* parameters, const T* x, Index x_stride,
               Index rows) const;
  // dfeatures as w.features. Adds (+=) to the gradient of the parameter vector.
  void backward(EncoderWorkspace<T>& w, T* gradient, const T* parameters, const T* dfeatures,
                const T* x, Index x_stride, Index rows) const;

 private:
  // Where things lie in a row of what is collected; -1: not there.
  struct Places {
    Index last = -1, largest = -1, count = -1;
    std::vector<Index> means;      // of each layer
    std::vector<Index> centroids;  // of each layer; empty for sets
    std::vector<char> used;        // 1 where no padding is
    Index size = 0;
  };
  struct Input {
    const T* x;
    Index stride;
  };

  void add_layers();
  void plan_collection();
  bool copies() const { return options_.pooled && !layers_.empty(); }
  bool is_set() const { return options_.kind == DataKind::set; }
  Input input(EncoderWorkspace<T>& w, const T* x, Index x_stride) const;
  void fill_gaps(EncoderWorkspace<T>& w, const T* x, Index x_stride, Index rows) const;
  void collect(EncoderWorkspace<T>& w, Index row) const;
  void collect_last(EncoderWorkspace<T>& w, Index row) const;
  void collect_backward(EncoderWorkspace<T>& w, T* d, std::size_t layer, Index row) const;
  Input readout_input(EncoderWorkspace<T>& w, const Input& x) const;

  EncoderOptions options_;
  GemmBackend backend_;
  std::vector<GridLayer> layers_;
  GridLayer readout_;
  Places places_;
  std::vector<std::vector<T>> coordinates_;  // of each layer, (moments, positions)
  std::vector<LayerRange> ranges_;
  Index end_ = 0;
};

// Error{input} naming the option for sizes that cannot be.
void validate(const EncoderOptions& options, const std::string& name);

}  // namespace hone
