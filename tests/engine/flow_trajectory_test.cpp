// Ten training steps of a flow against numbers frozen from an independent implementation
// (reference/make_flow_trajectory.py).
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "engine/gradient_check.h"
#include "hone/engine/flow_pass.h"
#include "hone/engine/optimizer.h"

namespace hone {
namespace {

using nlohmann::json;

template <typename T>
class FlowReplay {
 public:
  explicit FlowReplay(const std::string& file) : record_(read(file)) {
    const json& o = config_["optimiser"];
    const OptimizerOptions options{.kind = OptimizerKind::adamw,
                                   .learning_rate = o["learning_rate"],
                                   .weight_decay = o["weight_decay"],
                                   .clip_norm = o["clip_norm"]};
    std::vector<FlowTransform<T>> transforms;
    for (Index t = 0; t < size_; ++t) {
      optimizers_.emplace_back(network_.layout().trained, options);
      parameters_.emplace_back(std::size_t(network_.layout().total));
      pointers_.push_back(parameters_.back().data());
      if (t > 0) {
        workspace_.others.emplace_back(network_.layout(), columns_, rows_, rows_, true);
      }
      // The first transform goes forwards, the second backwards; one column has ends at first.
      FlowTransform<T> transform{&network_, {shape_, shape_}, {0, 1}};
      if (t == 0) {
        transform.shapes[0].lower = config_["lower"];
        transform.shapes[0].upper = config_["upper"];
      } else {
        transform.source = {1, 0};
      }
      transforms.push_back(std::move(transform));
    }
    pass_.emplace(std::move(transforms), rows_);
    for_values("initial", [](T& value, double expected) { value = T(expected); });
  }

  double step(std::size_t step) {
    const Index stride = padded(n_x_);
    AlignedBuffer<T> x{std::size_t(rows_ * stride)};
    const std::vector<T> given = record_["x"][step], y = record_["y"][step];
    for (Index i = 0; i < rows_ * n_x_; ++i) {
      x.data()[i / n_x_ * stride + i % n_x_] = given[std::size_t(i)];
    }
    std::ranges::copy(y, pass_->inputs());
    const FlowContext<const T> context{x.data(), stride, rows_};
    const std::vector<std::uint64_t> keys(std::size_t(size_), 0);
    pass_->forward(workspace_, pointers_, keys, context);
    double loss = 0;
    for (const T log : pass_->log_density()) loss -= double(log) / double(rows_);
    const std::vector<T> dlog(std::size_t(rows_), -1 / T(rows_));
    for (Index t = 0; t < size_; ++t) std::ranges::fill(gradient(t).span(), T(0));
    pass_->backward(workspace_, pointers_, dlog.data(), context, {});
    for (Index t = 0; t < size_; ++t) {
      for (std::size_t i = 0; i < mask_.size(); ++i) gradient(t).data()[i] *= mask_.data()[i];
      optimizers_[std::size_t(t)].step(pointers_[std::size_t(t)], gradient(t).data(),
                                       config_["optimiser"]["learning_rate"]);
    }
    return loss;
  }

  double loss(std::size_t step) const { return record_["losses"][step]; }
  double gradient_norm(std::size_t step, Index t) const {
    return record_["gradient_norms"][step][std::size_t(t)];
  }
  double norm(Index t) {
    return std::sqrt(best_kernels<T>().square_norm(gradient(t).data(), Index(gradient(t).size())));
  }
  Index transforms() const { return size_; }
  std::size_t steps() const { return record_["losses"].size(); }
  double worst_difference() {
    double worst = 0;
    for_values("final", [&](T& value, double expected) {
      worst = std::max(worst, std::abs(double(value) - expected));
    });
    return worst;
  }

 private:
  AlignedBuffer<T>& gradient(Index t) {
    return t == 0 ? workspace_.gradient : workspace_.others[std::size_t(t - 1)].gradient;
  }
  template <typename F>
  void for_values(const char* when, F&& f) {
    for (Index t = 0; t < size_; ++t) {
      for (const ParameterBlock& block : network_.layout().blocks) {
        const std::string name = fmt::format("{}/{}", t, block.name);
        const std::vector<double> values = record_[when][name]["values"];
        ASSERT_EQ(Index(values.size()), block.rows * block.cols) << name;
        std::size_t i = 0;
        for (const Index at : test::positions(block)) f(pointers_[std::size_t(t)][at], values[i++]);
      }
    }
  }
  static json read(const std::string& name) {
    std::ifstream file(std::string(HONE_SOURCE_DIR) + "/tests/engine/reference/" + name);
    return json::parse(file);
  }

  json record_, config_ = record_["config"];
  Index rows_ = config_["batch"], n_x_ = config_["n_x"], size_ = config_["transforms"];
  Index columns_ = config_["columns"], components_ = config_["components"];
  Network<T> network_{{.options = {.hidden = config_["hidden"],
                                   .depth = config_["blocks"],
                                   .activation = Activation::silu,
                                   .norm = Norm::none},
                       .data_size = n_x_,
                       .theta_size = columns_,
                       .outputs = 3 * components_ * columns_}};
  DensityShape shape_{
      .form = config_["form"] == "spline" ? DensityForm::spline : DensityForm::mixture,
      .components = components_,
      .stride = network_.layout().output_width};
  AlignedBuffer<T> mask_ =
      flow_mask<T>(network_.layout(), config_["hidden"], columns_, 3 * components_);
  Workspace<T> workspace_{network_.layout(), columns_, rows_, rows_, true};
  std::vector<AlignedBuffer<T>> parameters_;
  std::vector<T*> pointers_;
  std::vector<Optimizer<T>> optimizers_;
  std::optional<FlowPass<T>> pass_;
};

class FlowTrajectory : public testing::TestWithParam<const char*> {};

TEST_P(FlowTrajectory, IsThatOfTheReferenceInDoublePrecision) {
  FlowReplay<double> replay(GetParam());
  for (std::size_t step = 0; step < replay.steps(); ++step) {
    EXPECT_NEAR(replay.step(step), replay.loss(step), 1e-7) << step;
    for (Index t = 0; t < replay.transforms(); ++t) {
      EXPECT_NEAR(replay.norm(t), replay.gradient_norm(step, t), 1e-6) << step << " " << t;
    }
  }
  EXPECT_LT(replay.worst_difference(), 1e-6);
}

TEST_P(FlowTrajectory, IsThatOfTheReferenceInSinglePrecision) {
  FlowReplay<float> replay(GetParam());
  for (std::size_t step = 0; step < replay.steps(); ++step) {
    EXPECT_NEAR(replay.step(step), replay.loss(step), 1e-3) << step;
  }
  EXPECT_LT(replay.worst_difference(), 2e-3);
  // The control: one step too many is another place.
  replay.step(0);
  EXPECT_GT(replay.worst_difference(), 5e-3);
}

INSTANTIATE_TEST_SUITE_P(Forms, FlowTrajectory,
                         testing::Values("mixture_flow_trajectory.json",
                                         "spline_flow_trajectory.json"),
                         [](const auto& file) {
                           const std::string name = file.param;
                           return name.substr(0, name.find('_'));
                         });

}  // namespace
}  // namespace hone
