// The presets: what the paper states, and that the table of options holds every one.
#include "hone/inference/options.h"

#include <cmath>

#include <gtest/gtest.h>

#include "hone/core/error.h"

namespace hone {
namespace {

TEST(Presets, ThePaperPresetIsWhatThePaperStates) {
  const InferenceOptions o = preset("paper");
  EXPECT_EQ(o.network.kind, NetworkKind::resnet);
  EXPECT_EQ(o.network.depth, 2);
  EXPECT_EQ(o.network.hidden, 64);
  EXPECT_EQ(o.network.activation, Activation::relu);
  EXPECT_EQ(o.network.norm, Norm::batch);
  EXPECT_EQ(o.network.dropout, 0);
  EXPECT_EQ(o.embedding.kind, EmbeddingOptions{}.kind);
  EXPECT_EQ(o.training.batch_size, 128);
  EXPECT_EQ(o.minimum_steps, 1);
  EXPECT_EQ(o.training.loss, LossOptions{});
  EXPECT_EQ(o.training.loss.kind, LossKind::nre_a);
  EXPECT_EQ(o.training.optimizer.kind, OptimizerKind::adam);
  EXPECT_EQ(o.training.optimizer.learning_rate, 0.01);
  EXPECT_EQ(o.training.optimizer.weight_decay, 0);
  EXPECT_EQ(o.training.optimizer.clip_norm, 0);
  EXPECT_EQ(o.training.weight_average, 0);
  EXPECT_EQ(o.training.schedule.kind, ScheduleKind::plateau);
  EXPECT_EQ(o.training.schedule.plateau_factor, 0.1);
  EXPECT_EQ(o.training.schedule.plateau_patience, 5);
  EXPECT_EQ(o.training.patience, 20);
  EXPECT_EQ(o.training.max_epochs, 300);
  EXPECT_EQ(o.validation_fraction, 0.1);
  EXPECT_DOUBLE_EQ(o.truncation.epsilon, std::exp(-13.0));
  EXPECT_EQ(o.truncation.padding, 0);
  EXPECT_EQ(o.truncation.gap_width, 1);  // a box: no gap is wider than the axis
  EXPECT_EQ(o.max_rounds, 10);
  EXPECT_EQ(o.stop_ratio, 0.8);
  EXPECT_EQ(o.stop_axis_ratio, 1);
  EXPECT_EQ(o.stop_rounds, 1);
  EXPECT_EQ(o.round_schedule, RoundSchedule::fraction);
  EXPECT_EQ(o.round_fraction, 0.3);
  EXPECT_EQ(o.round_minimum, 1);
  EXPECT_TRUE(o.poisson_counts);
  EXPECT_EQ(o.ensemble, 1);
  EXPECT_EQ(o.round_ensemble, 1);
}

TEST(Presets, AreValidAndSurviveJson) {
  for (const std::string& name : preset_names()) {
    const InferenceOptions options = preset(name);
    EXPECT_NO_THROW(options.validate()) << name;
    EXPECT_EQ(to_json(inference_options_from_json(to_json(options))), to_json(options)) << name;
  }
}

TEST(Presets, OutOfRangeRoundOptionsAreRefused) {
  InferenceOptions options = preset("default");
  for (const char* name : {"stop_rounds", "round_minimum", "minimum_steps"}) {
    InferenceOptions wrong = options;
    set_option(wrong, name, "0");
    EXPECT_THROW(wrong.validate(), Error) << name;
  }
}

}  // namespace
}  // namespace hone
