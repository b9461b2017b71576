#pragma once

#include <memory>
#include <string>

namespace hone::bench {

// One full training step of many small ratio networks (draw a prepared batch, forward, NRE-A loss,
// backward by autograd, Adam) as a careful user of LibTorch writes it: the members of a stack side
// by side in one batched matrix product per layer. The measure the engine is compared with.
// Parameters and inputs are random; the arithmetic is that of the engine's own benchmark.
class LibtorchStep {
 public:
  virtual ~LibtorchStep() = default;
  virtual void step() = 0;
  virtual double loss() const = 0;  // of the last step, mean over members

  // Useful floating-point operations of a step: those of its matrix products, forward, for the
  // weights and for the inputs, without the inputs that need no gradient.
  virtual double operations() const = 0;
};

// K ResNets (input layer, pre-activation blocks with batch norm and ReLU, output layer) on the
// columns (x, theta); `batch` joint and as many marginal rows per member.
struct LibtorchResnetConfig {
  int members = 55;
  int hidden = 64;
  int blocks = 2;
  int n_x = 10;
  int n_theta = 1;
  int batch = 128;
  int threads = 0;  // of torch; 0: leave as they are
};
std::unique_ptr<LibtorchStep> make_libtorch_resnets(const LibtorchResnetConfig& config);

// One shared linear embedding of long data rows in front of plain ReLU MLPs without batch norm. The
// embedding sees each of the `batch` data rows once; the heads see it twice, as joint and marginal.
struct LibtorchEmbeddingConfig {
  int heads = 21;
  int data_size = 7497;
  int features = 10;
  int hidden = 256;
  int hidden_layers = 3;
  int n_theta = 1;
  int batch = 128;
  int threads = 0;
};
std::unique_ptr<LibtorchStep> make_libtorch_embedding(const LibtorchEmbeddingConfig& config);

// After a step the threads of OpenMP and OpenBLAS spin for some milliseconds in wait of more work
// and take up to half of the machine from whatever runs next. Sleeps until they have given up: call
// it before measuring anything else.
void settle_libtorch();

// The file that provides LibTorch's matrix products. Debian's LibTorch uses whatever libblas.so.3
// stands for: a comparison is fair only with an optimised one (libopenblas0-pthread), so a
// benchmark must state it.
std::string libtorch_blas();

}  // namespace hone::bench
