#include "benchmarks/libtorch_step.h"

#include <chrono>
#include <cmath>
#include <filesystem>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <torch/torch.h>

namespace hone::bench {
namespace {

using torch::Tensor;

constexpr double kLearningRate = 0.01;
constexpr double kNormEpsilon = 1e-5;
constexpr double kNormMomentum = 0.1;

// Inputs rotate among this many batches, so that none is warm in the cache.
constexpr std::size_t kBatches = 4;

// Activations are (members, features, rows), weights (members, out, in). With the rows innermost,
// batch norm over the rows of every member and feature is torch's own fused batch norm on
// (1, members * features, rows), without a copy. For K = 55 a whole step takes 90 ms; with
// (members, rows, features) it takes 104 ms with the normalisation written out and 102 ms with
// torch's batch norm on a transposed copy (2 cores, OpenBLAS).
struct Linear {
  Tensor weight;
  Tensor bias;

  Linear(int members, int in, int out)
      : weight((torch::randn({members, out, in}) / std::sqrt(in)).requires_grad_()),
        bias(torch::zeros({members, out, 1}).requires_grad_()) {}
  Tensor operator()(const Tensor& a) const { return torch::baddbmm(bias, weight, a); }
};

struct BatchNorm {
  Tensor scale;
  Tensor shift;
  Tensor running_mean;
  Tensor running_variance;

  BatchNorm(int members, int features)
      : scale(torch::ones({members * features}).requires_grad_()),
        shift(torch::zeros({members * features}).requires_grad_()),
        running_mean(torch::zeros({members * features})),
        running_variance(torch::ones({members * features})) {}
  Tensor operator()(const Tensor& z) const {
    return torch::batch_norm(z.view({1, -1, z.size(2)}), scale, shift, running_mean,
                             running_variance, true, kNormMomentum, kNormEpsilon, false)
        .view(z.sizes());
  }
};

// Sum over members of mean softplus(-f) over joint rows + mean softplus(f) over marginal rows.
// f: (members, 1, 2 * batch), joint rows first
Tensor nre_a(const Tensor& f) {
  const int64_t batch = f.size(2) / 2;
  return (torch::softplus(-f.narrow(2, 0, batch)).sum() +
          torch::softplus(f.narrow(2, batch, batch)).sum()) /
         batch;
}

// Only OpenBLAS has the function; with another BLAS nothing happens.
void set_blas_threads(int threads) {
  using Set = void (*)(int);
  const auto set = reinterpret_cast<Set>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"));
  if (set != nullptr) set(threads);
}

torch::optim::Adam make_adam(const std::vector<Tensor>& parameters) {
  return torch::optim::Adam(parameters, torch::optim::AdamOptions(kLearningRate));
}

void append(std::vector<Tensor>& parameters, const Linear& layer) {
  parameters.insert(parameters.end(), {layer.weight, layer.bias});
}

void append(std::vector<Tensor>& parameters, const BatchNorm& norm) {
  parameters.insert(parameters.end(), {norm.scale, norm.shift});
}

// What both cases share: the loop body around a forward pass.
class Step : public LibtorchStep {
 public:
  void step() override {
    optimiser_->zero_grad();
    const Tensor loss = forward(next_++ % kBatches);
    loss.backward();
    optimiser_->step();
    loss_ = loss.detach();
  }
  double loss() const override { return loss_.item<double>() / members_; }

 protected:
  // OpenBLAS splits a single product among its threads. That pays for the embedding's products; for
  // those of the small networks one thread is faster (K = 55: 90 ms a step against 120 ms).
  Step(int members, int threads, int blas_threads) : members_(members) {
    if (threads > 0) at::set_num_threads(threads);
    set_blas_threads(blas_threads > 0 ? blas_threads : at::get_num_threads());
  }
  void optimise(const std::vector<Tensor>& parameters) {
    optimiser_ = std::make_unique<torch::optim::Adam>(make_adam(parameters));
  }
  virtual Tensor forward(std::size_t batch) = 0;  // sum of the members' losses

 private:
  int members_;
  std::unique_ptr<torch::optim::Adam> optimiser_;
  std::size_t next_ = 0;
  Tensor loss_;
};

class Resnets final : public Step {
 public:
  explicit Resnets(const LibtorchResnetConfig& config)
      : Step(config.members, config.threads, 1),
        config_(config),
        input_(config.members, config.n_x + config.n_theta, config.hidden),
        output_(config.members, config.hidden, 1) {
    std::vector<Tensor> parameters;
    append(parameters, input_);
    append(parameters, output_);
    for (int i = 0; i < 2 * config.blocks; ++i) {
      append(parameters, norms_.emplace_back(config.members, config.hidden));
      append(parameters, linears_.emplace_back(config.members, config.hidden, config.hidden));
    }
    optimise(parameters);
    for (std::size_t i = 0; i < kBatches; ++i) {
      const Tensor x = torch::randn({1, config.n_x, config.batch}).repeat({config.members, 1, 2});
      const Tensor theta = torch::randn({config.members, config.n_theta, 2 * config.batch});
      inputs_.push_back(torch::cat({x, theta}, 1));
    }
  }

  double operations() const override {
    const double inputs = (config_.n_x + config_.n_theta) * config_.hidden;
    const double others = 2.0 * config_.blocks * config_.hidden * config_.hidden + config_.hidden;
    return 2.0 * config_.members * 2.0 * config_.batch * (2 * inputs + 3 * others);
  }

 private:
  Tensor forward(std::size_t batch) override {
    Tensor z = input_(inputs_[batch]);
    for (std::size_t i = 0; i < linears_.size(); i += 2) {
      const Tensor inner = linears_[i](norms_[i](z).relu_());
      z = linears_[i + 1](norms_[i + 1](inner).relu_()) + z;
    }
    return nre_a(output_(z));
  }

  LibtorchResnetConfig config_;
  Linear input_;
  Linear output_;
  std::vector<BatchNorm> norms_;
  std::vector<Linear> linears_;
  std::vector<Tensor> inputs_;  // [batch](members, n_x + n_theta, 2 * batch)
};

class Embedding final : public Step {
 public:
  explicit Embedding(const LibtorchEmbeddingConfig& config)
      : Step(config.heads, config.threads, config.threads),
        config_(config),
        weight_((torch::randn({config.data_size, config.features}) / std::sqrt(config.data_size))
                    .requires_grad_()),
        bias_(torch::zeros({config.features}).requires_grad_()) {
    std::vector<Tensor> parameters = {weight_, bias_};
    int in = config.features + config.n_theta;
    for (int i = 0; i < config.hidden_layers; ++i) {
      append(parameters, linears_.emplace_back(config.heads, in, config.hidden));
      in = config.hidden;
    }
    append(parameters, linears_.emplace_back(config.heads, in, 1));
    optimise(parameters);
    for (std::size_t i = 0; i < kBatches; ++i) {
      data_.push_back(torch::randn({config.batch, config.data_size}));
      theta_.push_back(torch::randn({config.heads, config.n_theta, 2 * config.batch}));
    }
  }

  double operations() const override {
    const double embedding = static_cast<double>(config_.data_size) * config_.features;
    const double features = config_.features * config_.hidden;
    const double theta = config_.n_theta * config_.hidden;
    const double others =
        (config_.hidden_layers - 1.0) * config_.hidden * config_.hidden + config_.hidden;
    const double heads = 2.0 * config_.batch * (3 * features + 2 * theta + 3 * others);
    return 2.0 * (config_.batch * 2 * embedding + config_.heads * heads);
  }

 private:
  Tensor forward(std::size_t batch) override {
    const Tensor features = torch::addmm(bias_, data_[batch], weight_);  // (batch, features)
    const Tensor shared = features.t().repeat({1, 2}).unsqueeze(0).expand({config_.heads, -1, -1});
    Tensor z = linears_[0](torch::cat({shared, theta_[batch]}, 1));
    for (std::size_t i = 1; i < linears_.size(); ++i) z = linears_[i](z.relu_());
    return nre_a(z);
  }

  LibtorchEmbeddingConfig config_;
  Tensor weight_;
  Tensor bias_;
  std::vector<Linear> linears_;
  std::vector<Tensor> data_;   // [batch](batch, data_size)
  std::vector<Tensor> theta_;  // [batch](heads, n_theta, 2 * batch)
};

}  // namespace

std::unique_ptr<LibtorchStep> make_libtorch_resnets(const LibtorchResnetConfig& config) {
  return std::make_unique<Resnets>(config);
}

std::unique_ptr<LibtorchStep> make_libtorch_embedding(const LibtorchEmbeddingConfig& config) {
  return std::make_unique<Embedding>(config);
}

void settle_libtorch() {
  // Measured by the FMA peak that follows: OpenMP's threads are gone after 20 ms; OpenBLAS's can
  // still halve the peak after 60 ms, not after 300 ms.
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
}

std::string libtorch_blas() {
  Dl_info info{};
  void* const product = dlsym(RTLD_DEFAULT, "sgemm_");
  if (product == nullptr || dladdr(product, &info) == 0) return "unknown";
  std::error_code error;
  const auto path = std::filesystem::canonical(info.dli_fname, error);
  return error ? info.dli_fname : path.string();
}

}  // namespace hone::bench
