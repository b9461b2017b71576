#include <cmath>
#include <limits>

#include "hone/check/checks.h"
#include "hone/core/error.h"
#include "hone/run/run_files.h"

// checks.json, field by field. Each struct lists its fields once, in visit(); writing and reading
// both walk that list.

namespace hone {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

constexpr int kFormat = 1;

Status status_from(const std::string& text) {
  for (const Status status : {Status::pass, Status::caution, Status::unclear, Status::fail}) {
    if (to_string(status) == text) return status;
  }
  fail(ErrorKind::input, "status {}: must be pass, caution or fail", text);
}

template <typename V>
void visit(V& v, CheckResult& c) {
  v("name", c.name), v("status", c.status), v("reason", c.reason);
  v.advice(c.advice), v("numbers", c.numbers);
}

template <typename V>
void visit(V& v, CoverageLevel& c) {
  v("nominal", c.nominal), v("empirical", c.empirical), v("low", c.low), v("high", c.high);
  v("z_nominal", c.z_nominal), v("z_empirical", c.z_empirical);
  v("z_low", c.z_low), v("z_high", c.z_high);
}

template <typename V>
void visit(V& v, CoverageCurve& c) {
  v("marginal", c.marginal), v("dimensions", c.dimensions), v("draws", c.draws);
  v("status", c.status), v("width_error", c.width_error), v("probability", c.probability);
  v("probability_wide", c.probability_wide), v("levels", c.levels);
  v("nominal", c.nominal), v("empirical", c.empirical), v("low", c.low), v("high", c.high);
}

template <typename V>
void visit(V& v, EcdfCurve& c) {
  v("marginal", c.marginal), v("draws", c.draws), v("status", c.status);
  v("deviation", c.deviation), v("bias", c.bias);
  v("at", c.at), v("ecdf", c.ecdf), v("low", c.low), v("high", c.high);
}

template <typename V>
void visit(V& v, LocalC2st& c) {
  v("marginal", c.marginal), v("status", c.status), v("accuracy", c.accuracy);
  v("probability", c.probability), v("effective_draws", c.effective_draws);
  v("at", c.at), v("density", c.density);
}

template <typename V>
void visit(V& v, CutCheck& c) {
  v("round", c.round), v("parameter", c.parameter), v("lost_mass", c.lost_mass);
  v("draws", c.draws), v("cut_truths", c.cut_truths);
  v("coverage68", c.coverage68), v("coverage95", c.coverage95);
  v("near", c.near), v("near_outside", c.near_outside);
}

template <typename V>
void visit(V& v, EdgeCheck& c) {
  v("parameter", c.parameter), v("low", c.low), v("high", c.high);
}

template <typename V>
void visit(V& v, TypicalityMeasure& c) {
  v("name", c.name), v("observed", c.observed), v("median", c.median);
  v("quantile95", c.quantile95), v("quantile99", c.quantile99), v("probability", c.probability);
}

template <typename V>
void visit(V& v, ColumnScore& c) {
  v("column", c.column), v("observed", c.observed), v("median", c.median);
  v("low", c.low), v("high", c.high), v("score", c.score);
  v.if_given("name", c.name);
}

template <typename V>
void visit(V& v, Misspecification& c) {
  v("draws", c.draws), v("measures", c.measures), v("worst_columns", c.worst_columns);
}

template <typename V>
void visit(V& v, TrainingHealth& c) {
  v("marginal", c.marginal), v("gain", c.gain), v("training_gain", c.training_gain);
  v("networks", c.networks), v("diverged", c.diverged), v("unlearned", c.unlearned);
  v("overfitted", c.overfitted), v("unfinished", c.unfinished);
}

template <typename V>
void visit(V& v, EnsembleSpread& c) {
  v("marginal", c.marginal), v("networks", c.networks), v("distance", c.distance);
  v("mean_error", c.mean_error), v("interval68_error", c.interval68_error);
  v("interval95_error", c.interval95_error);
  v("theta", c.theta), v("density", c.density), v("low", c.low), v("high", c.high);
}

template <typename V>
void visit(V& v, ProjectionCheck& c) {
  v("marginal", c.marginal), v("parameter", c.parameter), v("distance", c.distance);
  v("mean_shift", c.mean_shift), v("width_ratio", c.width_ratio);
}

template <typename V>
void visit(V& v, SamplingCheck& c) {
  v("marginal", c.marginal), v("efficiency", c.efficiency);
}

template <typename V>
void visit(V& v, CorrectionEntry& c) {
  v("marginal", c.marginal), v("power", c.power);
  v("coverage68", c.coverage68), v("coverage95", c.coverage95);
  v("corrected68", c.corrected68), v("corrected95", c.corrected95);
}

template <typename V>
void visit(V& v, Checks& c) {
  v("verdict", c.verdict), v("summary", c.summary), v("draws_from", c.draws_from);
  v("draws", c.draws), v("false_alarms", c.false_alarms), v("checks", c.checks);
  v("coverage", c.coverage), v("mean_coverage", c.mean_coverage);
  v("sbc", c.sbc), v("tarp", c.tarp), v("local_c2st", c.local_c2st);
  v("cuts", c.cuts), v("edges", c.edges), v("misspecification", c.misspecification);
  v("training", c.training), v("ensembles", c.ensembles), v("projections", c.projections);
  v("sampling", c.sampling), v("correction", c.correction);
}

using Numbers = std::vector<std::pair<std::string, double>>;

class Writer {
 public:
  explicit Writer(ActionWords words) : words_(words) {}
  OrderedJson json = OrderedJson::object();
  template <typename T>
  void operator()(const char* name, T& value) {
    json[name] = of(value);
  }
  // A text that is not there if it is empty.
  void if_given(const char* name, std::string& value) {
    if (!value.empty()) json[name] = value;
  }
  void advice(AdviceText& value) { value.write_to(json, words_); }

 private:
  static OrderedJson of(double value) {
    return std::isfinite(value) ? OrderedJson(value) : OrderedJson(nullptr);
  }
  static OrderedJson of(int value) { return value; }
  static OrderedJson of(Index value) { return value; }
  static OrderedJson of(std::string& value) { return value; }
  static OrderedJson of(Status value) { return to_string(value); }
  static OrderedJson of(Numbers& numbers) {
    auto object = OrderedJson::object();
    for (auto& [name, value] : numbers) object[name] = of(value);
    return object;
  }
  template <typename T>
  OrderedJson of(std::vector<T>& values) {
    auto list = OrderedJson::array();
    for (T& value : values) list.push_back(of(value));
    return list;
  }
  template <typename T>
  OrderedJson of(T& value) {
    Writer writer(words_);
    visit(writer, value);
    return writer.json;
  }

  ActionWords words_;
};

class Reader {
 public:
  explicit Reader(const OrderedJson& json) : json_(json) {}
  template <typename T>
  void operator()(const char* name, T& value) {
    read(value, json_.at(name));
  }
  void if_given(const char* name, std::string& value) {
    if (json_.contains(name)) value = json_.at(name);
  }
  void advice(AdviceText& value) { value = AdviceText::read_from(json_); }

 private:
  static void read(double& value, const OrderedJson& json) {
    value = json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
  }
  static void read(int& value, const OrderedJson& json) { value = json; }
  static void read(Index& value, const OrderedJson& json) { value = json; }
  static void read(std::string& value, const OrderedJson& json) { value = json; }
  static void read(Status& value, const OrderedJson& json) { value = status_from(json); }
  static void read(Numbers& numbers, const OrderedJson& json) {
    for (const auto& [name, number] : json.items())
      read(numbers.emplace_back(name, 0.0).second, number);
  }
  template <typename T>
  static void read(std::vector<T>& values, const OrderedJson& json) {
    for (const OrderedJson& one : json) read(values.emplace_back(), one);
  }
  template <typename T>
  static void read(T& value, const OrderedJson& json) {
    Reader reader(json);
    visit(reader, value);
  }

  const OrderedJson& json_;
};

}  // namespace

std::string to_string(Status status) {
  switch (status) {
    case Status::pass: return "pass";
    case Status::caution: return "caution";
    case Status::unclear: return "unclear";
    case Status::fail: return "fail";
  }
  HONE_ASSERT(false);
}

Status worse(Status a, Status b) {
  return a < b ? b : a;
}

OrderedJson to_json(const CheckResult& check, ActionWords words) {
  Writer writer(words);
  CheckResult copy = check;
  visit(writer, copy);
  return writer.json;
}

CheckResult check_result_from_json(const OrderedJson& json) {
  CheckResult check;
  Reader reader(json);
  visit(reader, check);
  return check;
}

OrderedJson to_json(const Checks& checks, ActionWords words) {
  Writer writer(words);
  writer.json["format"] = kFormat;
  Checks copy = checks;  // fields are visited as non-const, for reading and writing alike
  visit(writer, copy);
  return writer.json;
}

Checks checks_from_json(const OrderedJson& json) {
  const int format = json.at("format");
  if (format != kFormat) {
    fail(ErrorKind::input, "it has format {}, this hone reads format {}", format, kFormat);
  }
  Checks checks;
  Reader reader(json);
  visit(reader, checks);
  return checks;
}

std::optional<Checks> read_checks(const RunDirectory& run) {
  if (!run.checks_file().exists()) return std::nullopt;
  return read_json_as<OrderedJson>(run.checks_file(), checks_from_json);
}

void write_checks(const RunDirectory& run, const Checks& checks) {
  write_json(run.checks_file(), to_json(checks));
}

}  // namespace hone
