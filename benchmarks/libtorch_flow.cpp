#include "benchmarks/libtorch_flow.h"

#include <cmath>
#include <vector>

#include <torch/torch.h>

namespace hone::bench {
namespace {

using torch::Tensor;

constexpr double kLearningRate = 5e-4, kLeast = 1e-3, kHalfLogTwoPi = 0.9189385332046727;
constexpr std::size_t kBatches = 4;  // inputs rotate, so that none is warm in the cache

// out = x (W * mask)^T + b; the mask has the shape of W, or is not there.
struct MaskedLinear {
  Tensor weight, bias, mask;

  MaskedLinear(int in, int out, Tensor allowed)
      : weight((torch::randn({out, in}) / std::sqrt(in)).requires_grad_()),
        bias(torch::zeros({out}).requires_grad_()),
        mask(std::move(allowed)) {}
  Tensor operator()(const Tensor& x) const {
    return torch::linear(x, mask.defined() ? weight * mask : weight, bias);
  }
};

// to[i] >= from[j], or > if strict.
Tensor mask_of(const Tensor& to, const Tensor& from, bool strict) {
  const Tensor a = to.unsqueeze(1), b = from.unsqueeze(0);
  return (strict ? a > b : a >= b).to(torch::kFloat);
}

class MaskedNetwork {
 public:
  explicit MaskedNetwork(const LibtorchFlowConfig& c)
      : MaskedNetwork(c, torch::arange(c.hidden) % c.columns, torch::arange(c.columns),
                      torch::arange(c.columns).repeat_interleave(numbers(c))) {}

  static int numbers(const LibtorchFlowConfig& c) { return c.knots == 0 ? 2 : 3 * c.knots; }

  // (rows, columns, numbers)
  Tensor operator()(const Tensor& context, const Tensor& y) const {
    Tensor z = from_context_(context) + from_columns_(y);
    for (std::size_t i = 0; i < hidden_.size(); i += 2) {
      z = z + hidden_[i + 1](torch::relu(hidden_[i](torch::relu(z))));
    }
    return (output_(z) + skip_context_(context) + skip_columns_(y))
        .view({y.size(0), y.size(1), -1});
  }
  void append_to(std::vector<Tensor>& parameters) const {
    for (const MaskedLinear* layer :
         {&from_context_, &from_columns_, &output_, &skip_context_, &skip_columns_}) {
      parameters.insert(parameters.end(), {layer->weight, layer->bias});
    }
    for (const MaskedLinear& layer : hidden_) {
      parameters.insert(parameters.end(), {layer.weight, layer.bias});
    }
  }

 private:
  MaskedNetwork(const LibtorchFlowConfig& c, const Tensor& degree, const Tensor& column,
                const Tensor& output)
      : from_context_(c.context, c.hidden, {}),
        from_columns_(c.columns, c.hidden, mask_of(degree, column, true)),
        output_(c.hidden, int(output.size(0)), mask_of(output, degree, false)),
        skip_context_(c.context, int(output.size(0)), {}),
        skip_columns_(c.columns, int(output.size(0)), mask_of(output, column, true)) {
    for (int i = 0; i < 2 * c.blocks; ++i) {
      hidden_.emplace_back(c.hidden, c.hidden, mask_of(degree, degree, false));
    }
  }

  MaskedLinear from_context_, from_columns_;
  std::vector<MaskedLinear> hidden_;
  MaskedLinear output_, skip_context_, skip_columns_;
};

struct Transformed {
  Tensor z, log_slope;  // (rows, columns)
};

Transformed affine(const Tensor& numbers, const Tensor& y) {
  const Tensor log_scale = numbers.select(2, 1);
  return {(y - numbers.select(2, 0)) * torch::exp(-log_scale), -log_scale};
}

// Knots from 0 to 1: (.., bins + 1).
Tensor knots_of(const Tensor& logits) {
  const auto bins = double(logits.size(-1));
  const Tensor parts = kLeast + (1 - bins * kLeast) * torch::softmax(logits, -1);
  return torch::constant_pad_nd(torch::cumsum(parts, -1), {1, 0}, 0.0);
}

Transformed spline(const Tensor& numbers, const Tensor& y) {
  const int64_t bins = numbers.size(2) / 3 - 1;
  const Tensor log_scale = numbers.select(2, 1);
  const Tensor t = (y - numbers.select(2, 0)) * torch::exp(-log_scale);
  const Tensor u = (0.5 * (1 + torch::erf(t / std::sqrt(2.0)))).clamp(1e-6, 1 - 1e-6);
  const Tensor left = knots_of(numbers.narrow(2, 2, bins));
  const Tensor bottom = knots_of(numbers.narrow(2, 2 + bins, bins));
  const Tensor slopes = kLeast + torch::softplus(numbers.narrow(2, 2 + 2 * bins, bins + 1));
  const Tensor bin = (u.unsqueeze(2) >= left.narrow(2, 1, bins - 1)).sum(2, true);
  const auto at = [](const Tensor& of, const Tensor& index) {
    return of.gather(2, index).squeeze(2);
  };
  const Tensor width = at(left, bin + 1) - at(left, bin);
  const Tensor height = at(bottom, bin + 1) - at(bottom, bin);
  const Tensor d0 = at(slopes, bin), d1 = at(slopes, bin + 1), delta = height / width;
  const Tensor xi = (u - at(left, bin)) / width, rest = 1 - xi, q = xi * rest;
  const Tensor below = delta + (d0 + d1 - 2 * delta) * q;
  const Tensor p = at(bottom, bin) + height * (delta * xi * xi + d0 * q) / below;
  const Tensor z = std::sqrt(2.0) * torch::erfinv((2 * p - 1).clamp(-0.999999, 0.999999));
  const Tensor steep = d1 * xi * xi + 2 * delta * q + d0 * rest * rest;
  return {
      z, 2 * torch::log(delta / below) + torch::log(steep) - 0.5 * t * t - log_scale + 0.5 * z * z};
}

class FlowStep final : public LibtorchStep {
 public:
  explicit FlowStep(const LibtorchFlowConfig& config) : config_(config) {
    at::set_num_threads(config.threads);
    torch::manual_seed(1);
    std::vector<Tensor> parameters;
    for (int t = 0; t < config.transforms; ++t) {
      networks_.emplace_back(config);
      networks_.back().append_to(parameters);
    }
    for (std::size_t i = 0; i < kBatches; ++i) {
      contexts_.push_back(torch::randn({config.batch, config.context}));
      columns_.push_back(torch::randn({config.batch, config.columns}));
    }
    optimiser_ =
        std::make_unique<torch::optim::Adam>(parameters, torch::optim::AdamOptions(kLearningRate));
  }
  void step() override {
    const std::size_t batch = next_++ % kBatches;
    optimiser_->zero_grad();
    Tensor z = columns_[batch], log = torch::zeros({config_.batch});
    for (const MaskedNetwork& network : networks_) {
      const Tensor numbers = network(contexts_[batch], z);
      const Transformed next = config_.knots == 0 ? affine(numbers, z) : spline(numbers, z);
      log = log + next.log_slope.sum(1);
      z = next.z.flip(1);
    }
    const Tensor loss = (0.5 * z * z + kHalfLogTwoPi).sum(1).sub(log).mean();
    loss.backward();
    optimiser_->step();
    loss_ = loss.detach();
  }
  double loss() const override { return loss_.item<double>(); }
  double operations() const override {
    const double c = config_.context, d = config_.columns, h = config_.hidden;
    const double out = d * MaskedNetwork::numbers(config_);
    const double rest = 2.0 * config_.blocks * h * h + h * out + d * (h + out);
    return 2.0 * config_.batch * config_.transforms * (2 * c * (h + out) + 3 * rest);
  }

 private:
  LibtorchFlowConfig config_;
  std::vector<MaskedNetwork> networks_;
  std::vector<Tensor> contexts_, columns_;
  std::unique_ptr<torch::optim::Adam> optimiser_;
  std::size_t next_ = 0;
  Tensor loss_;
};

}  // namespace

std::unique_ptr<LibtorchStep> make_libtorch_flow(const LibtorchFlowConfig& config) {
  return std::make_unique<FlowStep>(config);
}

}  // namespace hone::bench
