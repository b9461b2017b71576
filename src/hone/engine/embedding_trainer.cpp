#include "hone/engine/embedding_trainer.h"

#include <algorithm>
#include <cmath>

#include "hone/core/error.h"
#include "hone/engine/flush_denormals.h"

namespace hone {
namespace {

// A step of Adam moves every weight by the learning rate, so an output by as much times its inputs:
// wide layers need smaller steps (Yang et al. 2022, "Tensor Programs V").
double rate_share(double inputs, const TrainingOptions& options) {
  const double full = options.embedding_full_rate_inputs;
  return full > 0 ? std::min(1.0, full / inputs) : 1;
}

}  // namespace

EmbeddingTrainer::EmbeddingTrainer(NetworkStack& stack, const TrainingOptions& options, Rng rng)
    : embedding_(*stack.embedding()),
      parameters_(stack.embedding_parameters()),
      batch_rows_(options.batch_size),
      workspace_(embedding_.make_workspace(batch_rows_, true)),
      weight_average_(options.weight_average),
      best_(parameters_.size()) {
  embedding_.initialize(parameters_.data(), rng);
  for (const LayerRange& layer : embedding_.layers()) {
    optimizers_.emplace_back(layer.size, options.optimizer);
    rate_shares_.push_back(rate_share(layer.inputs, options));
  }
  if (weight_average_ > 0) average_ = AlignedBuffer<float>(parameters_.size());
  forget_past();
  for (Index k = 0; k < stack.size(); ++k) {
    member_gradients_.emplace_back(std::size_t(batch_rows_ * embedding_.feature_stride()));
  }
}

void EmbeddingTrainer::forget_past() {
  if (average_.size() > 0) std::ranges::copy(parameters_, average_.data());
  keep_as_best();
}

void EmbeddingTrainer::start_with(const Matrix<float>& weights) {
  const ParameterBlock& block = embedding_.blocks()[0];
  HONE_ASSERT(embedding_.blocks().size() == 2 && block.rows == weights.rows());
  std::ranges::fill(parameters_, 0.0F);
  for (Index j = 0; j < block.rows; ++j) {
    float* row = parameters_.data() + block.offset + j * block.stride;
    std::copy_n(weights.row(j).begin(), std::min(block.cols, weights.cols()), row);
  }
  forget_past();
}

std::span<const float> EmbeddingTrainer::current() const {
  return average_.size() > 0 ? average_.span() : parameters_;
}

MatrixView<const float> EmbeddingTrainer::forward(MatrixView<const float> x) {
  return forward(x, parameters_);
}

MatrixView<const float> EmbeddingTrainer::forward(MatrixView<const float> x,
                                                  std::span<const float> parameters) {
  const float* features =
      embedding_.forward(workspace_, parameters.data(), x.data(), x.stride(), x.rows());
  return {features, x.rows(), embedding_.feature_stride()};
}

Matrix<float> EmbeddingTrainer::features(MatrixView<const float> x) {
  Matrix<float> result(x.rows(), embedding_.feature_stride());
  for (Index begin = 0; begin < x.rows(); begin += batch_rows_) {
    const Index count = std::min(batch_rows_, x.rows() - begin);
    const MatrixView<const float> part = forward(x.rows(begin, count), current());
    std::copy(part.data(), part.data() + count * part.cols(), result.row(begin).data());
  }
  return result;
}

void EmbeddingTrainer::step(MatrixView<const float> x, std::span<const Index> members,
                            double learning_rate) {
  const FlushDenormals flush;
  AlignedBuffer<float>& total = workspace_.gradient_z.back();
  std::ranges::fill(total.span(), 0.0F);
  const Index count = static_cast<Index>(total.size());
  const Kernels<float>& kernels = best_kernels<float>();
  for (const Index k : members) {
    const float* gradient = feature_gradient(k).data();
    if (!std::isfinite(kernels.square_norm(gradient, count))) continue;
    kernels.add(total.data(), gradient, count);
  }
  embedding_.backward(workspace_, parameters_.data(), total.data(), x.data(), x.stride(), x.rows());
  const std::vector<LayerRange>& layers = embedding_.layers();
  for (std::size_t i = 0; i < layers.size(); ++i) {
    optimizers_[i].step(parameters_.data() + layers[i].begin,
                        workspace_.gradient.data() + layers[i].begin,
                        learning_rate * rate_shares_[i]);
  }
  if (average_.size() > 0) {
    kernels.average(average_.data(), parameters_.data(), static_cast<float>(weight_average_),
                    static_cast<Index>(average_.size()));
  }
}

void EmbeddingTrainer::keep_as_best() {
  std::ranges::copy(current(), best_.data());
}
void EmbeddingTrainer::restore_best() {
  std::ranges::copy(best_.span(), parameters_.begin());
}

}  // namespace hone
