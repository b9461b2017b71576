#pragma once

#include <memory>

#include "benchmarks/libtorch_step.h"

namespace hone::bench {

// A flow as the engine trains it (hone/engine/flow_pass.h), written with LibTorch: masked residual
// networks, affine transforms or rational-quadratic splines of all columns at once, maximum
// likelihood by autograd, Adam.
struct LibtorchFlowConfig {
  int columns = 2;  // that the density is of
  int context = 2;  // numbers that it is given
  int transforms = 5;
  int hidden = 50;
  int blocks = 2;
  int knots = 0;  // of the splines; 0: affine transforms
  int batch = 128;
  int threads = 1;  // of torch
};
std::unique_ptr<LibtorchStep> make_libtorch_flow(const LibtorchFlowConfig& config);

}  // namespace hone::bench
