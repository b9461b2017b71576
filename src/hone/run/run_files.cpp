#include "hone/run/run_files.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "hone/files/array_file.h"
#include "hone/files/sealed_json.h"
#include "hone/run/run_directory.h"

namespace hone {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

// What made networks before files said so.
constexpr const char* kFirstEstimator = "ratio";

// JSON has no infinity and no NaN.
OrderedJson number(double value) {
  return std::isfinite(value) ? OrderedJson(value) : OrderedJson(nullptr);
}

}  // namespace

namespace {

// What brings a file back that is damaged or not where it belongs.
Advice remedy(const RunFile& file) {
  const std::string& name = file.mark.name;
  const auto move_away_and = [&](Action action, const char* then) {
    return Advice{file.exists() ? "; move it away and " : "; ", action, file.run.string(), then};
  };
  if (name == RunDirectory::kSpecName) {
    return {"; undo the change. For other options ", Action::run_from, file.run.string()};
  }
  if (name == RunDirectory::kNoiseName) return {"; undo the change"};
  if (name == RunDirectory::kComputedWithName) {
    return move_away_and(Action::resume, ", without the option exact: the record begins anew");
  }
  if (name == RunDirectory::kChecksName) return move_away_and(Action::check, " again");
  if (name.starts_with(RunDirectory::kCorrectedFolder))
    return move_away_and(Action::correct, " again");
  if (name.starts_with(RunDirectory::kLaterNetworks)) {
    return move_away_and(Action::train, " with its marginals again");
  }
  if (name == RunDirectory::kDerivedName) {
    return move_away_and(Action::train, " with its derived quantities again");
  }
  if (name == RunDirectory::kExtensionsName) {
    return move_away_and(Action::resume, " with its larger budget again");
  }
  return move_away_and(Action::resume, ": what it held is computed again");
}

}  // namespace

void fail_damaged(const RunFile& file, const std::string& reason) {
  throw Error(ErrorKind::io, {.place = file.path().string(),
                              .reason = fmt::format("damaged, or not what hone wrote: {}", reason),
                              .advice = remedy(file)});
}

void verify_json(const std::string& text, const FileMark& expected) {
  if (expected.run == 0) return;
  const FileMark found = verify_sealed_json(text);
  if (const auto reason = misplaced(found, expected)) fail(ErrorKind::io, "{}", *reason);
}

void write_json(const RunFile& file, const OrderedJson& json) {
  create_directories_durably(file.path().parent_path());
  write_file_atomically(file.path(), sealed_json_text(json, file.mark));
}

std::vector<NamedArray> read_run_arrays(const RunFile& file) {
  try {
    return read_arrays(file.path(), file.mark);
  } catch (const Error& error) {
    throw error.advice().empty() ? error.with_advice(remedy(file)) : error;
  }
}

void write_run_arrays(const RunFile& file, const std::vector<NamedArray>& arrays) {
  create_directories_durably(file.path().parent_path());
  write_arrays(file.path(), arrays, file.mark);
}

namespace {

OrderedJson to_json(const std::vector<MemberHistory>& histories) {
  auto json = OrderedJson::array();
  for (const MemberHistory& h : histories) {
    const auto numbers = [](const std::vector<float>& values) {
      auto list = OrderedJson::array();
      for (const float value : values) list.push_back(number(static_cast<double>(value)));
      return list;
    };
    json.push_back({{"stop", to_string(h.stop)},
                    {"best_epoch", h.best_epoch},
                    {"best_loss", number(h.best_loss)},
                    {"training_loss", numbers(h.training_loss)},
                    {"validation_loss", numbers(h.validation_loss)},
                    {"learning_rate", numbers(h.learning_rate)}});
  }
  return json;
}

std::vector<MemberHistory> histories_from_json(const Json& json) {
  std::vector<MemberHistory> histories;
  for (const Json& h : json) {
    const auto value = [](const Json& v) {
      return v.is_null() ? std::numeric_limits<double>::quiet_NaN() : v.get<double>();
    };
    const auto numbers = [&](const char* name) {
      std::vector<float> values;
      for (const Json& v : h.at(name)) values.push_back(static_cast<float>(value(v)));
      return values;
    };
    MemberHistory history{.training_loss = numbers("training_loss"),
                          .validation_loss = numbers("validation_loss"),
                          .learning_rate = numbers("learning_rate"),
                          .best_epoch = h.at("best_epoch"),
                          .best_loss = value(h.at("best_loss"))};
    for (const StopReason reason :
         {StopReason::converged, StopReason::max_epochs, StopReason::diverged}) {
      if (h.at("stop") == to_string(reason)) history.stop = reason;
    }
    histories.push_back(std::move(history));
  }
  return histories;
}

// A thousandth draws a curve.
OrderedJson to_json(const std::vector<RatioCurve>& curves) {
  const auto rounded = [](const std::vector<double>& values) {
    auto list = OrderedJson::array();
    for (const double value : values) list.push_back(std::round(1000 * value) / 1000);
    return list;
  };
  auto json = OrderedJson::array();
  for (const RatioCurve& curve : curves) {
    json.push_back({{"u", curve.u}, {"log_ratio", rounded(curve.log_ratio)}});
  }
  return json;
}

std::vector<RatioCurve> curves_from_json(const Json& json) {
  std::vector<RatioCurve> curves;
  for (const Json& one : json) {
    curves.push_back({one.at("u"), one.at("log_ratio")});
    if (curves.back().u.size() != curves.back().log_ratio.size()) {
      fail(ErrorKind::io, "a curve of the cut has u and log_ratio of different lengths");
    }
  }
  return curves;
}

OrderedJson to_json(const FittedOptions& used) {
  OrderedJson json{{"networks", used.networks},
                   {"batch_size", used.batch_size},
                   {"weight_average", used.weight_average},
                   {"column_shrinkage", used.column_shrinkage},
                   {"padding", used.padding}};
  if (!used.embedding.empty()) json["embedding"] = used.embedding;
  return json;
}

FittedOptions fitted_options_from_json(const Json& json) {
  return {.networks = json.at("networks"),
          .batch_size = json.at("batch_size"),
          .weight_average = json.at("weight_average"),
          .column_shrinkage = json.at("column_shrinkage"),
          .padding = json.at("padding"),
          .embedding = json.value("embedding", std::string())};
}

}  // namespace

OrderedJson to_json(const Round& round) {
  return {{"number", round.number},
          {"estimator", round.estimator},
          {"used", to_json(round.used)},
          {"region", to_json(round.region)},
          {"kept", round.kept},
          {"simulated", round.simulated},
          {"cut",
           {{"region", to_json(round.cut.region)},
            {"mass_ratio", round.cut.mass_ratio},
            {"axis_ratio", round.cut.axis_ratio},
            {"lost_mass", round.cut.lost_mass},
            {"edge_low", round.cut.edge_low},
            {"edge_high", round.cut.edge_high},
            {"curves", to_json(round.cut.curves)}}},
          {"training", to_json(round.training)}};
}

Region region_from_json(const Json& json, int dimensions) {
  Region region = region_from_json(json);
  if (region.dimensions() != dimensions) {
    fail(ErrorKind::io, "its region has {} axes, the problem has {} parameters",
         region.dimensions(), dimensions);
  }
  return region;
}

Round round_from_json(const Json& json, int number, int dimensions) {
  const Json& cut = json.at("cut");
  Round round{.number = json.at("number"),
              .region = region_from_json(json.at("region"), dimensions),
              .kept = json.at("kept"),
              .simulated = json.at("simulated"),
              .cut = {.region = region_from_json(cut.at("region"), dimensions),
                      .mass_ratio = cut.at("mass_ratio"),
                      .axis_ratio = cut.at("axis_ratio"),
                      .lost_mass = cut.at("lost_mass"),
                      .edge_low = cut.at("edge_low"),
                      .edge_high = cut.at("edge_high"),
                      .curves = curves_from_json(cut.value("curves", Json::array()))},
              .training = histories_from_json(json.at("training")),
              .estimator = json.value("estimator", kFirstEstimator)};
  if (json.contains("used")) round.used = fitted_options_from_json(json.at("used"));
  const auto per_axis = static_cast<std::size_t>(dimensions);
  for (const auto* values :
       {&round.cut.axis_ratio, &round.cut.lost_mass, &round.cut.edge_low, &round.cut.edge_high}) {
    if (values->size() != per_axis) fail(ErrorKind::io, "a list of the cut has the wrong length");
  }
  if (!round.cut.curves.empty() && round.cut.curves.size() != per_axis) {
    fail(ErrorKind::io, "the cut has {} curves", round.cut.curves.size());
  }
  if (round.number != number) fail(ErrorKind::io, "it holds round {}", round.number);
  return round;
}

bool has_description(const RunFile& file) {
  return file.with(".json").exists();
}

bool has_posterior(const RunFile& file) {
  return has_description(file) && file.with(".h5").exists();
}

void write_posterior(const RunFile& file, const TrainedPosterior& trained, int parameters) {
  const AmortizedPosterior& posterior = *trained.posterior;
  OrderedJson json{{"estimator", posterior.estimator()},
                   {"region", to_json(posterior.prior().region())},
                   {"training", to_json(trained.histories)}};
  if (posterior.prior().dimensions() > parameters) {
    const std::vector<Parameter>& axes = posterior.prior().prior().parameters();
    json["derived"] = to_json(Prior({axes.begin() + parameters, axes.end()}));
    json["marginals"] = posterior.marginals();
  }
  write_json(file.with(".json"), json);
  write_run_arrays(file.with(".h5"), posterior.to_arrays());
}

PosteriorDescription read_description(const RunFile& file, int dimensions) {
  return read_json_as(file.with(".json"), [&](const Json& json) {
    std::vector<Parameter> derived;
    std::vector<Marginal> marginals;
    if (json.contains("derived")) {
      derived = prior_from_json(json.at("derived")).parameters();
      marginals = json.at("marginals");
    }
    const int axes = dimensions + static_cast<int>(derived.size());
    return PosteriorDescription{
        region_from_json(json.at("region"), axes), json.value("estimator", kFirstEstimator),
        histories_from_json(json.at("training")), std::move(derived), std::move(marginals)};
  });
}

TrainedPosterior read_posterior(const RunFile& file, const Prior& prior) {
  const auto arrays = read_run_arrays(file.with(".h5"));
  PosteriorDescription description = read_description(file, prior.dimensions());
  return make_sense_of(file.with(".h5"), [&] {
    std::vector<Parameter> axes = prior.parameters();
    std::ranges::copy(description.derived, std::back_inserter(axes));
    const Prior& own = description.derived.empty() ? prior : Prior(std::move(axes));
    return TrainedPosterior{
        find_estimator(description.estimator).load(own, description.region, arrays),
        std::move(description.histories)};
  });
}

}  // namespace hone
