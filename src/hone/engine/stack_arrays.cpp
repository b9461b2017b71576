// NetworkStack to named arrays and back. Layout of the arrays:
//   shape                 every option that decides the parameters' shapes, as numbers
//   components            of the densities: Gaussians or knots; absent for ratios
//   transforms            members in a row that belong to one density; absent: one
//   members               (K, 1 + theta columns): replica, then columns, -1 beyond the last
//   x.mean, x.inverse, theta.mean, theta.inverse
//   x.center, x.softness  only where tails of x are softened
//   encoders              with an embedding by blocks: estimates, then of every block its options
//   traits                1 if the embedding has traits; absent if not
//   embedding.*           without padding, but for zero rows between the channels of a layer
//   <network parameter>   (K, rows, cols) or (K, cols), without padding
#include <algorithm>
#include <cmath>

#include "hone/core/data_kinds.h"
#include "hone/core/error.h"
#include "hone/engine/column_density.h"
#include "hone/engine/stack.h"

namespace hone {
namespace {

constexpr double kFormatVersion = 1;

std::vector<double> shape_numbers(const NetworkOptions& n, const EmbeddingOptions& e) {
  std::vector<double> numbers{kFormatVersion,   double(n.kind),       double(n.hidden),
                              double(n.depth),  double(n.activation), double(n.norm),
                              n.dropout,        double(e.kind),       double(e.features),
                              double(e.kernel), double(e.stride),     double(e.activation)};
  for (const int size : e.hidden) numbers.push_back(size);
  return numbers;
}

// A whole number from a file that must lie in 0 .. limit.
Index whole_number(double value, Index limit, const char* what) {
  if (!(value >= 0 && value <= double(limit)) || value != std::floor(value)) {
    fail(ErrorKind::io,
         "network file: {} = {} is not a whole number in 0 .. {}; the file is "
         "damaged",
         what, value, limit);
  }
  return static_cast<Index>(value);
}
int whole(double value, int limit, const char* what) {
  return static_cast<int>(whole_number(value, limit, what));
}

void read_shape(NetworkOptions& n, EmbeddingOptions& e, std::span<const double> v) {
  if (v.size() < 12 || v[0] != kFormatVersion) {
    fail(ErrorKind::io,
         "network file: format version {} is not {}; it was written by another "
         "version of hone",
         v.empty() ? 0.0 : v[0], kFormatVersion);
  }
  n.kind = static_cast<NetworkKind>(whole(v[1], 1, "kind"));
  n.hidden = whole(v[2], 16384, "hidden");
  n.depth = whole(v[3], 64, "depth");
  n.activation = static_cast<Activation>(whole(v[4], 2, "activation"));
  n.norm = static_cast<Norm>(whole(v[5], 3, "norm"));
  n.dropout = v[6];
  e.kind = static_cast<EmbeddingKind>(whole(v[7], 5, "embedding"));
  if (e.kind == EmbeddingKind::automatic)
    fail(ErrorKind::io, "network file: embedding = automatic; the file is damaged");
  e.features = whole(v[8], 4096, "features");
  e.kernel = whole(v[9], 1 << 20, "kernel");
  e.stride = whole(v[10], 1 << 20, "stride");
  e.activation = static_cast<Activation>(whole(v[11], 2, "embedding activation"));
  for (const double size : v.subspan(12)) e.hidden.push_back(whole(size, 16384, "embedding size"));
  n.validate();
}

// estimates, then for each block: kind, features, kernel, stride, activation, pooled, missing,
// numbers of its shape, these, layers, their channels.
std::vector<double> encoder_numbers(const EmbeddingOptions& e) {
  std::vector<double> numbers{double(e.estimates)};
  for (const EncoderOptions& block : e.blocks) {
    const auto add = [&](auto... values) { (numbers.push_back(double(values)), ...); };
    add(block.kind, block.features, block.kernel, block.stride, block.activation, block.pooled,
        block.missing, block.shape.size());
    for (const Index length : block.shape) add(length);
    add(block.channels.size());
    for (const int channels : block.channels) add(channels);
  }
  return numbers;
}

void read_encoders(EmbeddingOptions& e, std::span<const double> v) {
  std::size_t at = 0;
  const auto next = [&](Index limit, const char* what) {
    if (at >= v.size()) fail(ErrorKind::io, "network file: its encoders end early; it is damaged");
    return whole_number(v[at++], limit, what);
  };
  const Index last_kind = std::ssize(data_kind_names()) - 1;
  e.estimates = static_cast<int>(next(4096, "estimates"));
  while (at < v.size()) {
    EncoderOptions block;
    block.kind = static_cast<DataKind>(next(last_kind, "kind of data"));
    block.features = static_cast<int>(next(4096, "features"));
    block.kernel = static_cast<int>(next(1 << 20, "kernel"));
    block.stride = static_cast<int>(next(1 << 20, "stride"));
    block.activation = static_cast<Activation>(next(2, "activation"));
    block.pooled = next(1, "pooled") != 0;
    block.missing = next(1, "missing") != 0;
    for (Index left = next(3, "shape"); left > 0; --left) {
      block.shape.push_back(next(Index{1} << 32, "shape"));
    }
    for (Index left = next(64, "layers"); left > 0; --left) {
      block.channels.push_back(static_cast<int>(next(16384, "channels")));
    }
    // Refuses a shape that does not belong to the kind.
    [[maybe_unused]] const DataDescription fits(
        {{.name = "x", .kind = block.kind, .shape = block.shape}});
    e.blocks.push_back(std::move(block));
  }
}

bool has_traits(std::span<const NamedArray> arrays) {
  if (std::ranges::find(arrays, "traits", &NamedArray::name) == arrays.end()) return false;
  const auto value = array_values<double>(arrays, "traits", std::vector<Index>{1});
  return whole_number(value[0], 1, "traits") == 1;
}

NamedArray floats(std::string name, std::vector<Index> shape, std::vector<float> values) {
  return {std::move(name), std::move(shape), std::move(values)};
}

std::vector<Index> shape_of(const ParameterBlock& block, Index members) {
  std::vector<Index> shape;
  if (members > 0) shape.push_back(members);
  if (block.rows != 1) shape.push_back(block.rows);
  shape.push_back(block.cols);
  return shape;
}

// Visits a block's values without padding: f(value, position).
template <typename T, typename F>
void for_values(std::span<T> parameters, const ParameterBlock& block, F&& f) {
  for (Index i = 0; i < block.rows * block.cols; ++i) {
    f(parameters[std::size_t(block.offset + i / block.cols * block.stride + i % block.cols)], i);
  }
}

Standardizer read_scores(std::span<const NamedArray> arrays, const std::string& name) {
  const auto mean = array_values<float>(arrays, name + ".mean", std::vector<Index>{-1});
  const auto inverse = array_values<float>(arrays, name + ".inverse",
                                           std::vector<Index>{static_cast<Index>(mean.size())});
  Standardizer scores{{mean.begin(), mean.end()}, {inverse.begin(), inverse.end()}};
  const auto is_softness = [&](const NamedArray& array) {
    return array.name == name + ".softness";
  };
  if (std::ranges::any_of(arrays, is_softness)) {
    const std::vector<Index> shape{scores.cols()};
    const auto center = array_values<float>(arrays, name + ".center", shape);
    const auto softness = array_values<float>(arrays, name + ".softness", shape);
    scores.center = {center.begin(), center.end()};
    scores.softness = {softness.begin(), softness.end()};
  }
  return scores;
}

StackOutputs read_outputs(std::span<const NamedArray> arrays) {
  const auto number = [&](const char* name, Index most, Index absent) {
    if (std::ranges::find(arrays, name, &NamedArray::name) == arrays.end()) return absent;
    const auto value = array_values<double>(arrays, name, std::vector<Index>{1});
    return 1 + whole_number(value[0] - 1, most - 1, name);
  };
  return {.components = number("components", kMostComponents, 0),
          .transforms = number("transforms", kMostTransforms, 1)};
}

std::vector<MemberSpec> read_members(std::span<const NamedArray> arrays, int theta_columns) {
  const auto values = array_values<double>(arrays, "members", std::vector<Index>{-1, -1});
  const Index rows = find_array(arrays, "members").shape[0];
  if (values.empty()) fail(ErrorKind::io, "network file: it has no members");
  const std::size_t cols = values.size() / static_cast<std::size_t>(rows);
  std::vector<MemberSpec> members;
  for (std::size_t at = 0; at < values.size(); at += cols) {
    MemberSpec member{
        .columns = {},
        .replica = std::uint64_t(whole_number(values[at], kLargestReplica, "replica"))};
    for (std::size_t j = at + 1; j < at + cols && values[j] != -1; ++j) {
      member.columns.push_back(whole(values[j], theta_columns - 1, "column"));
    }
    if (member.columns.empty()) {
      fail(ErrorKind::io, "network file: member {} has no columns of theta", members.size());
    }
    members.push_back(std::move(member));
  }
  return members;
}

// Checked before memory is taken for the parameters: a damaged shape can ask for any amount.
void check_blocks(std::span<const NamedArray> arrays, std::span<const ParameterBlock> blocks,
                  Index members) {
  for (const ParameterBlock& block : blocks) {
    array_values<float>(arrays, block.name, shape_of(block, members));
  }
}

void check_shapes(std::span<const NamedArray> arrays, const NetworkOptions& network,
                  const EmbeddingOptions& embedding, std::span<const MemberSpec> members,
                  const StackOutputs& outputs, Index data_size) {
  if (data_size < 1) fail(ErrorKind::io, "network file: x has no columns; the file is damaged");
  Index inputs = data_size;
  if (embedding.kind != EmbeddingKind::none) {
    embedding.validate(data_size);
    check_blocks(arrays, Embedding<float>(data_size, embedding).blocks(), 0);
    inputs = embedding.output_size();
  }
  const NetworkLayout layout(shape_of(network, inputs, members, outputs));
  check_blocks(arrays, layout.blocks, static_cast<Index>(members.size()));
}

}  // namespace

std::vector<NamedArray> NetworkStack::to_arrays() const {
  const NetworkShape& shape = networks_.front()->shape();
  const EmbeddingOptions embedding = embedding_ ? embedding_->options() : EmbeddingOptions{};
  std::vector<NamedArray> arrays;
  auto numbers = shape_numbers(shape.options, embedding);
  arrays.push_back({"shape", {static_cast<Index>(numbers.size())}, std::move(numbers)});
  if (embedding.kind == EmbeddingKind::blocks) {
    auto encoders = encoder_numbers(embedding);
    arrays.push_back({"encoders", {static_cast<Index>(encoders.size())}, std::move(encoders)});
    if (embedding.traits) arrays.push_back({"traits", {1}, std::vector{1.0}});
  }
  if (outputs_.components > 0) {
    arrays.push_back({"components", {1}, std::vector{double(outputs_.components)}});
  }
  if (outputs_.whole_rows()) {
    arrays.push_back({"transforms", {1}, std::vector{double(outputs_.transforms)}});
  }
  const Index cols = 1 + most_columns(members_);
  std::vector<double> members(std::size_t(size() * cols), -1.0);
  for (Index k = 0; k < size(); ++k) {
    members[std::size_t(k * cols)] = static_cast<double>(member(k).replica);
    std::ranges::copy(member(k).columns, members.begin() + k * cols + 1);
  }
  arrays.push_back({"members", {size(), cols}, std::move(members)});
  for (const auto& [name, scores] : {std::pair{"x", &x_scores_}, {"theta", &theta_scores_}}) {
    arrays.push_back(floats(fmt::format("{}.mean", name), {scores->cols()}, scores->mean));
    arrays.push_back(floats(fmt::format("{}.inverse", name), {scores->cols()}, scores->inverse));
    if (scores->softness.empty()) continue;
    arrays.push_back(floats(fmt::format("{}.center", name), {scores->cols()}, scores->center));
    arrays.push_back(floats(fmt::format("{}.softness", name), {scores->cols()}, scores->softness));
  }
  if (embedding_) {
    for (const ParameterBlock& block : embedding_->blocks()) {
      std::vector<float> values(std::size_t(block.rows * block.cols));
      for_values(embedding_parameters(), block,
                 [&](float value, Index i) { values[std::size_t(i)] = value; });
      arrays.push_back(floats(block.name, shape_of(block, 0), std::move(values)));
    }
  }
  for (const ParameterBlock& block : layout().blocks) {
    std::vector<float> values;
    for (Index k = 0; k < size(); ++k) {
      for_values(parameters(k), block, [&](float value, Index) { values.push_back(value); });
    }
    arrays.push_back(floats(block.name, shape_of(block, size()), std::move(values)));
  }
  return arrays;
}

RatioStack RatioStack::from_arrays(std::span<const NamedArray> arrays) {
  NetworkStack stack = stack_from_arrays(arrays);
  if (stack.stack_outputs().components > 0)
    fail(ErrorKind::io, "network file: it holds densities, not ratios");
  return RatioStack(std::move(stack));
}

NetworkStack NetworkStack::stack_from_arrays(std::span<const NamedArray> arrays) {
  NetworkOptions network;
  EmbeddingOptions embedding;
  read_shape(network, embedding, array_values<double>(arrays, "shape", std::vector<Index>{-1}));
  if (embedding.kind == EmbeddingKind::blocks) {
    read_encoders(embedding, array_values<double>(arrays, "encoders", std::vector<Index>{-1}));
    embedding.traits = has_traits(arrays);
  }
  Standardizer theta = read_scores(arrays, "theta");
  std::vector<MemberSpec> members = read_members(arrays, static_cast<int>(theta.cols()));
  Standardizer x = read_scores(arrays, "x");
  const StackOutputs outputs = read_outputs(arrays);
  check_shapes(arrays, network, embedding, members, outputs, x.cols());
  NetworkStack stack(std::move(members), network, outputs, embedding, std::move(x),
                     std::move(theta));
  if (stack.embedding_) {
    for (const ParameterBlock& block : stack.embedding_->blocks()) {
      const auto values = array_values<float>(arrays, block.name, shape_of(block, 0));
      for_values(stack.embedding_parameters(), block,
                 [&](float& value, Index i) { value = values[std::size_t(i)]; });
    }
  }
  for (const ParameterBlock& block : stack.layout().blocks) {
    const auto values = array_values<float>(arrays, block.name, shape_of(block, stack.size()));
    for (Index k = 0; k < stack.size(); ++k) {
      for_values(stack.parameters(k), block, [&](float& value, Index i) {
        value = values[std::size_t(k * block.rows * block.cols + i)];
      });
    }
  }
  return stack;
}

}  // namespace hone
