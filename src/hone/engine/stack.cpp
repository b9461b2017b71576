#include "hone/engine/stack.h"

#include <algorithm>

#include <fmt/ranges.h>

#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "hone/engine/flush_denormals.h"

namespace hone {
namespace {

// Rows per evaluation task: large enough to hide the start of a task, small enough to share out.
constexpr Index kTaskRows = 1024;

}  // namespace

Index most_columns(std::span<const MemberSpec> members) {
  std::size_t largest = 0;
  for (const MemberSpec& member : members) largest = std::max(largest, member.columns.size());
  return static_cast<Index>(largest);
}

NetworkShape shape_of(const NetworkOptions& network, Index inputs,
                      std::span<const MemberSpec> members, const StackOutputs& outputs) {
  const Index columns = most_columns(members);
  const Index numbers = 3 * outputs.components;
  return {.options = network,
          .data_size = inputs,
          .theta_size = outputs.given(columns),
          .outputs = numbers == 0           ? 1
                     : outputs.whole_rows() ? columns * numbers
                                            : numbers};
}

Rng MemberSpec::stream(const Rng& root) const {
  return root.child(fmt::format("member {}", fmt::join(columns, ",")), replica);
}

std::string MemberSpec::name() const {
  return fmt::format("{} #{}", fmt::join(columns, ","), replica);
}

NetworkStack::NetworkStack(std::vector<MemberSpec> members, const NetworkOptions& network,
                           const StackOutputs& outputs, const EmbeddingOptions& embedding,
                           Standardizer x, Standardizer theta)
    : members_(std::move(members)),
      outputs_(outputs),
      x_scores_(std::move(x)),
      theta_scores_(std::move(theta)) {
  Index inputs = x_scores_.cols();
  if (embedding.kind != EmbeddingKind::none) {
    embedding_ = std::make_unique<Embedding<float>>(inputs, embedding);
    embedding_parameters_ = AlignedBuffer<float>(std::size_t(embedding_->parameters()));
    inputs = embedding.output_size();
  }
  NetworkShape shape = shape_of(network, inputs, members_, outputs_);
  networks_.push_back(std::make_unique<Network<float>>(shape));
  if (network.norm == Norm::alternate) {
    shape.alternative = true;
    networks_.push_back(std::make_unique<Network<float>>(shape));
  }
  parameters_ = AlignedBuffer<float>(std::size_t(layout().total * size()));
}

const Network<float>& NetworkStack::network(Index k) const {
  return *networks_[static_cast<std::size_t>(member(k).replica % networks_.size())];
}

std::size_t NetworkStack::bytes_per_member() const {
  return static_cast<std::size_t>(layout().total) * sizeof(float);
}

std::span<float> NetworkStack::parameters(Index k) {
  return parameters_.span().subspan(std::size_t(k * layout().total), std::size_t(layout().total));
}
std::span<const float> NetworkStack::parameters(Index k) const {
  return parameters_.span().subspan(std::size_t(k * layout().total), std::size_t(layout().total));
}

Index NetworkStack::feature_stride() const {
  return embedding_ ? embedding_->feature_stride() : padded(x_scores_.cols());
}

Matrix<float> NetworkStack::features(MatrixView<const float> x) const {
  HONE_ASSERT(x.cols() == data_size());
  const FlushDenormals flush;
  Matrix<float> scores(x.rows(), padded(x.cols()));
  x_scores_.apply(scores, x);
  if (!embedding_) return scores;
  Matrix<float> result(x.rows(), feature_stride());
  // Layers of an encoder hold some 16 numbers for each of the data: 16 MiB of them at a time.
  const Index fitting = (Index{1} << 18) / scores.cols() / 64 * 64;
  const Index chunk = std::min(std::clamp<Index>(fitting, 64, kTaskRows), padded(x.rows()));
  EmbeddingWorkspace<float> workspace = embedding_->make_workspace(chunk, false);
  for (Index begin = 0; begin < x.rows(); begin += chunk) {
    const Index count = std::min(chunk, x.rows() - begin);
    const float* values = embedding_->forward(workspace, embedding_parameters_.data(),
                                              scores.row(begin).data(), scores.cols(), count);
    std::copy(values, values + count * feature_stride(), result.row(begin).data());
  }
  return result;
}

Matrix<float> NetworkStack::standardized_theta(Index k, MatrixView<const float> theta) const {
  const std::vector<int>& columns = member(k).columns;
  HONE_ASSERT(theta.cols() <= static_cast<Index>(columns.size()));
  Matrix<float> scores(theta.rows(), theta.cols());
  for (Index i = 0; i < theta.rows(); ++i) {
    for (Index j = 0; j < theta.cols(); ++j) {
      const std::size_t column = static_cast<std::size_t>(columns[static_cast<std::size_t>(j)]);
      scores(i, j) = (theta(i, j) - theta_scores_.mean[column]) * theta_scores_.inverse[column];
    }
  }
  return scores;
}

RatioStack::RatioStack(std::vector<MemberSpec> members, const NetworkOptions& network,
                       const EmbeddingOptions& embedding, Standardizer x, Standardizer theta)
    : NetworkStack(std::move(members), network, {}, embedding, std::move(x), std::move(theta)) {}

void RatioStack::log_ratios(MatrixView<float> out, Index k, MatrixView<const float> features,
                            MatrixView<const float> theta) const {
  HONE_ASSERT(out.rows() == features.rows() && out.cols() == theta.rows());
  evaluate(out, k, features, theta, 0);
}

void RatioStack::log_ratio_blocks(MatrixView<float> out, Index k, MatrixView<const float> features,
                                  MatrixView<const float> theta) const {
  HONE_ASSERT(out.rows() == features.rows() && out.rows() * out.cols() == theta.rows());
  evaluate(out, k, features, theta, out.cols());
}

// The thetas of row i of `features` begin at row i theta_step.
void RatioStack::evaluate(MatrixView<float> out, Index k, MatrixView<const float> features,
                          MatrixView<const float> theta, Index theta_step) const {
  HONE_ASSERT(theta.cols() == std::ssize(member(k).columns));
  const Matrix<float> scores = standardized_theta(k, theta);
  const Index width = layout().width, theta_size = scores.cols();
  const float* p = parameters(k).data();
  const Network<float>& network = this->network(k);
  Matrix<float> projected(features.rows(), width);
  network.project_data(projected.data(), features.data(), features.stride(), features.rows(), p);
  // A task is a piece of one row of `out`, or several whole rows when they are short.
  const Index piece = std::min(kTaskRows, out.cols());
  const Index pieces = (out.cols() + piece - 1) / std::max<Index>(1, piece);
  const Index rows_per_task = std::max<Index>(1, kTaskRows / std::max<Index>(1, out.cols()));
  const Index row_tasks = (features.rows() + rows_per_task - 1) / rows_per_task;
  parallel_for(row_tasks * pieces, [&](Index task) {
    const FlushDenormals flush;
    Workspace<float> workspace(layout(), theta_size, kRowBlock, 0, false);
    const Index first = task / pieces * rows_per_task, begin = task % pieces * piece;
    const Index count = std::min(piece, out.cols() - begin);
    for (Index i = first; i < std::min(first + rows_per_task, features.rows()); ++i) {
      network.evaluate(workspace, out.row(i).data() + begin,
                       scores.row(i * theta_step + begin).data(), theta_size,
                       projected.row(i).data(), 0, count, p);
    }
  });
}

void RatioStack::log_ratio_pairs(std::span<float> out, Index k, MatrixView<const float> features,
                                 MatrixView<const float> theta) const {
  HONE_ASSERT(features.rows() == theta.rows() && static_cast<Index>(out.size()) == theta.rows());
  HONE_ASSERT(theta.cols() == std::ssize(member(k).columns));
  const Matrix<float> scores = standardized_theta(k, theta);
  const Index width = layout().width;
  const float* p = parameters(k).data();
  const Network<float>& network = this->network(k);
  parallel_for((theta.rows() + kTaskRows - 1) / kTaskRows, [&](Index task) {
    const FlushDenormals flush;
    Workspace<float> workspace(layout(), scores.cols(), kRowBlock, 0, false);
    const Index begin = task * kTaskRows, count = std::min(kTaskRows, theta.rows() - begin);
    Matrix<float> projected(count, width);
    network.project_data(projected.data(), features.row(begin).data(), features.stride(), count, p);
    network.evaluate(workspace, out.data() + begin, scores.row(begin).data(), scores.cols(),
                     projected.data(), width, count, p);
  });
}

}  // namespace hone
