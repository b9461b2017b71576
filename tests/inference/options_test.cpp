#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "files/test_files.h"
#include "hone/inference/option_table.h"

namespace hone {
namespace {

using Json = nlohmann::json;

// A value each option may have that neither preset uses, and one it may not.
struct Values {
  Json good, bad;
};
const std::map<std::string, Values> kValues{
    {"method", {"mnre", "tmnr"}},
    {"budget", {1234, 49}},
    {"max_rounds", {7, 0}},
    {"round_schedule", {"growth", "faster"}},
    {"round_fraction", {0.25, 1.5}},
    {"round_minimum", {77, 0}},
    {"round_growth", {1.25, 1}},
    {"round_increment", {17, 0}},
    {"poisson_counts", {true, 1}},
    {"stop_ratio", {0.5, 0}},
    {"stop_axis_ratio", {0.5, 1.01}},
    {"stop_rounds", {3, 0}},
    {"final_fraction", {0.5, 1}},
    {"spend_all", {false, "no"}},
    {"max_failed_fraction", {0.25, -0.1}},
    {"epsilon", {1e-4, 1}},
    {"padding", {0.125, -1}},
    {"padding_rows", {2.5, -1}},
    {"gap_width", {0.125, 2}},
    {"gap_margin", {1.5, -1}},
    {"truncation_grid", {512, 63}},
    {"round_ensemble", {3, 0}},
    {"ensemble", {5, 1001}},
    {"ensemble_rows", {500, -1}},
    {"network", {"mlp", "cnn"}},
    {"hidden", {48, 0}},
    {"depth", {3, 65}},
    {"activation", {"silu", "tanh"}},
    {"norm", {"layer", "group"}},
    {"dropout", {0.125, 1}},
    {"embedding", {"linear", "rnn"}},
    {"embedding_features", {12, 0}},
    {"embedding_hidden", {Json::array({8, 4}), Json::array({4294967297})}},
    {"embedding_kernel", {3, 0}},
    {"embedding_stride", {3, 0}},
    {"embedding_activation", {"silu", 3}},
    {"embedding_full_rate_inputs", {64, -1}},
    {"embedding_start", {"random", "zero"}},
    {"loss", {"nre_c", "bce"}},
    {"negatives", {3, 5000}},
    {"gamma", {2.5, 0}},
    {"balance", {0.5, -1}},
    {"optimizer", {"adam", "sgd"}},
    {"learning_rate", {0.0625, 0}},
    {"weight_decay", {0.5, -1}},
    {"clip_norm", {0.75, -1}},
    {"rate_schedule", {"constant", "step"}},
    {"plateau_factor", {0.25, 1}},
    {"plateau_patience", {9, 0}},
    {"cosine_floor", {0.125, 2}},
    {"batch_size", {96, 1}},
    {"minimum_steps", {4, 0}},
    {"max_epochs", {21, 0}},
    {"patience", {11, 0}},
    {"validation_negatives", {6, 0}},
    {"validation_fraction", {0.2, 1}},
    {"tails", {"soften", 3}},
    {"column_shrinkage", {0.5, -1}},
    {"weight_average", {0.875, 1}},
    {"density", {"spline", "flow"}},
    {"components", {5, 65}},
    {"transforms", {3, 17}},
    {"density_steps", {700, 0}},
    {"density_dropout", {0.125, 1}},
    {"estimators", {"ratio", "all"}},
    {"atoms", {20, 1}},
    {"abc_scale", {"none", "variance"}},
    {"abc_adjust", {false, 1}},
    {"abc_accept_fraction", {0.25, 0}},
    {"abc_accept_minimum", {50, 1}},
    {"abc_population_fraction", {0.25, 0}},
    {"abc_quantile", {0.5, 0}},
    {"abc_kernel_scale", {1.5, 0}},
};

TEST(OptionTable, HasNoOptionThisTestDoesNotKnow) {
  EXPECT_EQ(kValues.size(), option_table().size());
  for (const OptionEntry& entry : option_table()) {
    EXPECT_TRUE(kValues.contains(entry.name)) << entry.name;
    EXPECT_FALSE(entry.help.empty() || entry.values.empty() || entry.group.empty()) << entry.name;
  }
}

TEST(OptionTable, EveryOptionGoesThroughJsonAndText) {
  for (const auto& [name, values] : kValues) {
    InferenceOptions options = preset("default");
    const OptionEntry& entry = find_option(name);
    entry.set(options, values.good);
    EXPECT_EQ(entry.get(options), values.good) << name;
    const auto again = inference_options_from_json(Json::parse(to_json(options).dump()));
    EXPECT_EQ(to_json(again), to_json(options)) << name;

    InferenceOptions from_text = preset("default");
    set_option(from_text, name,
               values.good.is_string() ? values.good.get<std::string>() : values.good.dump());
    EXPECT_EQ(to_json(from_text), to_json(options)) << name;
  }
}

TEST(OptionTable, EveryValueOutOfRangeIsRefusedByName) {
  for (const auto& [name, values] : kValues) {
    const std::string text = error_text(
        [&, option = name, bad = values.bad] {
          InferenceOptions options = preset("default");
          find_option(option).set(options, bad);
          validate(options);
        },
        ErrorKind::input);
    EXPECT_TRUE(text.starts_with(name + " = ")) << name << ": " << text;
  }
}

TEST(OptionTable, AnErrorKnowsItsOption) {
  for (const auto& [name, values] : kValues) {
    InferenceOptions options = preset("default");
    try {
      find_option(name).set(options, values.bad);
      validate(options);
      ADD_FAILURE() << name;
    } catch (const Error& error) {
      EXPECT_EQ(error.place(), name) << error.what();
      EXPECT_FALSE(error.value().empty()) << error.what();
    }
  }
}

TEST(OptionTable, ValuesOfTheWrongTypeAreRefusedByName) {
  for (const OptionEntry& entry : option_table()) {
    const std::string text = error_text(
        [&] {
          InferenceOptions options;
          entry.set(options, Json::object());
        },
        ErrorKind::input);
    EXPECT_TRUE(contains(text, entry.name + " = {}")) << text;
  }
}

TEST(OptionTable, AnUnknownOptionSuggestsTheNearest) {
  InferenceOptions options;
  const auto text = error_text([&] { set_option(options, "epsilom", "1"); }, ErrorKind::input);
  EXPECT_TRUE(contains(text, "'epsilom'") && contains(text, "did you mean 'epsilon'")) << text;
}

TEST(OptionTable, HoldsEveryPresetUnchangedThroughJson) {
  for (const std::string& name : preset_names()) {
    EXPECT_NO_THROW(validate(preset(name)));
    const auto json = to_json(preset(name));
    EXPECT_EQ(to_json(inference_options_from_json(json)), json);
  }
  EXPECT_TRUE(contains(error_text([] { preset("papre"); }, ErrorKind::input), "papre"));
}

TEST(OptionTable, WhatIsPrintedIsWhatIsChecked) {
  for (const OptionEntry& entry : option_table()) {
    if (!entry.limits) continue;
    EXPECT_TRUE(entry.values.ends_with(entry.limits->text())) << entry.name;
    if (!entry.get(preset("default")).is_number()) continue;
    // At its bounds, with what is just outside, where there is a bound.
    const auto refused = [&](double value) {
      InferenceOptions options = preset("default");
      options.embedding.hidden.clear();
      entry.set(options, value);
      try {
        validate(options);
        return false;
      } catch (const Error& error) {
        EXPECT_TRUE(contains(error.what(), entry.limits->requirement())) << error.what();
        return true;
      }
    };
    const Limits& limits = *entry.limits;
    EXPECT_EQ(refused(limits.low), limits.low_open) << entry.name;
    EXPECT_TRUE(refused(limits.low - 1)) << entry.name;
    if (std::isinf(limits.high)) continue;
    EXPECT_EQ(refused(limits.high), limits.high_open) << entry.name;
    EXPECT_TRUE(refused(limits.high + 1)) << entry.name;
  }
}

TEST(Limits, AreWrittenAsPeopleWriteThem) {
  EXPECT_EQ(at_least(1).text(), ">= 1");
  EXPECT_EQ(above(0).text(), "> 0");
  EXPECT_EQ(between(0, 1).text(), "in [0, 1]");
  EXPECT_EQ((Limits{.low = 0, .high = 1, .low_open = true}).text(), "in (0, 1]");
  EXPECT_EQ((Limits{.low = 50, .high = 1e9, .whole = true}).text(), "in 50 .. 1000000000");
  EXPECT_EQ(at_least(1).requirement(), "must be 1 or greater");
  EXPECT_EQ(above(0).requirement(), "must be greater than 0");
  EXPECT_EQ(between(0, 1).requirement(), "must lie in [0, 1]");
  EXPECT_FALSE(at_least(0).contain(std::numeric_limits<double>::infinity()));
  EXPECT_FALSE(between(0, 1).contain(std::nan("")));
}

TEST(OptionTable, ChecksThatNeedMoreThanOneOptionNameTheOption) {
  InferenceOptions options;
  options.training.optimizer.kind = OptimizerKind::adam;
  EXPECT_TRUE(refusal([&] { validate(options); }).starts_with("weight_decay = 0.01: "));
  options = {};
  options.embedding = {.kind = EmbeddingKind::convolution, .hidden = {4}, .kernel = 5};
  EXPECT_NO_THROW(validate(options, 5));
  EXPECT_TRUE(refusal([&] { validate(options, 4); }).starts_with("embedding_kernel = 5: "));
}

TEST(InferenceOptions, FewSimulationsTrainMoreNetworks) {
  InferenceOptions options;
  const auto networks = [&](int ensemble, Index rows) {
    options.ensemble = ensemble;
    return fitted(options, {.rows = rows, .training_rows = rows, .columns = 1}).ensemble;
  };
  options.ensemble_rows = 2000;
  EXPECT_EQ(networks(2, 200), 10);
  EXPECT_EQ(networks(2, 300), 8);  // 6 would be 1,800 in all
  EXPECT_EQ(networks(2, 999), 4);
  EXPECT_EQ(networks(1, 999), 3);
  EXPECT_EQ(networks(2, 1000), 2);
  EXPECT_EQ(networks(5, 1000), 5);
  EXPECT_EQ(networks(5, 399), 10);
  EXPECT_EQ(networks(2, 1'000'000'000), 2);
  options.ensemble_rows = 0;
  EXPECT_EQ(networks(2, 64), 2);
}

TEST(InferenceOptions, ManySimulationsHaveShorterSchedules) {
  InferenceOptions options;
  const auto epochs = [&](Index rows) {
    return fitted(options, {.rows = rows, .training_rows = rows, .columns = 1}).training.max_epochs;
  };
  options.training.batch_size = 100;
  options.training.max_epochs = 60;
  EXPECT_EQ(epochs(1000), 60);
  EXPECT_EQ(epochs(6600), 60);       // 60 x 66 steps
  EXPECT_EQ(epochs(10'000), 40);     // 40 x 100 steps
  EXPECT_EQ(epochs(1'000'000), 20);  // a third
  options.training.max_epochs = 5;
  EXPECT_EQ(epochs(1'000'000), 2);
  options.training.schedule.kind = ScheduleKind::plateau;  // which has no end to lead to
  options.training.max_epochs = 60;
  EXPECT_EQ(epochs(1'000'000), 60);
}

// A preset is a promise: the same run next year. The file was written by the program when it was
// made; a new option is added to it with the value that changes nothing.
TEST(Presets, AreFrozen) {
  const Json frozen = Json::parse(bytes_of(HONE_SOURCE_DIR "/tests/inference/presets.json"));
  for (const std::string& name : preset_names()) {
    EXPECT_EQ(Json(to_json(preset(name))), frozen.at(name)) << name;
  }
  EXPECT_EQ(Json(to_json(old_run_defaults())), frozen.at("format_1"));
  EXPECT_EQ(preset_names().size() + 1, frozen.size());
}

// What differs between the published rows of the methods; all else they have in common.
TEST(Presets, ThePublishedSettingsAreThoseOfEachMethod) {
  const auto published = [](const std::string& method) {
    return to_json(preset("published", method));
  };
  for (const char* method : {"nle", "snle", "tnle"}) {  // masked autoregressive flows
    EXPECT_EQ(published(method)["density"], "mixture") << method;
    EXPECT_EQ(published(method)["components"], 1) << method;
  }
  for (const char* method : {"npe", "snpe", "tnpe"}) {  // splines of 10 bins
    EXPECT_EQ(published(method)["density"], "spline") << method;
    EXPECT_EQ(published(method)["components"], 11) << method;
  }
  for (const char* method : {"nre", "snre", "smnre", "npe", "snpe", "nle", "snle"}) {
    const Json o = published(method);
    EXPECT_EQ(o["method"], method);
    EXPECT_EQ(o["hidden"], 50) << method;
    EXPECT_EQ(o["transforms"], 5) << method;
    EXPECT_EQ(o["max_rounds"], 10) << method;
    EXPECT_EQ(o["round_fraction"], 0.1) << method;
    EXPECT_EQ(o["learning_rate"], 5e-4) << method;
    EXPECT_EQ(o["loss"], "nre_b") << method;
    EXPECT_EQ(o["negatives"], 9) << method;  // and the right one: 10 atoms
    EXPECT_EQ(o["atoms"], 10) << method;
  }
  for (const char* method : {"rej_abc", "smc_abc"}) {
    EXPECT_EQ(published(method)["abc_scale"], "none") << method;
    EXPECT_EQ(published(method)["abc_adjust"], false) << method;
    EXPECT_EQ(published(method)["abc_accept_minimum"], 100) << method;
  }
  for (const char* method : {"tmnre", "mnre"}) {
    EXPECT_TRUE(preset("published", method) == preset("paper", method)) << method;
  }
}

TEST(Presets, OfNoMethodAreThoseOfTheirOwnAndOthersDoNotDependOnIt) {
  EXPECT_TRUE(preset("published", "") == preset("published"));
  EXPECT_EQ(preset("published").method, "nre");
  for (const char* name : {"default", "paper", "spectra"}) {
    InferenceOptions options = preset(name);
    options.method = "snle";
    EXPECT_TRUE(preset(name, "snle") == options) << name;
  }
}

TEST(Presets, OptionsThatNobodySetAreTheDefault) {
  EXPECT_TRUE(InferenceOptions{} == preset("default"));
}

TEST(InferenceOptions, AreReadOnlyIfComplete) {
  Json json = to_json(preset("paper"));
  EXPECT_TRUE(inference_options_from_json(json) == preset("paper"));
  json.erase("gap_width");
  EXPECT_TRUE(contains(refusal([&] { inference_options_from_json(json); }), "gap_width"));
  EXPECT_TRUE(with_options(preset("paper"), json) == preset("paper"));
}

TEST(Presets, ThePapersAreItsOwnSettings) {
  const Json o = to_json(preset("paper"));
  const Json expected{{"method", "tmnre"},
                      {"network", "resnet"},
                      {"depth", 2},
                      {"hidden", 64},
                      {"activation", "relu"},
                      {"norm", "batch"},
                      {"dropout", 0.0},
                      {"embedding", "none"},
                      {"ensemble", 1},
                      {"round_ensemble", 1},
                      {"ensemble_rows", 0},
                      {"batch_size", 128},
                      {"loss", "nre_a"},
                      {"negatives", 1},
                      {"balance", 0.0},
                      {"optimizer", "adam"},
                      {"learning_rate", 0.01},
                      {"weight_decay", 0.0},
                      {"clip_norm", 0.0},
                      {"rate_schedule", "plateau"},
                      {"plateau_factor", 0.1},
                      {"plateau_patience", 5},
                      {"patience", 20},
                      {"max_epochs", 300},
                      {"tails", "keep"},
                      {"column_shrinkage", 0.0},
                      {"weight_average", 0.0},
                      {"validation_fraction", 0.1},
                      {"max_rounds", 10},
                      {"stop_ratio", 0.8},
                      {"stop_axis_ratio", 1.0},
                      {"round_schedule", "fraction"},
                      {"round_fraction", 0.3},
                      {"round_minimum", 1},
                      {"stop_rounds", 1},
                      {"minimum_steps", 1},
                      {"padding", 0.0},
                      {"poisson_counts", true},
                      {"gap_width", 1.0}};
  for (const auto& [name, value] : expected.items()) EXPECT_EQ(o.at(name), value) << name;
  EXPECT_DOUBLE_EQ(o.at("epsilon").get<double>(), std::exp(-13.0));
}

}  // namespace
}  // namespace hone
