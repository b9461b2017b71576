#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hone/core/matrix.h"
#include "hone/core/named_array.h"
#include "hone/core/rng.h"
#include "hone/engine/embedding.h"
#include "hone/engine/network.h"
#include "hone/engine/standardizer.h"

namespace hone {

// Which columns of theta a network sees. Members with the same columns and different replicas form
// an ensemble. Together they name the member's random stream, so a member comes out the same in
// whatever company it is trained.
struct MemberSpec {
  std::vector<int> columns;
  std::uint64_t replica = 0;

  Rng stream(const Rng& root) const;  // the member's own child of `root`
  std::string name() const;           // "0,3 #2"
  bool operator==(const MemberSpec&) const = default;
};

// Numbers up to this survive to_arrays, which holds them as doubles.
inline constexpr Index kLargestReplica = Index{1} << 53;

Index most_columns(std::span<const MemberSpec> members);

// What the networks of a stack say: a ratio, or densities (density_stack.h).
struct StackOutputs {
  Index components = 0;  // of each density; 0: the networks say ratios
  // 1: a member is the density of its last column, given the others. More: so many members in a row
  // are the transforms of a density of all their columns.
  Index transforms = 1;

  bool whole_rows() const { return transforms > 1; }
  // Of `columns` of a member: those that its network sees.
  Index given(Index columns) const {
    return components > 0 && !whole_rows() ? columns - 1 : columns;
  }
};

// Of the networks of a stack (NetworkStack): `inputs` are the numbers that all members see.
NetworkShape shape_of(const NetworkOptions& network, Index inputs,
                      std::span<const MemberSpec> members, const StackOutputs& outputs);

// K trained networks with one layout of parameters on the same x, each on its own columns of theta,
// with the standard scores and the embedding in front of them. Immutable in use; evaluation is
// thread-safe and runs on all threads. RatioStack and DensityStack (density_stack.h) say what the
// networks learn.
class NetworkStack {
 public:
  Index size() const { return static_cast<Index>(members_.size()); }
  const MemberSpec& member(Index k) const { return members_[static_cast<std::size_t>(k)]; }
  std::span<const MemberSpec> members() const { return members_; }
  Index data_size() const { return x_scores_.cols(); }
  const StackOutputs& stack_outputs() const { return outputs_; }
  // Columns of member k that its network sees.
  Index given(Index k) const { return outputs_.given(std::ssize(member(k).columns)); }
  std::size_t bytes_per_member() const;  // of the parameters

  // What the networks see of raw data x (n, data_size): standard scores, or the embedding's
  // features. (n, feature_stride())
  Matrix<float> features(MatrixView<const float> x) const;

  // Everything needed to evaluate again, bit for bit.
  std::vector<NamedArray> to_arrays() const;

  // For the trainer.
  const Network<float>& network(Index k) const;
  const NetworkLayout& layout() const { return networks_.back()->layout(); }
  const Embedding<float>* embedding() const { return embedding_.get(); }
  const Standardizer& x_scores() const { return x_scores_; }
  const Standardizer& theta_scores() const { return theta_scores_; }
  std::span<float> parameters(Index k);
  std::span<const float> parameters(Index k) const;
  std::span<float> embedding_parameters() { return embedding_parameters_.span(); }
  std::span<const float> embedding_parameters() const { return embedding_parameters_.span(); }
  Index feature_stride() const;

 protected:
  NetworkStack(std::vector<MemberSpec> members, const NetworkOptions& network,
               const StackOutputs& outputs, const EmbeddingOptions& embedding, Standardizer x,
               Standardizer theta);
  static NetworkStack stack_from_arrays(std::span<const NamedArray> arrays);

  // Standard scores of columns of the member, as many as `theta` (n, columns) has.
  Matrix<float> standardized_theta(Index k, MatrixView<const float> theta) const;

 private:
  std::vector<MemberSpec> members_;
  StackOutputs outputs_;
  Standardizer x_scores_, theta_scores_;
  std::unique_ptr<Embedding<float>> embedding_;            // null: none
  std::vector<std::unique_ptr<Network<float>>> networks_;  // its kinds; replicas take turns
  AlignedBuffer<float> parameters_;                        // (K, layout.total)
  AlignedBuffer<float> embedding_parameters_;
};

class RatioStack : public NetworkStack {
 public:
  RatioStack(std::vector<MemberSpec> members, const NetworkOptions& network,
             const EmbeddingOptions& embedding, Standardizer x, Standardizer theta);
  static RatioStack from_arrays(std::span<const NamedArray> arrays);  // of to_arrays()

  // out (n, m): log ratio of member k for every row of `features` and every row of theta
  // (m, columns of the member), raw. Many thetas for one x, one grid for many x.
  void log_ratios(MatrixView<float> out, Index k, MatrixView<const float> features,
                  MatrixView<const float> theta) const;
  // out (n, m): log ratio of member k for row i of `features` and m thetas of its own, rows i m ..
  // i m + m - 1 of theta (n m, columns of the member), raw.
  void log_ratio_blocks(MatrixView<float> out, Index k, MatrixView<const float> features,
                        MatrixView<const float> theta) const;
  // out[i]: log ratio of row i of `features` with row i of theta.
  void log_ratio_pairs(std::span<float> out, Index k, MatrixView<const float> features,
                       MatrixView<const float> theta) const;

 private:
  explicit RatioStack(NetworkStack stack) : NetworkStack(std::move(stack)) {}
  void evaluate(MatrixView<float> out, Index k, MatrixView<const float> features,
                MatrixView<const float> theta, Index theta_step) const;
};

}  // namespace hone
