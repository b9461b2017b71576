#include "hone/inference/option_table.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include <fmt/ranges.h>

#include "hone/core/error.h"
#include "hone/core/suggestion.h"
#include "hone/files/json_text.h"
#include "hone/inference/method.h"

namespace hone {
namespace {

using Json = nlohmann::json;
using Options = InferenceOptions;

[[noreturn]] void wrong_value(const std::string& name, const Json& value, const std::string& want) {
  fail_value(name, value.dump(), "must be " + want);
}

// 1e5 is as good as 100000.
bool is_whole(const Json& value) {
  if (!value.is_number_float()) return value.is_number_integer();
  const double number = value.get<double>();
  return std::abs(number) < 9e15 && number == std::trunc(number);
}

// `field` takes Options& and returns a reference to the value.
template <typename Field>
OptionEntry integer(std::string name, std::string group, std::string help, Limits limits,
                    Field field) {
  limits.whole = true;
  return {name,
          std::move(group),
          std::move(help),
          limits.text(),
          limits,
          [field](const Options& o) { return Json(field(const_cast<Options&>(o))); },
          [field, name](Options& o, const Json& value) {
            if (!is_whole(value)) wrong_value(name, value, "a whole number");
            using T = std::remove_reference_t<decltype(field(o))>;
            const auto number = value.get<std::int64_t>();
            if (number != static_cast<std::int64_t>(static_cast<T>(number))) {
              wrong_value(name, value, "smaller");
            }
            field(o) = static_cast<T>(number);
          }};
}

template <typename Field>
OptionEntry real(std::string name, std::string group, std::string help, Limits limits,
                 Field field) {
  return {name,
          std::move(group),
          std::move(help),
          limits.text(),
          limits,
          [field](const Options& o) { return Json(field(const_cast<Options&>(o))); },
          [field, name](Options& o, const Json& value) {
            if (!value.is_number()) wrong_value(name, value, "a number");
            field(o) = value.get<double>();
          }};
}

template <typename Field>
OptionEntry flag(std::string name, std::string group, std::string help, Field field) {
  return {name,
          std::move(group),
          std::move(help),
          "true, false",
          std::nullopt,
          [field](const Options& o) { return Json(field(const_cast<Options&>(o))); },
          [field, name](Options& o, const Json& value) {
            if (!value.is_boolean()) wrong_value(name, value, "true or false");
            field(o) = value.get<bool>();
          }};
}

template <typename Field>
OptionEntry integers(std::string name, std::string group, std::string help, Limits limits,
                     Field field) {
  limits.whole = true;
  return {name,
          std::move(group),
          std::move(help),
          "list of whole numbers " + limits.text(),
          limits,
          [field](const Options& o) { return Json(field(const_cast<Options&>(o))); },
          [field, name](Options& o, const Json& value) {
            constexpr std::int64_t kLargest = std::numeric_limits<int>::max();
            const bool good =
                value.is_array() && std::ranges::all_of(value, [](const Json& v) {
                  return v.is_number_integer() && std::abs(v.get<std::int64_t>()) <= kLargest;
                });
            if (!good) wrong_value(name, value, "a list of whole numbers");
            field(o) = value.get<std::vector<int>>();
          }};
}

// An enumeration whose values are named in order.
template <typename Field>
OptionEntry choice(std::string name, std::string group, std::string help,
                   const std::vector<std::string>& names, Field field) {
  std::string values;
  for (const std::string& one : names) values += (values.empty() ? "" : ", ") + one;
  return {name,
          std::move(group),
          std::move(help),
          values,
          std::nullopt,
          [field, names](const Options& o) {
            return Json(names[static_cast<std::size_t>(field(const_cast<Options&>(o)))]);
          },
          [field, names, name, values](Options& o, const Json& value) {
            const auto found = std::ranges::find_if(
                names, [&](const std::string& one) { return value == Json(one); });
            if (found == names.end()) wrong_value(name, value, "one of " + values);
            using T = std::remove_reference_t<decltype(field(o))>;
            field(o) = static_cast<T>(found - names.begin());
          }};
}

OptionEntry method_entry(std::string group) {
  return {"method",
          std::move(group),
          "Inference method; `hone methods` describes them",
          fmt::format("{}", fmt::join(method_names(), ", ")),
          std::nullopt,
          [](const Options& o) { return Json(o.method); },
          [](Options& o, const Json& value) {
            if (!value.is_string()) wrong_value("method", value, "a word");
            o.method = find_method(value.get<std::string>()).name;
          }};
}

constexpr Limits kFraction = between(0, 1);
constexpr Limits kPositiveFraction{.low = 0, .high = 1, .low_open = true};
constexpr Limits kFractionBelowOne{.low = 0, .high = 1, .high_open = true};
constexpr Limits kInnerFraction{.low = 0, .high = 1, .low_open = true, .high_open = true};

#define HONE_FIELD(path)     \
  [](Options & o) -> auto& { \
    return o.path;           \
  }

std::vector<OptionEntry> make_table() {
  const std::string algorithm = "Algorithm", rounds = "Rounds", truncation = "Truncation",
                    network = "Networks", embedding = "Shared embedding", training = "Training",
                    density = "Densities", abc = "Approximate Bayesian computation";
  const std::vector<std::string> activations{"identity", "relu", "silu"};
  return {
      method_entry(algorithm),
      integer("budget", algorithm, "Simulations in all", between(50, 1'000'000'000),
              HONE_FIELD(budget)),
      integer("max_rounds", rounds, "Truncation rounds at most", at_least(1),
              HONE_FIELD(max_rounds)),
      choice("round_schedule", rounds,
             "Simulations a round works with, kept ones included: a fraction of the budget, growth "
             "over the round before, or an increment to the kept ones",
             {"fraction", "growth", "increment"}, HONE_FIELD(round_schedule)),
      real("round_fraction", rounds, "Fraction of the budget a round works with", kPositiveFraction,
           HONE_FIELD(round_fraction)),
      integer("round_minimum", rounds, "Simulations a round works with at the least", at_least(1),
              HONE_FIELD(round_minimum)),
      real("round_growth", rounds, "With growth: simulations of the round before times this",
           above(1), HONE_FIELD(round_growth)),
      integer("round_increment", rounds, "With increment: new simulations per round", at_least(1),
              HONE_FIELD(round_increment)),
      flag("poisson_counts", rounds, "Draw the simulations of a round from a Poisson distribution",
           HONE_FIELD(poisson_counts)),
      real("stop_ratio", rounds, "Stop truncating once a cut keeps more than this of the mass",
           kPositiveFraction, HONE_FIELD(stop_ratio)),
      real("stop_axis_ratio", rounds,
           "Stop truncating once a cut keeps more than this of every axis; 1: never for "
           "this reason",
           kPositiveFraction, HONE_FIELD(stop_axis_ratio)),
      integer("stop_rounds", rounds,
              "How many rounds in a row must hardly shrink the region before truncating "
              "stops, while there is budget for them; each doubles the simulations of the "
              "next",
              at_least(1), HONE_FIELD(stop_rounds)),
      real(
          "final_fraction", rounds,
          "Fraction of the budget that is for the final region: a round that would need some of it "
          "is not begun; 0: rounds may take all",
          kFractionBelowOne, HONE_FIELD(final_fraction)),
      flag("spend_all", algorithm,
           "Simulate what is left of the budget in the final region; false: the budget is a limit",
           HONE_FIELD(spend_all)),
      real("max_failed_fraction", algorithm, "Give up above this fraction of failed simulations",
           kFraction, HONE_FIELD(max_failed_fraction)),
      real("epsilon", truncation, "Drop parameters whose ratio is below this fraction of its peak",
           kInnerFraction, HONE_FIELD(truncation.epsilon)),
      real("padding", truncation, "Widen what is kept by this fraction of the axis on each side",
           kFraction, HONE_FIELD(truncation.padding)),
      real("padding_rows", truncation,
           "Widen it at least by the fraction of the axis that holds this many simulations "
           "of the round: a round with few simulations then cuts carefully",
           at_least(0), HONE_FIELD(truncation.padding_rows)),
      real("gap_width", truncation, "Cut gaps between modes wider than this fraction; 1: never",
           kFraction, HONE_FIELD(truncation.gap_width)),
      real("gap_margin", truncation,
           "How far below epsilon the ratio in a gap must lie for the gap to be cut, in "
           "nats",
           at_least(0), HONE_FIELD(truncation.gap_margin)),
      integer("truncation_grid", truncation, "Points per axis on which the ratio is looked at",
              between(64, 1 << 20), HONE_FIELD(truncation.grid)),
      integer("round_ensemble", truncation, "Networks per axis that decide a cut, at the least",
              between(1, 1000), HONE_FIELD(round_ensemble)),
      choice("estimators", network,
             "tmnre: what answers in the final region; evidence: ratio networks, a likelihood by "
             "regression and, where columns and simulations are few, one by networks, each as much "
             "as it predicts held-out simulations",
             {"ratio", "evidence"}, HONE_FIELD(estimators)),
      integer("ensemble", network, "Networks per marginal posterior, at the least",
              between(1, 1000), HONE_FIELD(ensemble)),
      integer("ensemble_rows", network,
              "Train more networks where networks times simulations would be less than this; "
              "0: never more",
              between(0, 50000), HONE_FIELD(ensemble_rows)),
      choice("network", network, "Kind of network", {"resnet", "mlp"}, HONE_FIELD(network.kind)),
      integer("hidden", network, "Hidden features", between(1, 16384), HONE_FIELD(network.hidden)),
      integer("depth", network, "Residual blocks, or hidden layers of an mlp", between(1, 64),
              HONE_FIELD(network.depth)),
      choice("activation", network, "Activation", activations, HONE_FIELD(network.activation)),
      choice("norm", network,
             "Normalisation; alternate: in every second network, before its first hidden layer",
             {"none", "batch", "layer", "alternate"}, HONE_FIELD(network.norm)),
      real("dropout", network, "Dropout probability", kFractionBelowOne,
           HONE_FIELD(network.dropout)),
      choice("embedding", embedding,
             "Compression of the data in front of all networks; auto: chosen by what the data are",
             {"none", "linear", "mlp", "convolution", "auto"}, HONE_FIELD(embedding.kind)),
      integer("embedding_features", embedding, "Numbers it compresses to; auto: of each block",
              between(1, 4096), HONE_FIELD(embedding.features)),
      integers("embedding_hidden", embedding, "Widths of its hidden layers, or channels",
               between(1, 16384), HONE_FIELD(embedding.hidden)),
      integer("embedding_kernel", embedding, "Filter length of a convolution", at_least(1),
              HONE_FIELD(embedding.kernel)),
      integer("embedding_stride", embedding, "Stride of a convolution", at_least(1),
              HONE_FIELD(embedding.stride)),
      choice("embedding_activation", embedding, "Activation between its layers", activations,
             HONE_FIELD(embedding.activation)),
      real("embedding_full_rate_inputs", embedding,
           "A layer with more inputs than this learns more slowly, by this number over "
           "that of its inputs; 0: never",
           at_least(0), HONE_FIELD(training.embedding_full_rate_inputs)),
      choice("embedding_start", embedding,
             "Its first weights; regression: a linear one begins with estimates of the parameters",
             {"random", "regression"}, HONE_FIELD(training.embedding_start)),
      choice("loss", training, "Loss", {"nre_a", "nre_b", "nre_c"}, HONE_FIELD(training.loss.kind)),
      integer("negatives", training,
              "Parameters, drawn without regard to the data, that each simulation is compared with",
              between(1, 4096), HONE_FIELD(training.loss.negatives)),
      real("gamma", training, "Odds of nre_c", above(0), HONE_FIELD(training.loss.gamma)),
      real("balance", training, "Weight of the balancing term", at_least(0),
           HONE_FIELD(training.loss.balance)),
      choice("optimizer", training, "Optimiser", {"adam", "adamw"},
             HONE_FIELD(training.optimizer.kind)),
      real("learning_rate", training, "First learning rate", above(0),
           HONE_FIELD(training.optimizer.learning_rate)),
      real("weight_decay", training, "Decoupled weight decay of adamw", at_least(0),
           HONE_FIELD(training.optimizer.weight_decay)),
      real("clip_norm", training, "Largest norm of a gradient; 0: no limit", at_least(0),
           HONE_FIELD(training.optimizer.clip_norm)),
      choice("rate_schedule", training, "Learning-rate schedule", {"constant", "plateau", "cosine"},
             HONE_FIELD(training.schedule.kind)),
      real("plateau_factor", training, "The plateau schedule multiplies the rate by this",
           kInnerFraction, HONE_FIELD(training.schedule.plateau_factor)),
      integer("plateau_patience", training,
              "The plateau schedule lowers the rate after this many epochs without progress",
              at_least(1), HONE_FIELD(training.schedule.plateau_patience)),
      real("cosine_floor", training, "Fraction of the rate left at the end of the cosine schedule",
           kFraction, HONE_FIELD(training.schedule.cosine_floor)),
      integer("batch_size", training, "Simulations per step", between(2, 65536),
              HONE_FIELD(training.batch_size)),
      integer("minimum_steps", training,
              "Steps per epoch at the least: small data sets get smaller batches", between(1, 1000),
              HONE_FIELD(minimum_steps)),
      integer(
          "max_epochs", training,
          "Epochs at most; down a cosine schedule no more than it takes to make 4,000 steps, but a "
          "third of these at the least",
          at_least(1), HONE_FIELD(training.max_epochs)),
      integer("patience", training, "Stop after this many epochs without progress", at_least(1),
              HONE_FIELD(training.patience)),
      integer("validation_negatives", training,
              "Parameters that each validation simulation is compared with; drawn once",
              at_least(1), HONE_FIELD(training.validation_negatives)),
      real("validation_fraction", training, "Fraction of the simulations kept for validation",
           kInnerFraction, HONE_FIELD(validation_fraction)),
      choice("tails", training, "Heavy-tailed columns of the data: as they are, or through asinh",
             {"keep", "soften"}, HONE_FIELD(training.tails)),
      real("column_shrinkage", training,
           "Pull on the weights of each data column, which switches off those that do not help; "
           "acts on 50 columns and more",
           at_least(0), HONE_FIELD(training.column_shrinkage)),
      real("weight_average", training, "Decay per step of an average of the weights; 0: off",
           kFractionBelowOne, HONE_FIELD(training.weight_average)),
      choice("density", density, "Form of a density: a mixture of Gaussians, or a spline flow",
             {"mixture", "spline"}, HONE_FIELD(density.form)),
      integer("components", density, "Gaussians of a mixture, or knots of a spline", between(1, 64),
              HONE_FIELD(density.components)),
      integer(
          "transforms", density,
          "Transforms one after the other, trained together as a flow of several numbers; 1: each "
          "number has a network of its own, given those before it",
          between(1, 16), HONE_FIELD(density.transforms)),
      integer("density_steps", density,
              "Steps of training at the least: few simulations get more epochs", at_least(1),
              HONE_FIELD(density.steps)),
      real("density_dropout", density, "Dropout probability of networks that learn densities",
           kFractionBelowOne, HONE_FIELD(density.dropout)),
      integer("atoms", density, "snpe: parameter vectors of which one made the data, in its loss",
              between(2, 1000), HONE_FIELD(density.atoms)),
      choice("abc_scale", abc,
             "What columns of the data are divided by: nothing, or their median absolute deviation",
             {"none", "deviation"}, HONE_FIELD(abc.scale)),
      flag("abc_adjust", abc, "Linear regression adjustment of the accepted simulations",
           HONE_FIELD(abc.adjust)),
      real("abc_accept_fraction", abc,
           "rej_abc: accept this fraction of all simulations, the nearest ones", kPositiveFraction,
           HONE_FIELD(abc.accept_fraction)),
      integer("abc_accept_minimum", abc, "rej_abc: accept at least this many simulations",
              at_least(2), HONE_FIELD(abc.accept_minimum)),
      real("abc_population_fraction", abc,
           "smc_abc: size of a population over the budget; at least 100, at most a fifth",
           kPositiveFraction, HONE_FIELD(abc.population_fraction)),
      real("abc_quantile", abc,
           "smc_abc: a population lies nearer than this part of the one before", kPositiveFraction,
           HONE_FIELD(abc.quantile)),
      real("abc_kernel_scale", abc, "smc_abc: covariance of the steps over that of the population",
           above(0), HONE_FIELD(abc.kernel_scale)),
  };
}

#undef HONE_FIELD

}  // namespace

const std::vector<OptionEntry>& option_table() {
  static const std::vector<OptionEntry> table = make_table();
  return table;
}

const OptionEntry& find_option(const std::string& name) {
  const auto found = std::ranges::find(option_table(), name, &OptionEntry::name);
  if (found != option_table().end()) return *found;
  std::vector<std::string> names;
  for (const OptionEntry& entry : option_table()) names.push_back(entry.name);
  fail(ErrorKind::input, "there is no option '{}'; {}", name, suggestion(name, names));
}

void set_option(InferenceOptions& options, const std::string& name, const std::string& text) {
  // Numbers, lists and truth values read as JSON; everything else is a word.
  std::optional<Json> parsed = try_parse_json(text);
  // 16,32 is as good as [16,32], and so is 16 alone.
  if (find_option(name).get(options).is_array() && !(parsed && parsed->is_array())) {
    parsed = try_parse_json("[" + text + "]");
  }
  find_option(name).set(options, parsed.value_or(Json(text)));
}

nlohmann::ordered_json to_json(const InferenceOptions& options) {
  nlohmann::ordered_json json;
  for (const OptionEntry& entry : option_table()) json[entry.name] = entry.get(options);
  return json;
}

InferenceOptions with_options(InferenceOptions start, const Json& json) {
  for (const auto& [name, value] : json.items()) find_option(name).set(start, value);
  return start;
}

InferenceOptions inference_options_from_json(const Json& json) {
  for (const OptionEntry& entry : option_table()) {
    if (!json.contains(entry.name)) fail_place("options." + entry.name, "missing");
  }
  return with_options({}, json);
}

}  // namespace hone
