#include "hone/engine/embedding.h"

#include <algorithm>
#include <cmath>

#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "hone/engine/traits.h"

namespace hone {
namespace {

// The one encoder of the kinds that take the data as one block.
EncoderOptions whole_data(Index data_size, const EmbeddingOptions& o) {
  const bool convolution = o.kind == EmbeddingKind::convolution;
  return {.kind = convolution ? DataKind::series : DataKind::vector,
          .shape = {data_size},
          .channels = o.hidden,
          .kernel = o.kernel,
          .stride = o.stride,
          .features = o.features,
          .activation = o.activation,
          .pooled = false};
}

std::vector<EncoderOptions> encoders_of(Index data_size, const EmbeddingOptions& o) {
  return o.kind == EmbeddingKind::blocks ? o.blocks : std::vector{whole_data(data_size, o)};
}

Index size_of(const EncoderOptions& block) {
  return DataBlock{.name = "", .kind = block.kind, .shape = block.shape}.size();
}

Index features_of(const EncoderOptions& block) {
  if (block.features > 0 || block.kind != DataKind::vector) return block.features;
  return size_of(block) * (block.missing ? 2 : 1);
}

void validate_hidden(const EmbeddingOptions& o) {
  const bool wants = o.kind == EmbeddingKind::mlp || o.kind == EmbeddingKind::convolution;
  if (wants && o.hidden.empty()) {
    fail_place("embedding.hidden", "it is empty; give the size of at least one layer");
  }
  const bool has_none = o.kind == EmbeddingKind::none || o.kind == EmbeddingKind::linear;
  if (has_none && !o.hidden.empty()) {
    fail_place("embedding.hidden", "only an mlp or a convolution has hidden layers");
  }
}

}  // namespace

Index EmbeddingOptions::output_size() const {
  if (kind != EmbeddingKind::blocks) return features;
  Index sum = estimates + (traits ? Traits(*this).landmarks() : 0);
  for (const EncoderOptions& block : blocks) sum += features_of(block);
  return sum;
}

std::vector<char> EmbeddingOptions::estimated_columns() const {
  std::vector<char> used;
  for (const EncoderOptions& block : blocks) {
    used.resize(used.size() + std::size_t(size_of(block)), block.kind != DataKind::set ? 1 : 0);
  }
  return used;
}

std::vector<char> EmbeddingOptions::may_be_missing() const {
  std::vector<char> columns;
  if (std::ranges::none_of(blocks, &EncoderOptions::missing)) return columns;
  for (const EncoderOptions& block : blocks) {
    columns.resize(columns.size() + std::size_t(size_of(block)), block.missing ? 1 : 0);
  }
  return columns;
}

void EmbeddingOptions::validate(Index data_size) const {
  validate_hidden(*this);
  if (kind == EmbeddingKind::none || kind == EmbeddingKind::automatic) return;
  Index size = 0;
  for (const EncoderOptions& block : encoders_of(data_size, *this)) {
    const bool no_encoder = block.features == 0 && kind == EmbeddingKind::blocks;
    if (!no_encoder) hone::validate(block, "data values");
    size += size_of(block);
  }
  if (size != data_size) {
    fail(ErrorKind::input, "embedding: its blocks have {} values, the data {}", size, data_size);
  }
  if (estimates < 0 || estimates > 4096 || output_size() > 65536) {
    fail_value("embedding.features", output_size(), "there are too many; must be at most 65536");
  }
}

template <typename T>
Embedding<T>::Embedding(Index data_size, const EmbeddingOptions& options, GemmBackend backend)
    : options_(options), data_size_(data_size), outputs_(options.output_size()), backend_(backend) {
  HONE_ASSERT(options.kind != EmbeddingKind::none && options.kind != EmbeddingKind::automatic);
  Index column = 0, feature = 0;
  for (const EncoderOptions& block : encoders_of(data_size, options)) {
    Part part{column, size_of(block), feature, features_of(block), nullptr};
    if (block.features > 0) {
      part.encoder = std::make_unique<Encoder<T>>(block, total_, backend);
      total_ = part.encoder->end();
      const auto name = options.kind == EmbeddingKind::blocks
                            ? fmt::format("embedding.block_{}", parts_.size())
                            : std::string("embedding");
      std::ranges::copy(part.encoder->ranges(), std::back_inserter(ranges_));
      std::ranges::copy(part.encoder->blocks(name), std::back_inserter(blocks_));
    }
    column += part.columns;
    feature += part.features;
    parts_.push_back(std::move(part));
  }
  add_estimates();
}

template <typename T>
void Embedding<T>::add_estimates() {
  if (options_.traits) traits_ = std::make_shared<const Traits>(options_);
  const Index traits = traits_ ? traits_->size() : 0, seen = data_size_ + traits;
  if (options_.estimates > 0) {
    estimates_ = {.width = seen,
                  .kernel_width = seen,
                  .out = options_.estimates,
                  .weight = total_,
                  .bias = total_ + padded(seen) * padded(Index{options_.estimates})};
    total_ += estimates_.parameters();
    blocks_.push_back({"embedding.estimates", seen, options_.estimates, estimates_.weight,
                       estimates_.out_width()});
  }
  if (traits == 0) return;
  trait_scores_ = total_;
  for (const char* name : {"embedding.traits.mean", "embedding.traits.inverse"}) {
    blocks_.push_back({name, 1, traits, total_, padded(traits)});
    total_ += padded(traits);
  }
}

template <typename T>
std::span<T> Embedding<T>::trait_means(T* parameters) const {
  return {parameters + trait_scores_, std::size_t(traits_->size())};
}
template <typename T>
std::span<T> Embedding<T>::trait_inverses(T* parameters) const {
  return {parameters + trait_scores_ + padded(traits_->size()), std::size_t(traits_->size())};
}

template <typename T>
bool Embedding<T>::has_gaps() const {
  return std::ranges::any_of(options_.blocks, &EncoderOptions::missing);
}

template <typename T>
MatrixView<T> Embedding<T>::estimate_weights(T* parameters) const {
  return {parameters + estimates_.weight, estimates_.width, options_.estimates,
          estimates_.out_width()};
}

template <typename T>
void Embedding<T>::initialize(T* parameters, Rng rng) const {
  std::fill(parameters, parameters + total_, T(0));
  const bool wide = options_.kind == EmbeddingKind::blocks;
  for (const Part& part : parts_) {
    if (part.encoder) part.encoder->initialize(parameters, rng, wide);
  }
}

template <typename T>
EmbeddingWorkspace<T> Embedding<T>::make_workspace(Index rows, bool training) const {
  const auto buffer = [](Index size) { return AlignedBuffer<T>(static_cast<std::size_t>(size)); };
  EmbeddingWorkspace<T> w;
  Index widest = 0;
  for (const Part& part : parts_) {
    w.encoders.push_back(part.encoder ? part.encoder->make_workspace(rows, training)
                                      : EncoderWorkspace<T>{});
    if (part.encoder) widest = std::max(widest, part.encoder->feature_stride());
  }
  w.features = buffer(rows * feature_stride());
  if (options_.estimates > 0) w.estimates = buffer(rows * estimates_.out_width());
  if (traits_ || (options_.estimates > 0 && has_gaps())) {
    w.seen = buffer(rows * padded(data_size_ + (traits_ ? traits_->size() : 0)));
  }
  if (training) {
    w.features_gradient = buffer(rows * widest);
    w.gradient = buffer(total_);
  }
  return w;
}

namespace {

// to (rows, to_stride) = columns of from (rows, from_stride)
template <typename T>
void copy_columns(T* to, Index to_stride, const T* from, Index from_stride, Index columns,
                  Index rows) {
  for (Index i = 0; i < rows; ++i) std::copy_n(from + i * from_stride, columns, to + i * to_stride);
}

// Values and, behind them, what is there.
template <typename T>
void copy_with_gaps(T* to, Index to_stride, const T* from, Index from_stride, Index columns,
                    Index rows) {
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < columns; ++j) {
      const T value = from[i * from_stride + j];
      to[i * to_stride + j] = std::isfinite(value) ? value : T(0);
      to[i * to_stride + columns + j] = T(std::isfinite(value) ? 1 : 0);
    }
  }
}

}  // namespace

template <typename T>
const T* Embedding<T>::forward(EmbeddingWorkspace<T>& w, const T* p, const T* x, Index x_stride,
                               Index rows) const {
  const Index stride = feature_stride();
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Part& part = parts_[i];
    if (part.features == 0) continue;
    T* features = w.features.data() + part.feature;
    if (part.encoder) {
      part.encoder->forward(w.encoders[i], p, x + part.column, x_stride, rows);
      copy_columns(features, stride, w.encoders[i].features.data(), part.encoder->feature_stride(),
                   part.features, rows);
    } else if (options_.blocks[i].missing) {
      copy_with_gaps(features, stride, x + part.column, x_stride, part.columns, rows);
    } else {
      copy_columns(features, stride, x + part.column, x_stride, part.columns, rows);
    }
  }
  const T* seen = x;
  Index seen_stride = x_stride;
  if (w.seen.size() > 0) {
    fill_seen(w, p, x, x_stride, rows);
    seen = w.seen.data();
    seen_stride = padded(data_size_ + (traits_ ? traits_->size() : 0));
  }
  if (traits_) {
    const Index count = traits_->landmarks();
    copy_columns(w.features.data() + first_estimate() - count, stride, seen + data_size_,
                 seen_stride, count, rows);
  }
  if (options_.estimates == 0) return w.features.data();
  grid_forward(w.estimates.data(), p, estimates_, seen, seen_stride, rows, backend_);
  copy_columns(w.features.data() + first_estimate(), stride, w.estimates.data(),
               estimates_.out_width(), options_.estimates, rows);
  return w.features.data();
}

template <typename T>
void Embedding<T>::fill_seen(EmbeddingWorkspace<T>& w, const T* p, const T* x, Index x_stride,
                             Index rows) const {
  const Index traits = traits_ ? traits_->size() : 0, stride = padded(data_size_ + traits);
  const T *means = p + trait_scores_, *inverses = means + padded(traits);
  parallel_for(rows, [&](Index i) {
    const T* from = x + i * x_stride;
    T* to = w.seen.data() + i * stride;
    for (Index j = 0; j < data_size_; ++j) to[j] = std::isfinite(from[j]) ? from[j] : T(0);
    if (!traits_) return;
    traits_->compute(to + data_size_, from);
    for (Index j = 0; j < traits; ++j) {
      to[data_size_ + j] = (to[data_size_ + j] - means[j]) * inverses[j];
    }
  });
}

template <typename T>
void Embedding<T>::backward(EmbeddingWorkspace<T>& w, const T* p, const T* dfeatures, const T* x,
                            Index x_stride, Index rows) const {
  std::ranges::fill(w.gradient.span(), T(0));
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Part& part = parts_[i];
    if (!part.encoder) continue;
    const Index stride = part.encoder->feature_stride();
    std::fill_n(w.features_gradient.data(), rows * stride, T(0));
    copy_columns(w.features_gradient.data(), stride, dfeatures + part.feature, feature_stride(),
                 part.features, rows);
    part.encoder->backward(w.encoders[i], w.gradient.data(), p, w.features_gradient.data(),
                           x + part.column, x_stride, rows);
  }
}

template class Embedding<float>;
template class Embedding<double>;

}  // namespace hone
