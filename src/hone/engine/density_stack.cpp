#include "hone/engine/density_stack.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "hone/engine/column_transform.h"
#include "hone/engine/flush_denormals.h"
#include "hone/engine/spline.h"

namespace hone {
namespace {

// Rows per evaluation task: large enough to hide the start of a task, small enough to share out and
// for their outputs to fit into 4 MiB.
Index task_rows(Index output_width) {
  return std::clamp<Index>((Index{1} << 20) / output_width / kRowBlock * kRowBlock, kRowBlock,
                           1024);
}

// All transforms of a flow are of the same columns, each once.
bool are_flows(std::span<const MemberSpec> members, Index transforms) {
  if (std::ssize(members) % transforms != 0) return false;
  for (std::size_t k = 0; k < members.size(); ++k) {
    std::vector<int> own = members[k].columns;
    std::vector<int> first = members[k - k % static_cast<std::size_t>(transforms)].columns;
    std::ranges::sort(own);
    std::ranges::sort(first);
    if (own != first || std::ranges::adjacent_find(own) != own.end()) return false;
  }
  return true;
}

}  // namespace

DensityStack::DensityStack(std::vector<MemberSpec> members, const NetworkOptions& network,
                           DensityForm form, const StackOutputs& outputs,
                           const EmbeddingOptions& embedding, Standardizer context,
                           Standardizer table, ColumnBounds bounds)
    : NetworkStack(std::move(members), network, outputs, embedding, std::move(context),
                   std::move(table)),
      form_(form),
      bounds_(std::move(bounds)) {
  HONE_ASSERT(outputs.components > 0 && std::ssize(bounds_.lower) == theta_scores().cols());
  HONE_ASSERT(!outputs.whole_rows() || are_flows(this->members(), outputs.transforms));
}

DensityShape DensityStack::shape(Index k, Index column) const {
  const std::size_t at = static_cast<std::size_t>(column);
  const auto score = [&](float end) {
    return static_cast<double>((end - theta_scores().mean[at]) * theta_scores().inverse[at]);
  };
  DensityShape shape{
      .form = form_, .components = stack_outputs().components, .stride = layout().output_width};
  if (k % transforms() == 0) {
    shape.lower = score(bounds_.lower[at]);
    shape.upper = score(bounds_.upper[at]);
  }
  return shape;
}

std::span<float> DensityStack::density_parameters(Index i) {
  const std::span<float> first = parameters(i * transforms());
  return {first.data(), first.size() * static_cast<std::size_t>(transforms())};
}

double DensityStack::log_score_slope(Index column) const {
  return std::log(static_cast<double>(theta_scores().inverse[static_cast<std::size_t>(column)]));
}

double DensityStack::log_score_slope(Index column, float value) const {
  const Standardizer& table = theta_scores();
  const auto j = static_cast<std::size_t>(column);
  if (table.softness.empty() || table.softness[j] == 0) return log_score_slope(column);
  const double from_center = static_cast<double>(value - table.center[j]);
  return log_score_slope(column) -
         std::log(std::hypot(static_cast<double>(table.softness[j]), from_center));
}

Matrix<float> DensityStack::scores(MatrixView<const float> table) const {
  Matrix<float> result(table.rows(), table.cols());
  theta_scores().apply(result, table);
  return result;
}

template <typename F>
void DensityStack::for_outputs(Index k, const Rows& rows, F&& f) const {
  HONE_ASSERT(rows.size() == rows.scores.rows() * rows.scores_each);
  const std::vector<int>& columns = member(k).columns;
  const Index inputs = given(k), width = layout().projected_width();
  const Index most = task_rows(layout().output_width);
  const Network<float>& network = this->network(k);
  const float* p = parameters(k).data();
  parallel_for((rows.size() + most - 1) / most, [&](Index task) {
    const FlushDenormals flush;
    const Index begin = task * most, end = std::min(begin + most, rows.size());
    const Index first = begin / rows.contexts_each, last = (end - 1) / rows.contexts_each;
    Workspace<float> workspace(layout(), std::max<Index>(1, inputs), kRowBlock, 0, false);
    Matrix<float> projected(last - first + 1, width), out(end - begin, layout().output_width);
    Matrix<float> given(end - begin, inputs);
    network.project_data(projected.data(), rows.contexts.row(first).data(), rows.contexts.stride(),
                         projected.rows(), p);
    for (Index r = begin; r < end; ++r) {
      const auto row = rows.scores.row(r / rows.scores_each);
      for (Index j = 0; j < inputs; ++j) {
        given(r - begin, j) = row[static_cast<std::size_t>(columns[static_cast<std::size_t>(j)])];
      }
    }
    // Rows of one context share what it contributes.
    const Index step = rows.contexts_each == 1 ? end - begin : rows.contexts_each;
    for (Index at = begin; at < end;) {
      const Index count = std::min(step - at % step * (step == rows.contexts_each), end - at);
      network.evaluate(workspace, out.row(at - begin).data(), given.data() + (at - begin) * inputs,
                       inputs, projected.row(at / rows.contexts_each - first).data(),
                       rows.contexts_each == 1 ? width : 0, count, p);
      at += count;
    }
    f(begin, end - begin, out);
  });
}

Matrix<float> DensityStack::outputs(Index k, const Rows& rows) const {
  Matrix<float> result(rows.size(), layout().output_width);
  for_outputs(k, rows, [&](Index begin, Index count, const Matrix<float>& out) {
    std::copy(out.data(), out.data() + count * out.cols(), result.row(begin).data());
  });
  return result;
}

void DensityStack::add_log_densities(std::span<float> out, Index k, const Rows& rows) const {
  HONE_ASSERT(std::ssize(out) == rows.size());
  if (stack_outputs().whole_rows()) return add_flow_log_densities(out, k, rows);
  const DensityShape shape = this->shape(k);
  const Index column = target(k);
  const auto target_at = [&](Index r) { return rows.scores(r / rows.scores_each, column); };
  if (member(k).columns.size() == 1 && rows.contexts_each > 1) {
    // One density for all rows of a context.
    const Matrix<float> first_scores(rows.contexts.rows(), rows.scores.cols());
    const Matrix<float> densities = outputs(k, {rows.contexts, 1, first_scores, 1});
    parallel_for(rows.contexts.rows(), [&](Index i) {
      const Index begin = i * rows.contexts_each;
      std::vector<float> y(static_cast<std::size_t>(rows.contexts_each)), log(y.size());
      for (std::size_t j = 0; j < y.size(); ++j) y[j] = target_at(begin + static_cast<Index>(j));
      log_densities(log.data(), densities.row(i).data(), y.data(), rows.contexts_each, shape);
      for (std::size_t j = 0; j < y.size(); ++j) out[static_cast<std::size_t>(begin) + j] += log[j];
    });
    return;
  }
  for_outputs(k, rows, [&](Index begin, Index count, const Matrix<float>& densities) {
    std::vector<float> y(static_cast<std::size_t>(count)), log(y.size());
    for (std::size_t j = 0; j < y.size(); ++j) y[j] = target_at(begin + static_cast<Index>(j));
    log_density(log.data(), densities.data(), y.data(), count, shape);
    for (std::size_t j = 0; j < y.size(); ++j) out[static_cast<std::size_t>(begin) + j] += log[j];
  });
}

void DensityStack::add_flow_log_densities(std::span<float> out, Index i, const Rows& rows) const {
  Matrix<float> inputs, transformed(rows.size(), rows.scores.cols());
  Rows now = rows;
  for (Index t = 0; t < transforms(); ++t) {
    const Index k = i * transforms() + t;
    const bool last = t + 1 == transforms();
    for_outputs(k, now, [&](Index begin, Index count, const Matrix<float>& outputs) {
      std::vector<float> y(static_cast<std::size_t>(count)), z(y.size());
      for (Index j = 0; j < std::ssize(member(k).columns); ++j) {
        const Index column = member(k).columns[static_cast<std::size_t>(j)];
        const DensityShape shape = this->shape(k, column);
        for (Index r = 0; r < count; ++r) {
          y[static_cast<std::size_t>(r)] = now.scores((begin + r) / now.scores_each, column);
        }
        transform_forward(last ? nullptr : z.data(), out.data() + begin,
                          outputs.data() + j * 3 * shape.components, y.data(), 1, count, shape);
        for (Index r = 0; r < count && !last; ++r) {
          transformed(begin + r, column) = z[static_cast<std::size_t>(r)];
        }
      }
    });
    inputs = std::exchange(transformed, Matrix<float>(rows.size(), rows.scores.cols()));
    now.scores = inputs;
    now.scores_each = 1;
  }
}

std::vector<NamedArray> DensityStack::to_arrays() const {
  std::vector<NamedArray> arrays = NetworkStack::to_arrays();
  arrays.push_back({"lower", {theta_scores().cols()}, bounds_.lower});
  arrays.push_back({"upper", {theta_scores().cols()}, bounds_.upper});
  // Files from before there were splines say nothing.
  if (form_ == DensityForm::spline) arrays.push_back({"spline", {1}, std::vector{1.0}});
  return arrays;
}

DensityStack DensityStack::from_arrays(std::span<const NamedArray> arrays) {
  NetworkStack stack = stack_from_arrays(arrays);
  const StackOutputs& outputs = stack.stack_outputs();
  if (outputs.components < 1) fail(ErrorKind::io, "network file: it holds ratios, not densities");
  const std::vector<Index> shape{stack.theta_scores().cols()};
  const auto lower = array_values<float>(arrays, "lower", shape);
  const auto upper = array_values<float>(arrays, "upper", shape);
  const bool spline = std::ranges::find(arrays, "spline", &NamedArray::name) != arrays.end();
  if (spline && outputs.components < kFewestKnots) {
    fail(ErrorKind::io, "network file: a spline of one knot; the file is damaged");
  }
  if (outputs.whole_rows() && !are_flows(stack.members(), outputs.transforms)) {
    fail(ErrorKind::io, "network file: transforms of different columns; the file is damaged");
  }
  return {std::move(stack),
          spline ? DensityForm::spline : DensityForm::mixture,
          {{lower.begin(), lower.end()}, {upper.begin(), upper.end()}}};
}

}  // namespace hone
