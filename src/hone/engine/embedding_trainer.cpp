#include "hone/engine/embedding_trainer.h"

#include <algorithm>
#include <cmath>

#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "hone/engine/embedding_start.h"
#include "hone/engine/flush_denormals.h"
#include "hone/engine/ridge.h"
#include "hone/engine/smooth_basis.h"
#include "hone/engine/traits.h"

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

namespace {

// Standard scores of the data, 0 where they are missing, and, behind them, traits: as they are or,
// once there are scores of theirs, as standard scores.
class SeenRows final : public RowSource {
 public:
  SeenRows(const RowSource& x, const Standardizer& scores, const Traits* traits,
           std::span<const float> means = {}, std::span<const float> inverses = {})
      : x_(x), scores_(scores), traits_(traits), means_(means), inverses_(inverses) {}

  Index rows() const override { return x_.rows(); }
  Index cols() const override { return x_.cols() + (traits_ != nullptr ? traits_->size() : 0); }
  bool random() const override { return x_.random(); }
  void read(MatrixView<float> out, std::span<const Index> rows) const override {
    read_realisation(out, rows, 0);
  }
  void read_realisation(MatrixView<float> out, std::span<const Index> rows,
                        std::uint64_t realisation) const override {
    const Index columns = x_.cols();
    const MatrixView<float> data(out.data(), out.rows(), columns, out.stride());
    x_.read_realisation(data, rows, realisation);
    scores_.apply(data, data);
    parallel_for(out.rows(), [&](Index i) {
      for (float& value : data.row(i)) value = std::isfinite(value) ? value : 0.0F;
      if (traits_ == nullptr) return;
      float* traits = out.row(i).data() + columns;
      traits_->compute(traits, out.row(i).data());
      for (std::size_t j = 0; j < means_.size(); ++j) {
        traits[j] = (traits[j] - means_[j]) * inverses_[j];
      }
    });
  }

 private:
  const RowSource& x_;
  const Standardizer& scores_;
  const Traits* traits_;
  std::span<const float> means_, inverses_;
};

Standardizer as_they_are(Index columns) {
  return {std::vector<float>(std::size_t(columns), 0), std::vector<float>(std::size_t(columns), 1)};
}

}  // namespace

void EmbeddingTrainer::fit_trait_scores(const TrainingData& data) {
  const SeenRows seen(data.x, x_scores_, embedding_.traits());
  const Standardizer scores = fit_standardizer(seen, data.training, "x");
  const Index first = data.x.cols();
  const auto copy = [&](std::span<float> to, const std::vector<float>& from) {
    std::copy(from.begin() + first, from.end(), to.begin());
  };
  copy(embedding_.trait_means(parameters_.data()), scores.mean);
  copy(embedding_.trait_inverses(parameters_.data()), scores.inverse);
}

void EmbeddingTrainer::start_estimates(const TrainingData& data, MatrixView<const float> theta) {
  const Traits* traits = embedding_.traits();
  if (traits != nullptr) fit_trait_scores(data);
  if (embedding_.options().estimates > 0) fit_estimates(data, theta);
  forget_past();
}

void EmbeddingTrainer::fit_estimates(const TrainingData& data, MatrixView<const float> theta) {
  const Traits* traits = embedding_.traits();
  const Index others = traits != nullptr ? traits->size() : 0;
  std::vector<char> used = embedding_.options().estimated_columns();
  const Index taking_part = std::ranges::count(used, char(1));
  const auto is_image = [](const EncoderOptions& block) { return block.kind == DataKind::image; };
  const bool image = std::ranges::any_of(embedding_.options().blocks, is_image);
  // Every pixel by itself is more than the weights of an image need.
  const bool plain = !image || taking_part <= kMostFunctions;
  used.resize(used.size() + std::size_t(others), 1);
  Matrix<float> weights;
  if (data.x.random() || (plain && taking_part + others > kMostRidgeColumns)) {
    const SeenRows seen(data.x, x_scores_, nullptr);
    const Standardizer same = as_they_are(data.x.cols());
    const bool gaps = embedding_.has_gaps();  // which count as 0
    SegmentReader reader(gaps ? static_cast<const RowSource&>(seen) : data.x,
                         gaps ? same : x_scores_, batch_rows_, data.segment_bytes);
    weights = linear_start(reader, data.x.cols(), theta, data.training, data.x.random(),
                           kFirstRealisationOfStart);
  } else {
    float* p = parameters_.data();
    const SeenRows seen = others > 0
                              ? SeenRows(data.x, x_scores_, traits, embedding_.trait_means(p),
                                         embedding_.trait_inverses(p))
                              : SeenRows(data.x, x_scores_, nullptr);
    const Standardizer scores = as_they_are(seen.cols());
    SegmentReader reader(seen, scores, batch_rows_, data.segment_bytes);
    RidgeFit fit = fit_ridge(reader, used, regression_targets(theta, data.training), data.training,
                             smooth_bases(embedding_.options(), others), plain);
    weights = std::move(fit.weights);
    left_out_ = std::move(fit.left_out);
  }
  const MatrixView<float> places = embedding_.estimate_weights(parameters_.data());
  HONE_ASSERT(weights.cols() <= places.cols());
  for (Index j = 0; j < weights.rows(); ++j) {
    if (used[std::size_t(j)] != 0) std::ranges::copy(weights.row(j), places.row(j).begin());
  }
}

void EmbeddingTrainer::take_left_out(float* features, Index row) const {
  if (left_out_.rows() == 0) return;
  std::ranges::copy(left_out_.row(row), features + embedding_.first_estimate());
}

Matrix<float> EmbeddingTrainer::feature_table(const TrainingData& data) {
  const Index columns = features_per_row();
  Matrix<float> table(data.x.rows(), columns);
  SegmentReader reader(data.x, x_scores_, batch_rows_, data.segment_bytes);
  const auto fill = [&](std::span<const Index> rows, bool known) {
    reader.for_segments(rows, 0, [&](const Segment& segment) {
      Matrix<float> all = features(segment.x);
      for (Index i = 0; i < all.rows(); ++i) {
        const Index row = segment.rows[std::size_t(i)];
        if (known) take_left_out(all.row(i).data(), row);
        std::copy_n(all.row(i).begin(), columns, table.row(row).begin());
      }
    });
  };
  fill(data.training, true);
  fill(data.validation, false);
  return table;
}

std::span<const float> EmbeddingTrainer::current() const {
  return average_.size() > 0 ? average_.span() : parameters_;
}

MatrixView<const float> EmbeddingTrainer::forward(const Segment& batch) {
  const MatrixView<const float> features = forward(batch.x, parameters_);
  if (left_out_.rows() == 0) return features;
  const Index stride = embedding_.feature_stride();
  for (Index i = 0; i < batch.x.rows(); ++i) {
    take_left_out(workspace_.features.data() + i * stride, batch.rows[std::size_t(i)]);
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
