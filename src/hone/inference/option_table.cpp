#include "hone/inference/option_table.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include <fmt/ranges.h>

#include "hone/core/error.h"
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
      integer("budget", algorithm, "Total number of simulations", between(50, 1'000'000'000),
              HONE_FIELD(budget)),
      integer("max_rounds", rounds, "Largest number of truncation rounds", at_least(1),
              HONE_FIELD(max_rounds)),
      choice("round_schedule", rounds,
             "What decides how many simulations a round has, kept ones included. fraction: a fixed "
             "fraction of the budget. growth: a multiple of the previous round. increment: a fixed "
             "number of new ones",
             {"fraction", "growth", "increment"}, HONE_FIELD(round_schedule)),
      real("round_fraction", rounds,
           "With fraction, and for the first round with growth: simulations of a round, kept ones "
           "included, as a fraction of the budget",
           kPositiveFraction, HONE_FIELD(round_fraction)),
      integer("round_minimum", rounds,
              "Smallest number of simulations in a round, kept ones included", at_least(1),
              HONE_FIELD(round_minimum)),
      real("round_growth", rounds,
           "With growth: each round has this many times the simulations of the previous one",
           above(1), HONE_FIELD(round_growth)),
      integer("round_increment", rounds, "With increment: number of new simulations in each round",
              at_least(1), HONE_FIELD(round_increment)),
      flag("poisson_counts", rounds, "Draw the simulations of a round from a Poisson distribution",
           HONE_FIELD(poisson_counts)),
      real("stop_ratio", rounds,
           "Stop truncating when a cut keeps more than this fraction of the prior mass",
           kPositiveFraction, HONE_FIELD(stop_ratio)),
      real("stop_axis_ratio", rounds,
           "Stop truncating when a cut keeps more than this fraction of the range of every "
           "parameter. 1: never for this reason",
           kPositiveFraction, HONE_FIELD(stop_axis_ratio)),
      integer("stop_rounds", rounds,
              "Number of successive rounds that must hardly shrink the region before truncating "
              "stops, if the budget allows them. Each of them doubles the simulations of the next",
              at_least(1), HONE_FIELD(stop_rounds)),
      real(
          "final_fraction", rounds,
          "Fraction of the budget that is kept for the final region. Rounds stop before they would "
          "use it. 0: nothing is kept",
          kFractionBelowOne, HONE_FIELD(final_fraction)),
      flag("spend_all", algorithm,
           "Simulate the rest of the budget in the final region. false: simulate no more than is "
           "needed",
           HONE_FIELD(spend_all)),
      real("max_failed_fraction", algorithm,
           "Stop with an error if more than this fraction of the simulations fails", kFraction,
           HONE_FIELD(max_failed_fraction)),
      real("epsilon", truncation,
           "Cut away values of a parameter at which the ratio is below this fraction of its peak",
           kInnerFraction, HONE_FIELD(truncation.epsilon)),
      real("padding", truncation,
           "Widen what a cut keeps, on each side, by this fraction of the range of the parameter",
           kFraction, HONE_FIELD(truncation.padding)),
      real("padding_rows", truncation,
           "Widen it at least so far that this many simulations of the round lie in the added "
           "part: a round with few simulations then cuts carefully",
           at_least(0), HONE_FIELD(truncation.padding_rows)),
      real("gap_width", truncation,
           "Cut away a gap between two modes if it is wider than this fraction of the range of the "
           "parameter. 1: never",
           kFraction, HONE_FIELD(truncation.gap_width)),
      real("gap_margin", truncation,
           "How far below epsilon the ratio in a gap must be for the gap to be cut away, as a "
           "difference of natural logarithms",
           at_least(0), HONE_FIELD(truncation.gap_margin)),
      integer("truncation_grid", truncation,
              "Number of points per parameter at which the ratio is computed to find a cut",
              between(64, 1 << 20), HONE_FIELD(truncation.grid)),
      integer("round_ensemble", truncation,
              "Smallest number of networks per parameter that decide a cut", between(1, 1000),
              HONE_FIELD(round_ensemble)),
      choice(
          "estimators", network,
          "Which estimators give the posterior in the final region (tmnre). ratio: ratio networks "
          "alone. evidence: a mixture of ratio networks and learned likelihoods; those that "
          "predict held-out simulations better count more",
          {"ratio", "evidence"}, HONE_FIELD(estimators)),
      integer("ensemble", network, "Smallest number of networks for each marginal posterior",
              between(1, 1000), HONE_FIELD(ensemble)),
      integer(
          "ensemble_rows", network,
          "Train more networks if their number times the number of simulations would be less than "
          "this. 0: never",
          between(0, 50000), HONE_FIELD(ensemble_rows)),
      choice("network", network, "Kind of network", {"resnet", "mlp"}, HONE_FIELD(network.kind)),
      integer("hidden", network, "Number of hidden features", between(1, 16384),
              HONE_FIELD(network.hidden)),
      integer("depth", network, "Number of residual blocks, or of hidden layers of an mlp",
              between(1, 64), HONE_FIELD(network.depth)),
      choice("activation", network, "Activation", activations, HONE_FIELD(network.activation)),
      choice(
          "norm", network,
          "Normalisation. alternate: layer normalisation in every second network of an ensemble, "
          "before its first hidden layer",
          {"none", "batch", "layer", "alternate"}, HONE_FIELD(network.norm)),
      real("dropout", network, "Dropout probability", kFractionBelowOne,
           HONE_FIELD(network.dropout)),
      choice(
          "embedding", embedding,
          "How the data are compressed before all networks see them. auto: hone chooses, according "
          "to what the data are",
          {"none", "linear", "mlp", "convolution", "auto"}, HONE_FIELD(embedding.kind)),
      integer("embedding_features", embedding,
              "How many numbers it compresses the data to (with auto: each series, image or set)",
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
           "A layer with more inputs than this learns more slowly: its learning rate is multiplied "
           "by this number divided by that of its inputs. 0: never",
           at_least(0), HONE_FIELD(training.embedding_full_rate_inputs)),
      choice(
          "embedding_start", embedding,
          "Weights that it starts with. random, or regression: linear estimates of the parameters",
          {"random", "regression"}, HONE_FIELD(training.embedding_start)),
      choice("loss", training, "Loss", {"nre_a", "nre_b", "nre_c"}, HONE_FIELD(training.loss.kind)),
      integer("negatives", training,
              "Number of other parameter vectors, drawn without regard to the data, that each "
              "simulation "
              "is compared with",
              between(1, 4096), HONE_FIELD(training.loss.negatives)),
      real("gamma", training,
           "nre_c: odds that one of the compared parameter vectors made the data", above(0),
           HONE_FIELD(training.loss.gamma)),
      real("balance", training, "Weight of the balancing term", at_least(0),
           HONE_FIELD(training.loss.balance)),
      choice("optimizer", training, "Optimiser", {"adam", "adamw"},
             HONE_FIELD(training.optimizer.kind)),
      real("learning_rate", training, "Learning rate at the start", above(0),
           HONE_FIELD(training.optimizer.learning_rate)),
      real("weight_decay", training, "Decoupled weight decay of adamw", at_least(0),
           HONE_FIELD(training.optimizer.weight_decay)),
      real("clip_norm", training, "Largest norm of a gradient; 0: no limit", at_least(0),
           HONE_FIELD(training.optimizer.clip_norm)),
      choice("rate_schedule", training, "How the learning rate changes during training",
             {"constant", "plateau", "cosine"}, HONE_FIELD(training.schedule.kind)),
      real("plateau_factor", training, "The plateau schedule multiplies the rate by this",
           kInnerFraction, HONE_FIELD(training.schedule.plateau_factor)),
      integer("plateau_patience", training,
              "The plateau schedule lowers the rate after this many epochs without progress",
              at_least(1), HONE_FIELD(training.schedule.plateau_patience)),
      real("cosine_floor", training,
           "Learning rate at the end of the cosine schedule, as a fraction of the first", kFraction,
           HONE_FIELD(training.schedule.cosine_floor)),
      integer("batch_size", training, "Number of simulations per training step", between(2, 65536),
              HONE_FIELD(training.batch_size)),
      integer("minimum_steps", training,
              "Smallest number of steps per epoch: with few simulations the batches are smaller",
              between(1, 1000), HONE_FIELD(minimum_steps)),
      integer("max_epochs", training,
              "Largest number of epochs. With the cosine schedule training ends after about 4,000 "
              "steps, "
              "but not before a third of this number",
              at_least(1), HONE_FIELD(training.max_epochs)),
      integer("patience", training, "Stop after this many epochs without progress", at_least(1),
              HONE_FIELD(training.patience)),
      integer("validation_negatives", training,
              "Number of other parameter vectors that each validation simulation is compared with; "
              "they are drawn once",
              at_least(1), HONE_FIELD(training.validation_negatives)),
      real(
          "validation_fraction", training,
          "Fraction of the simulations that is held out: they decide when training stops, and test "
          "the result",
          kInnerFraction, HONE_FIELD(validation_fraction)),
      choice("tails", training,
             "What is done with heavy-tailed columns of the data. keep: nothing. soften: asinh",
             {"keep", "soften"}, HONE_FIELD(training.tails)),
      real(
          "column_shrinkage", training,
          "Strength of a penalty that switches off columns of the data that do not help. Used with "
          "50 columns and more",
          at_least(0), HONE_FIELD(training.column_shrinkage)),
      real("weight_average", training,
           "Use an average of the weights over many steps, which decays by this factor per step. "
           "0: off",
           kFractionBelowOne, HONE_FIELD(training.weight_average)),
      choice("density", density, "Form of a density: a mixture of Gaussians, or a spline flow",
             {"mixture", "spline"}, HONE_FIELD(density.form)),
      integer("components", density, "Number of Gaussians of a mixture, or of knots of a spline",
              between(1, 64), HONE_FIELD(density.components)),
      integer("transforms", density,
              "Number of transforms of a flow, one after the other and trained together. 1: no "
              "flow, but a "
              "network for each number, given those before it",
              between(1, 16), HONE_FIELD(density.transforms)),
      integer("density_steps", density,
              "Smallest number of training steps: with few simulations there are more epochs",
              at_least(1), HONE_FIELD(density.steps)),
      real("density_dropout", density, "Dropout probability of networks that learn densities",
           kFractionBelowOne, HONE_FIELD(density.dropout)),
      integer("atoms", density,
              "snpe: number of parameter vectors among which the loss must find the one that made "
              "the data",
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
           "smc_abc: size of a population as a fraction of the budget; it has at least 100 "
           "simulations and at most a fifth of the budget",
           kPositiveFraction, HONE_FIELD(abc.population_fraction)),
      real("abc_quantile", abc,
           "smc_abc: each population must be as near to the observation as the nearest fraction of "
           "the previous population; this option is that fraction",
           kPositiveFraction, HONE_FIELD(abc.quantile)),
      real("abc_kernel_scale", abc,
           "smc_abc: covariance of the steps, as a multiple of that of the population", above(0),
           HONE_FIELD(abc.kernel_scale)),
  };
}

#undef HONE_FIELD

}  // namespace

const std::vector<OptionEntry>& option_table() {
  static const std::vector<OptionEntry> table = make_table();
  return table;
}

}  // namespace hone
