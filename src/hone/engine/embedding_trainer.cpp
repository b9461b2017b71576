#include "hone/engine/embedding_trainer.h"

#include <algorithm>
#include <cmath>

#include "hone/engine/flush_denormals.h"

namespace hone {

EmbeddingTrainer::EmbeddingTrainer(RatioStack& stack, Index batch_rows,
                                   const OptimizerOptions& options, Rng rng)
    : embedding_(*stack.embedding()),
      parameters_(stack.embedding_parameters()),
      batch_rows_(batch_rows),
      workspace_(embedding_.make_workspace(batch_rows, true)),
      optimizer_(embedding_.parameters(), options),
      best_(parameters_.size()) {
  embedding_.initialize(parameters_.data(), rng);
  keep_as_best();
  for (Index k = 0; k < stack.size(); ++k) {
    member_gradients_.emplace_back(std::size_t(batch_rows * embedding_.feature_stride()));
  }
}

MatrixView<const float> EmbeddingTrainer::forward(MatrixView<const float> x) {
  const float* features =
      embedding_.forward(workspace_, parameters_.data(), x.data(), x.stride(), x.rows());
  return {features, x.rows(), embedding_.feature_stride()};
}

Matrix<float> EmbeddingTrainer::features(MatrixView<const float> x) {
  Matrix<float> result(x.rows(), embedding_.feature_stride());
  for (Index begin = 0; begin < x.rows(); begin += batch_rows_) {
    const Index count = std::min(batch_rows_, x.rows() - begin);
    const MatrixView<const float> part = forward(x.rows(begin, count));
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
  optimizer_.step(parameters_.data(), workspace_.gradient.data(), learning_rate);
}

void EmbeddingTrainer::keep_as_best() {
  std::ranges::copy(parameters_, best_.data());
}
void EmbeddingTrainer::restore_best() {
  std::ranges::copy(best_.span(), parameters_.begin());
}

}  // namespace hone
