// Options, parameter layout and initial values of a network; the computation is in network.cpp.
#include <algorithm>
#include <cmath>

#include "hone/core/error.h"
#include "hone/engine/network.h"

namespace hone {

void NetworkOptions::validate() const {
  if (hidden < 1 || hidden > 16384) {
    fail_value("network.hidden", hidden, "must lie in 1 .. 16384");
  }
  if (depth < 1 || depth > 64) {
    fail_value("network.depth", depth, "must lie in 1 .. 64");
  }
  if (!(dropout >= 0 && dropout < 1)) {
    fail_value("network.dropout", dropout, "must lie in [0, 1)");
  }
}

namespace {

std::vector<UnitLayout> make_units(const NetworkOptions& o) {
  std::vector<UnitLayout> units;
  const Norm norm = o.norm == Norm::alternate ? Norm::none : o.norm;
  const UnitLayout hidden{.norm = norm, .activation = o.activation, .dropout = o.dropout};
  if (o.kind == NetworkKind::resnet) {
    for (int block = 0; block < o.depth; ++block) {
      units.push_back(hidden);
      units.back().dropout = 0;  // once per block, before its second layer
      units.push_back(hidden);
      units.back().adds_skip = true;
    }
    units.push_back({.is_output = true});
  } else {
    for (int layer = 1; layer < o.depth; ++layer) units.push_back(hidden);
    units.push_back(hidden);
    units.back().is_output = true;
  }
  if (o.norm == Norm::alternate) units.front().norm = Norm::layer;
  return units;
}

// Hands out consecutive, padded pieces of the parameter vector and remembers their names.
class Allocator {
 public:
  explicit Allocator(std::vector<ParameterBlock>& blocks) : blocks_(blocks) {}
  Index vector(std::string name, Index cols) { return take(std::move(name), 1, 1, cols); }
  // Matrices keep padding rows too: the rows of one layer are the columns of another.
  Index matrix(std::string name, Index rows, Index cols) {
    return take(std::move(name), rows, padded(rows), cols);
  }
  Index next() const { return next_; }

 private:
  Index take(std::string name, Index rows, Index reserved_rows, Index cols) {
    const Index offset = next_, stride = padded(cols);
    next_ += reserved_rows * stride;
    blocks_.push_back({std::move(name), rows, cols, offset, stride});
    return offset;
  }

  std::vector<ParameterBlock>& blocks_;
  Index next_ = 0;
};

}  // namespace

NetworkLayout::NetworkLayout(const NetworkShape& shape)
    : width(padded(shape.options.hidden)),
      output_width(shape.outputs > 1 ? padded(shape.outputs) : 1),
      units(make_units(shape.options)) {
  const Index hidden = shape.options.hidden, outputs = shape.outputs;
  Allocator allocator(blocks);
  weight_x = allocator.matrix("input.weight_x", shape.data_size, hidden);
  weight_theta = allocator.matrix("input.weight_theta", shape.theta_size, hidden);
  input_bias = allocator.vector("input.bias", hidden);
  for (std::size_t i = 0; i < units.size(); ++i) {
    UnitLayout& unit = units[i];
    const std::string name = unit.is_output ? "output" : fmt::format("units.{}", i);
    if (unit.norm != Norm::none) {
      unit.scale = allocator.vector(name + ".norm.scale", hidden);
      unit.shift = allocator.vector(name + ".norm.shift", hidden);
    }
    unit.weight =
        unit.is_output && outputs == 1
            ? allocator.vector(name + ".weight", hidden)
            : allocator.matrix(name + ".weight", hidden, unit.is_output ? outputs : hidden);
    unit.bias = allocator.vector(name + ".bias", unit.is_output ? outputs : hidden);
  }
  if (has_skip()) {
    skip_x = allocator.matrix("output.skip_x", shape.data_size, outputs);
    skip_theta = allocator.matrix("output.skip_theta", shape.theta_size, outputs);
  }
  trained = allocator.next();
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (units[i].norm != Norm::batch) continue;
    const std::string name = units[i].is_output ? "output" : fmt::format("units.{}", i);
    units[i].running_mean = allocator.vector(name + ".norm.running_mean", hidden);
    units[i].running_variance = allocator.vector(name + ".norm.running_variance", hidden);
  }
  total = allocator.next();
  if (shape.options.norm == Norm::alternate && !shape.alternative) units.front().norm = Norm::none;
}

namespace {

template <typename T>
void fill_uniform(T* out, Index rows, Index cols, Index stride, double limit, Rng& rng) {
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) {
      out[i * stride + j] = static_cast<T>(limit * (2 * rng.uniform() - 1));
    }
  }
}

}  // namespace

template <typename T>
void Network<T>::initialize(T* p, Index theta_size, Rng rng) const {
  const Index hidden = shape_.options.hidden, width = layout_.width;
  std::fill(p, p + layout_.total, T(0));
  const double input_limit = 1 / std::sqrt(static_cast<double>(shape_.data_size + theta_size));
  fill_uniform(p + layout_.weight_x, shape_.data_size, hidden, width, input_limit, rng);
  fill_uniform(p + layout_.weight_theta, theta_size, hidden, width, input_limit, rng);
  fill_uniform(p + layout_.input_bias, 1, hidden, width, input_limit, rng);
  // The second layer of a residual block starts near zero, so that the block starts as identity.
  constexpr double kSmall = 1e-3, kSmallOutputs = 0.1;
  const double hidden_limit = 1 / std::sqrt(static_cast<double>(hidden));
  for (const UnitLayout& unit : layout_.units) {
    // Several outputs start near their linear skip, which starts at 0.
    if (unit.is_output && layout_.has_skip()) {
      fill_uniform(p + unit.weight, hidden, shape_.outputs, layout_.output_width,
                   kSmallOutputs * hidden_limit, rng);
      continue;
    }
    const double limit = unit.adds_skip ? kSmall : hidden_limit;
    fill_uniform(p + unit.weight, unit.is_output ? 1 : hidden, hidden, width, limit, rng);
    fill_uniform(p + unit.bias, 1, unit.is_output ? 1 : hidden, width, limit, rng);
    if (unit.norm != Norm::none) std::fill(p + unit.scale, p + unit.scale + hidden, T(1));
    if (unit.norm == Norm::batch) {
      std::fill(p + unit.running_variance, p + unit.running_variance + hidden, T(1));
    }
  }
}

template void Network<float>::initialize(float*, Index, Rng) const;
template void Network<double>::initialize(double*, Index, Rng) const;

}  // namespace hone
