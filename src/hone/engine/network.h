#pragma once

#include <span>
#include <string>
#include <vector>

#include "hone/core/matrix.h"
#include "hone/core/rng.h"
#include "hone/engine/gemm.h"
#include "hone/engine/kernels.h"
#include "hone/engine/workspace.h"

// One network f(x, theta): a ratio network says log p(x | theta) / p(x), a density network the
// numbers of a density (column_density.h).
//
//   z_0     = x W_x + theta W_theta + b                         input layer
//   z_{i+1} = drop(act(norm(z_i))) W_i + b_i [+ z_{i-1}]        unit i, i = 0 .. units - 1
//   f       = act(norm(z_U)) . w + b                            output layer, one output
//   f       = act(norm(z_U)) W + x S_x + theta S_theta + b      several outputs, with a linear skip
//
// A residual block is two units, the second of which adds z_{i-1}; a plain MLP has no such term.
// Forward and backward sweep each unit once over blocks of rows: the norm and activation of a block
// run right before its matrix product and the bias, skip and column sums right after, while the
// block is in L1.

namespace hone {

enum class NetworkKind { resnet, mlp };
enum class Norm {
  none,
  batch,      // over the rows of a batch, before every hidden layer
  layer,      // over the features of a row, before every hidden layer
  alternate,  // layer norm before the first hidden layer in every second network of an ensemble
};

struct NetworkOptions {
  NetworkKind kind = NetworkKind::resnet;
  int hidden = 64;  // features of every hidden layer; in 1 .. 16384
  int depth = 2;    // residual blocks (resnet) or hidden layers (mlp); in 1 .. 64
  Activation activation = Activation::relu;
  Norm norm = Norm::batch;
  double dropout = 0;  // probability to drop a hidden feature in training; in [0, 1)

  void validate() const;  // throws Error{input} naming the field, the value and the limit
  bool operator==(const NetworkOptions&) const = default;
};

struct NetworkShape {
  NetworkOptions options;
  Index data_size = 0;   // columns of x (or features of the embedding); 0: a network of theta alone
  Index theta_size = 0;  // most columns of theta a member may have
  bool alternative = false;  // which of the two kinds of Norm::alternate; same parameter vector
  Index outputs = 1;
};

// A named array inside the parameter vector of a network: element (i, j) at offset + i * stride +
// j.
struct ParameterBlock {
  std::string name;
  Index rows = 0, cols = 0;  // without padding; vectors have rows = 1
  Index offset = 0, stride = 0;
};

// What unit i (or the output layer) does, and where its parameters start.
struct UnitLayout {
  Norm norm = Norm::none;
  Activation activation = Activation::identity;
  double dropout = 0;
  bool adds_skip = false;  // z_{i-1} is added to z_{i+1}
  bool is_output = false;  // maps to the outputs instead of to the hidden features
  Index weight = 0, bias = 0;
  Index scale = 0, shift = 0, running_mean = 0, running_variance = 0;  // only with a norm

  bool takes_z_as_it_is() const {
    return norm == Norm::none && activation == Activation::identity && dropout == 0;
  }
};

// The parameter vector: all trained parameters first, then the running statistics of batch norm.
struct NetworkLayout {
  explicit NetworkLayout(const NetworkShape& shape);

  Index width = 0;         // padded hidden features: the row length of every activation
  Index output_width = 1;  // numbers per row of the output: 1, or padded outputs
  Index weight_x = 0, weight_theta = 0, input_bias = 0;
  Index skip_x = 0, skip_theta = 0;  // (data size, outputs) and (theta size, outputs), if several
  std::vector<UnitLayout> units;     // the last is the output layer
  Index trained = 0;                 // parameters the optimiser moves; a multiple of kLane
  Index total = 0;                   // with running statistics
  std::vector<ParameterBlock> blocks;

  bool has_skip() const { return output_width > 1; }
  // Of what x contributes to a row: x W_x and, with a skip, x S_x behind it.
  Index projected_width() const { return has_skip() ? width + output_width : width; }
};

// x (n, data_size) with rows `x_stride` apart; for each row `candidates` thetas, candidate-major:
// candidate c of row i is theta[(c * n + i) * theta_size ...].
template <typename T>
struct NetworkBatch {
  const T* x = nullptr;
  Index x_stride = 0;
  const T* theta = nullptr;
  Index theta_size = 0;
  Index rows = 0;        // n
  Index candidates = 0;  // 1 + negatives
};

template <typename T>
class Network {
 public:
  explicit Network(const NetworkShape& shape, GemmBackend backend = best_gemm_backend(),
                   const Kernels<T>& kernels = best_kernels<T>());

  const NetworkShape& shape() const { return shape_; }
  const NetworkLayout& layout() const { return layout_; }

  // Fills a parameter vector of layout().total values: linear layers uniform in
  // +-1 / sqrt(inputs), the second layer of a residual block near zero, norms at identity.
  void initialize(T* parameters, Index theta_size, Rng rng) const;

  // Training mode. Outputs of the batch to workspace.logits, (rows, output_width), candidate-major;
  // several outputs go with one candidate. Batch norm uses the statistics of all rows and updates
  // its running ones in `parameters`. `dropout_key` selects the dropout mask of this step.
  void forward(Workspace<T>& workspace, T* parameters, const NetworkBatch<T>& batch,
               std::uint64_t dropout_key) const;
  // After forward, with workspace.dlogits filled: gradients accumulate (+=) in workspace.gradient;
  // dx (n, x_stride) and dtheta (as theta), if not null, are overwritten (=) with the gradients of
  // x and theta.
  void backward(Workspace<T>& workspace, const T* parameters, const NetworkBatch<T>& batch, T* dx,
                T* dtheta = nullptr) const;

  // Evaluation mode (running statistics, no dropout), in two halves so that many thetas share one
  // x. projected (n, projected_width) = x W_x, x S_x
  void project_data(T* projected, const T* x, Index x_stride, Index rows,
                    const T* parameters) const;
  // out (rows, output_width) = f of row i of theta and row i of projected (projected_stride 0: one
  // row for all; null, with stride 0, where data_size is 0).
  void evaluate(Workspace<T>& workspace, T* out, const T* theta, Index theta_size,
                const T* projected, Index projected_stride, Index rows, const T* parameters) const;

 private:
  struct Rows {
    Index begin, count;
  };
  enum class Mode { training, evaluation };
  // The inputs of some rows: theta (count, theta_size), projected (count, projected_width).
  struct Inputs {
    const T* theta;
    Index theta_size;
    const T* projected;
    Index projected_stride;
  };

  void prepare_norm(Workspace<T>& w, const T* parameters, Index unit, Mode mode) const;
  void update_running_statistics(const Workspace<T>& w, T* parameters, Index unit) const;
  void input_rows(Workspace<T>& w, const T* parameters, const Inputs& inputs, Rows rows,
                  Mode mode) const;
  void unit_forward(Workspace<T>& w, const T* parameters, Index unit, Mode mode) const;
  void output_forward(Workspace<T>& w, T* out, const T* parameters, Mode mode) const;
  void outputs_forward(Workspace<T>& w, T* out, const T* parameters, const Inputs& inputs,
                       Mode mode) const;
  void finish_rows(Workspace<T>& w, const T* parameters, Index layer, const T* bias, const T* skip,
                   Index skip_stride, Rows rows, Mode mode) const;
  const T* activate_rows(Workspace<T>& w, const T* parameters, Index unit, Rows rows,
                         Mode mode) const;
  const T* activated_rows(const Workspace<T>& w, Index unit, Rows rows) const;

  void output_backward(Workspace<T>& w, const T* parameters) const;
  void outputs_backward(Workspace<T>& w, const T* parameters, const NetworkBatch<T>& batch) const;
  void skip_backward(Workspace<T>& w, const T* parameters, const NetworkBatch<T>& batch,
                     T* dx) const;
  void unit_backward(Workspace<T>& w, const T* parameters, Index unit) const;
  void input_backward(Workspace<T>& w, const T* parameters, const NetworkBatch<T>& batch,
                      T* dx) const;
  void theta_backward(Workspace<T>& w, const T* parameters, const NetworkBatch<T>& batch,
                      T* dtheta) const;
  void activation_backward_rows(Workspace<T>& w, T* d, const T* parameters, Index unit,
                                Rows rows) const;
  void finish_norm_backward(Workspace<T>& w, const T* parameters, Index unit) const;
  void gradient_rows(Workspace<T>& w, Index layer, T* bias_gradient, Rows rows) const;

  template <typename F>
  void for_row_blocks(Index rows, F&& f) const;
  Gemm<T> plan(Index rows, Index cols, Index inner, Index lda, bool transpose_a) const;
  // out (rows, cols) with rows out_stride apart, = or += x (rows, inner) w (inner, cols)
  void product(T* out, Index out_stride, const T* x, Index x_stride, const T* w, Index rows,
               Index cols, Index inner, bool accumulate) const;

  NetworkShape shape_;
  NetworkLayout layout_;
  GemmBackend backend_;
  const Kernels<T>& k_;
  Gemm<T> block_product_, block_outer_;  // hidden x hidden, for whole blocks
};

}  // namespace hone
