#include "hone/metrics/classifier.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "hone/core/error.h"
#include "hone/engine/flush_denormals.h"
#include "hone/engine/optimizer.h"

namespace hone {

void ClassifierOptions::validate() const {
  const auto at_least = [](const char* name, auto value, auto limit) {
    if (!(value >= limit)) {
      fail(ErrorKind::input, "classifier.{} = {}: must be {} or greater", name, value, limit);
    }
  };
  at_least("hidden", hidden, 1);
  at_least("layers", layers, 1);
  at_least("batch_size", batch_size, Index(1));
  at_least("l2", l2, 0.0);
  at_least("tolerance", tolerance, 0.0);
  at_least("patience", patience, 1);
  at_least("max_epochs", max_epochs, 0);
  if (!(learning_rate > 0)) {
    fail(ErrorKind::input, "classifier.learning_rate = {}: must be greater than 0", learning_rate);
  }
}

namespace {

// Sum of the log losses; dlogits is overwritten with the gradient of the mean.
double log_loss(float* dlogits, const float* logits, const float* labels, Index rows) {
  float loss = 0;
  const float weight = 1 / static_cast<float>(rows);
  for (Index i = 0; i < rows; ++i) {
    const float f = logits[i], y = labels[i];
    const float e = std::exp(-std::abs(f));
    loss += std::max(f, 0.0F) - f * y + std::log1p(e);
    const float probability = (f < 0 ? e : 1.0F) / (1 + e);
    dlogits[i] = (probability - y) * weight;
  }
  return static_cast<double>(loss);
}

// The inputs enter as theta of a ratio network that has no x.
class Classifier {
 public:
  Classifier(Index inputs, const ClassifierOptions& options, const Rng& rng)
      : inputs_(inputs),
        options_(options),
        network_({.options = {.kind = NetworkKind::mlp,
                              .hidden = options.hidden,
                              .depth = options.layers,
                              .norm = Norm::none},
                  .data_size = 0,
                  .theta_size = inputs}),
        workspace_(network_.layout(), inputs, std::max(options.batch_size, kRowBlock),
                   options.batch_size, true),
        labels_(static_cast<std::size_t>(options.batch_size)),
        parameters_(static_cast<std::size_t>(network_.layout().total)),
        is_weight_(static_cast<std::size_t>(network_.layout().trained)),
        optimizer_(network_.layout().trained, {}) {
    initialize(rng.child("initial weights"));
  }

  void train(const LabelledRows& rows, Rng rng) {
    std::vector<Index> order(rows.labels.size());
    std::iota(order.begin(), order.end(), Index(0));
    double best = std::numeric_limits<double>::infinity();
    int without_progress = 0;
    for (int epoch = 0; epoch < options_.max_epochs; ++epoch) {
      rng.shuffle(order);
      const double loss = train_epoch(rows, order);
      without_progress = loss > best - options_.tolerance ? without_progress + 1 : 0;
      best = std::min(best, loss);
      if (without_progress > options_.patience) return;
    }
  }

  double accuracy(const LabelledRows& rows) {
    Index correct = 0;
    const Index count = rows.x.rows();
    for (Index begin = 0; begin < count; begin += kRowBlock) {
      const Index n = std::min(kRowBlock, count - begin);
      for (Index i = 0; i < n; ++i) {
        std::ranges::copy(rows.x.row(begin + i), workspace_.theta.data() + i * inputs_);
      }
      network_.evaluate(workspace_, workspace_.logits.data(), workspace_.theta.data(), inputs_,
                        nullptr, 0, n, parameters_.data());
      for (Index i = 0; i < n; ++i) {
        const bool labelled_one = workspace_.logits.data()[i] > 0;
        correct += labelled_one == (rows.labels[static_cast<std::size_t>(begin + i)] > 0.5F);
      }
    }
    return static_cast<double>(correct) / static_cast<double>(count);
  }

 private:
  void initialize(Rng rng) {
    const NetworkLayout& layout = network_.layout();
    const Index hidden = options_.hidden;
    fill_layer(layout.weight_theta, {inputs_, hidden}, layout.input_bias, hidden, rng);
    for (const UnitLayout& unit : layout.units) {
      // The weights of the output layer are stored as one row.
      if (unit.is_output) {
        fill_layer(unit.weight, {1, hidden}, unit.bias, 1, rng);
      } else {
        fill_layer(unit.weight, {hidden, hidden}, unit.bias, hidden, rng);
      }
    }
  }

  struct Shape {
    Index rows, cols;
  };

  // Glorot: weights and biases of a layer uniform in +-sqrt(6 / (fan in + fan out)).
  void fill_layer(Index weight, Shape shape, Index bias, Index biases, Rng& rng) {
    const double limit = std::sqrt(6.0 / static_cast<double>(shape.rows + shape.cols));
    const auto draw = [&] { return static_cast<float>(limit * (2 * rng.uniform() - 1)); };
    for (Index i = 0; i < shape.rows; ++i) {
      for (Index j = 0; j < shape.cols; ++j) {
        const Index at = weight + i * network_.layout().width + j;
        parameters_.data()[at] = draw();
        is_weight_.data()[at] = 1;
      }
    }
    for (Index j = 0; j < biases; ++j) parameters_.data()[bias + j] = draw();
  }

  double train_epoch(const LabelledRows& rows, std::span<const Index> order) {
    double loss = 0;
    const std::size_t batch = static_cast<std::size_t>(options_.batch_size);
    for (std::size_t begin = 0; begin < order.size(); begin += batch) {
      loss += step(rows, order.subspan(begin, std::min(batch, order.size() - begin)));
    }
    return loss / static_cast<double>(order.size());
  }

  // One Adam step; returns the sum of the losses of its rows.
  double step(const LabelledRows& rows, std::span<const Index> batch_rows) {
    Workspace<float>& w = workspace_;
    const Index count = static_cast<Index>(batch_rows.size());
    float* theta = w.theta.data();
    float* label = labels_.data();
    for (const Index row : batch_rows) {
      theta = std::ranges::copy(rows.x.row(row), theta).out;
      *label++ = rows.labels[static_cast<std::size_t>(row)];
    }
    const NetworkBatch<float> batch{
        .theta = w.theta.data(), .theta_size = inputs_, .rows = count, .candidates = 1};
    network_.forward(w, parameters_.data(), batch, 0);
    const double loss = log_loss(w.dlogits.data(), w.logits.data(), labels_.data(), count);
    std::ranges::fill(w.gradient.span(), 0.0F);
    network_.backward(w, parameters_.data(), batch, nullptr);
    const double penalty = add_penalty(w.gradient.data(), count);
    optimizer_.step(parameters_.data(), w.gradient.data(), options_.learning_rate);
    return loss + penalty;
  }

  double add_penalty(float* gradient, Index rows) const {
    const float decay = static_cast<float>(options_.l2 / static_cast<double>(rows));
    float square = 0;
    for (std::size_t i = 0; i < is_weight_.size(); ++i) {
      const float weight = is_weight_.data()[i] * parameters_.data()[i];
      gradient[i] += decay * weight;
      square += weight * weight;
    }
    return 0.5 * options_.l2 * static_cast<double>(square);
  }

  Index inputs_;
  ClassifierOptions options_;
  Network<float> network_;
  Workspace<float> workspace_;
  AlignedBuffer<float> labels_;      // (batch_size)
  AlignedBuffer<float> parameters_;  // (total)
  AlignedBuffer<float> is_weight_;   // (trained): 1 where the penalty acts, else 0
  Optimizer<float> optimizer_;
};

}  // namespace

double held_out_accuracy(const LabelledRows& training, const LabelledRows& held_out,
                         const ClassifierOptions& options, const Rng& rng) {
  options.validate();
  HONE_ASSERT(training.x.rows() > 0 && held_out.x.rows() > 0);
  HONE_ASSERT(training.x.cols() == held_out.x.cols());
  const FlushDenormals flush;
  ClassifierOptions used = options;
  used.batch_size = std::min(options.batch_size, training.x.rows());
  Classifier classifier(training.x.cols(), used, rng);
  classifier.train(training, rng.child("batches"));
  return classifier.accuracy(held_out);
}

}  // namespace hone
