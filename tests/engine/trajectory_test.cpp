// Ten training steps against numbers frozen from an independent implementation
// (reference/make_trajectory.py).
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "hone/engine/loss.h"
#include "hone/engine/network.h"
#include "hone/engine/optimizer.h"

namespace hone {
namespace {

using nlohmann::json;

json reference(const std::string& name) {
  std::ifstream file(std::string(HONE_SOURCE_DIR) + "/tests/engine/reference/" + name);
  return json::parse(file);
}

NetworkOptions network_options(const json& c) {
  const bool resnet = c["network"] == "resnet";
  return {.kind = resnet ? NetworkKind::resnet : NetworkKind::mlp,
          .hidden = c["hidden"],
          .depth = resnet ? c["blocks"] : c["layers"],
          .activation = c["activation"] == "relu" ? Activation::relu : Activation::silu,
          .norm = c["norm"] == "batch" ? Norm::batch : Norm::layer};
}

LossOptions loss_options(const json& c) {
  if (c["loss"]["kind"] == "nre_a") return {};
  return {.kind = LossKind::nre_c,
          .negatives = c["negatives"],
          .gamma = c["loss"]["gamma"],
          .balance = c["loss"]["balance"]};
}

OptimizerOptions optimizer_options(const json& c) {
  const json& o = c["optimiser"];
  return {.kind = o["kind"] == "adam" ? OptimizerKind::adam : OptimizerKind::adamw,
          .learning_rate = o["learning_rate"],
          .beta1 = o["beta1"],
          .beta2 = o["beta2"],
          .epsilon = o["epsilon"],
          .weight_decay = o["weight_decay"],
          .clip_norm = o["clip_norm"].is_null() ? 0.0 : o["clip_norm"].get<double>()};
}

// The reference numbers the output layer as one more unit.
std::string reference_name(const NetworkLayout& layout, const ParameterBlock& block) {
  if (!block.name.starts_with("output")) return block.name;
  return "units." + std::to_string(layout.units.size() - 1) + block.name.substr(6);
}

template <typename T>
AlignedBuffer<T> padded_rows(const std::vector<double>& values, Index cols) {
  const Index rows = Index(values.size()) / cols;
  AlignedBuffer<T> result{std::size_t(rows * padded(cols))};
  for (Index i = 0; i < rows * cols; ++i) {
    result.data()[i / cols * padded(cols) + i % cols] = T(values[std::size_t(i)]);
  }
  return result;
}

template <typename T>
class Replay {
 public:
  explicit Replay(const std::string& file)
      : record_(reference(file)),
        config_(record_["config"]),
        rows_(config_["batch"]),
        candidates_(1 + config_["negatives"].get<Index>()),
        n_x_(config_["n_x"]),
        n_theta_(config_["n_theta"]),
        network_({network_options(config_), n_x_, n_theta_}),
        workspace_(network_.layout(), n_theta_, rows_ * candidates_, rows_, true),
        parameters_(std::size_t(network_.layout().total)),
        optimizer_(network_.layout().trained, optimizer_options(config_)) {
    for_values([&](T& value, double initial, double) { value = T(initial); });
  }

  double step(std::size_t t) {
    const auto x = padded_rows<T>(record_["x"][t], n_x_);
    const std::vector<T> theta = record_["theta"][t];
    const NetworkBatch<T> batch{x.data(), padded(n_x_), theta.data(), n_theta_, rows_, candidates_};
    network_.forward(workspace_, parameters_.data(), batch, 0);
    const double loss = ratio_loss(workspace_.dlogits.data(), workspace_.logits.data(), rows_,
                                   candidates_, loss_options(config_));
    std::ranges::fill(workspace_.gradient.span(), T(0));
    network_.backward(workspace_, parameters_.data(), batch, nullptr);
    optimizer_.step(parameters_.data(), workspace_.gradient.data(),
                    config_["optimiser"]["learning_rate"]);
    return loss;
  }

  // A batch norm removes whatever a bias in front of it adds. The gradient of that bias is zero but
  // for rounding, which Adam blows up to steps of full length: in single precision such biases and
  // the means that follow them wander, without a meaning.
  bool wanders(const std::string& name) const {
    return sizeof(T) == sizeof(float) && config_["norm"] == "batch" &&
           (name.ends_with("bias") || name.ends_with("running_mean"));
  }

  // f(value, initial, final) for every parameter and running statistic.
  template <typename F>
  void for_values(F&& f, bool all = true) {
    for (const ParameterBlock& block : network_.layout().blocks) {
      const std::string name = reference_name(network_.layout(), block);
      if (!all && wanders(name)) continue;
      const std::vector<double> initial = record_["initial"][name]["values"];
      const std::vector<double> final = record_["final"][name]["values"];
      ASSERT_EQ(Index(initial.size()), block.rows * block.cols) << name;
      for (Index i = 0; i < block.rows * block.cols; ++i) {
        f(parameters_.data()[block.offset + i / block.cols * block.stride + i % block.cols],
          initial[std::size_t(i)], final[std::size_t(i)]);
      }
    }
  }

  void expect_agreement(double tolerance, double evaluation_tolerance) {
    for (std::size_t t = 0; t < record_["losses"].size(); ++t) {
      EXPECT_NEAR(step(t), record_["losses"][t].get<double>(), tolerance) << "step " << t;
    }
    double worst = 0, moved = 0;
    for_values(
        [&](T& value, double initial, double final) {
          worst = std::max(worst, std::abs(double(value) - final));
          moved = std::max(moved, std::abs(double(value) - initial));
        },
        false);
    EXPECT_LT(worst, tolerance);
    EXPECT_GT(moved, 0.01) << "nothing was trained";
    const json& evaluation = record_["evaluation"];
    const auto x = padded_rows<T>(evaluation["x"], n_x_);
    const std::vector<T> theta = evaluation["theta"];
    const std::vector<double> expected = evaluation["log_ratio"];
    const Index rows = Index(expected.size()), width = network_.layout().width;
    AlignedBuffer<T> projected{std::size_t(rows * width)};
    std::vector<T> out(expected.size());
    network_.project_data(projected.data(), x.data(), padded(n_x_), rows, parameters_.data());
    network_.evaluate(workspace_, out.data(), theta.data(), n_theta_, projected.data(), width, rows,
                      parameters_.data());
    for (std::size_t i = 0; i < out.size(); ++i) {
      EXPECT_NEAR(double(out[i]), expected[i], evaluation_tolerance);
    }
  }

 private:
  json record_, config_;
  Index rows_, candidates_, n_x_, n_theta_;
  Network<T> network_;
  Workspace<T> workspace_;
  AlignedBuffer<T> parameters_;
  Optimizer<T> optimizer_;
};

TEST(Trajectory, OfTheResnetIsReproducedInDoublePrecision) {
  Replay<double>("resnet_trajectory.json").expect_agreement(1e-9, 1e-9);
}
TEST(Trajectory, OfTheMlpIsReproducedInDoublePrecision) {
  Replay<double>("mlp_trajectory.json").expect_agreement(1e-9, 1e-9);
}
TEST(Trajectory, OfTheResnetIsReproducedInSinglePrecision) {
  // 0.1: running means lag behind the wandering biases.
  Replay<float>("resnet_trajectory.json").expect_agreement(1e-3, 0.1);
}
TEST(Trajectory, OfTheMlpIsReproducedInSinglePrecision) {
  Replay<float>("mlp_trajectory.json").expect_agreement(1e-3, 1e-3);
}

}  // namespace
}  // namespace hone
