#include "hone/engine/embedding_trainer.h"

#include <algorithm>
#include <cmath>

#include "hone/core/error.h"
#include "hone/engine/embedding_start.h"
#include "hone/engine/flush_denormals.h"
#include "hone/engine/ridge.h"

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
      x_scores_(stack.x_scores()),
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
  gradient_sum_ = AlignedBuffer<float>(std::size_t(batch_rows_ * embedding_.feature_stride()));
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

void EmbeddingTrainer::start_estimates(const TrainingData& data, MatrixView<const float> theta,
                                       Index batch_size) {
  const Index columns = data.x.cols();
  const std::vector<char> used = embedding_.options().estimated_columns();
  SegmentReader reader(data.x, x_scores_, batch_size, data.segment_bytes);
  Matrix<float> weights;
  if (data.x.random() || std::ranges::count(used, char(1)) > kMostRidgeColumns) {
    weights = linear_start(reader, columns, theta, data.training, data.x.random(),
                           kFirstRealisationOfStart);
  } else {
    RidgeFit fit = fit_ridge(reader, used, regression_targets(theta, data.training), data.training);
    weights = std::move(fit.weights);
    left_out_ = std::move(fit.left_out);
  }
  const MatrixView<float> places = embedding_.estimate_weights(parameters_.data());
  HONE_ASSERT(weights.cols() <= places.cols());
  for (Index j = 0; j < columns; ++j) {
    if (used[std::size_t(j)] != 0) std::ranges::copy(weights.row(j), places.row(j).begin());
  }
  forget_past();
}

std::span<const float> EmbeddingTrainer::current() const {
  return average_.size() > 0 ? average_.span() : parameters_;
}

MatrixView<const float> EmbeddingTrainer::forward(const Segment& batch) {
  const MatrixView<const float> features = forward(batch.x, parameters_);
  if (left_out_.rows() == 0) return features;
  const Index stride = embedding_.feature_stride();
  float* first = workspace_.features.data() + embedding_.first_estimate();
  for (Index i = 0; i < batch.x.rows(); ++i) {
    std::ranges::copy(left_out_.row(batch.rows[std::size_t(i)]), first + i * stride);
  }
  return features;
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
  AlignedBuffer<float>& total = gradient_sum_;
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
