#include "hone/prior/prior.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include <nlohmann/json.hpp>

#include "hone/core/error.h"
#include "hone/core/suggestion.h"
#include "hone/core/visible_text.h"
#include "hone/prior/unit_point.h"

namespace hone {
namespace {

bool is_index(std::string_view name) {
  return std::all_of(name.begin(), name.end(),
                     [](unsigned char c) { return std::isdigit(c) != 0; });
}

// A name heads a CSV column and is an argument of --marginal a,b; it must survive both.
void check_name(const char* list, std::size_t i, const std::string& name) {
  const auto refuse = [&](const char* reason) {
    fail_value(fmt::format("{}[{}].name", list, i), fmt::format("'{}'", name.substr(0, 60)),
               reason);
  };
  if (name.empty()) refuse("must not be empty");
  if (is_index(name)) refuse("must not be a number, which would mean a parameter's index");
  if (name.find_first_of(",\"'") != std::string::npos) refuse("must not contain commas or quotes");
  if (visible_text(name) != name || name.find_first_of("\n\t") != std::string::npos) {
    refuse("must be UTF-8 without control characters");
  }
  if (name.front() == ' ' || name.back() == ' ') refuse("must not begin or end with a blank");
}

std::string text_field(const nlohmann::json& json, const char* field, const std::string& where) {
  if (!json.contains(field)) return "";
  if (!json[field].is_string()) fail_place(where + "." + field, "must be text");
  return json[field].get<std::string>();
}

Parameter parameter_from_json(const nlohmann::json& json, std::size_t i) {
  const std::string where = fmt::format("parameters[{}]", i);
  if (!json.is_object()) {
    fail_place(where, "must be a table with name, label and prior");
  }
  for (const auto& [field, value] : json.items()) {
    const std::vector<std::string> known{"name", "label", "prior", "correlations"};
    if (std::ranges::find(known, field) != known.end()) continue;
    fail_place(where, fmt::format("unknown field '{}'; {}", field.substr(0, 60),
                                  suggestion(field, known)));
  }
  if (!json.contains("name")) fail_place(where + ".name", "missing");
  if (!json.contains("prior")) fail_place(where + ".prior", "missing");
  const std::string prior = where + ".prior";
  return {text_field(json, "name", where), text_field(json, "label", where),
          make_distribution(distribution_spec_from_json(json["prior"], prior), prior)};
}

// Of parameter d with others, which may be given once for a pair.
void add_correlations(std::vector<Copula::Pair>& pairs, const nlohmann::json& json,
                      const Prior& prior, int d) {
  const std::string where = fmt::format("parameters[{}].correlations", d);
  if (!json.is_object()) {
    fail_place(where, "must be a table of parameters and numbers, such as { mass = 0.5 }");
  }
  for (const auto& [name, value] : json.items()) {
    const int other = prior.index_of(name);
    if (!value.is_number() || !(std::abs(value.get<double>()) < 1)) {
      fail_value(where + "." + name, value.dump(), "must be a number in (-1, 1)");
    }
    if (other == d) fail_place(where + "." + name, "is the parameter itself");
    if (std::ranges::any_of(pairs, [&](const auto& p) { return p.a == d && p.b == other; })) {
      fail_place(where + "." + name, "is given twice");
    }
    pairs.push_back({other, d, value.get<double>()});
  }
}

}  // namespace

Prior::Prior(std::vector<Parameter> parameters, Copula copula) : Prior(std::move(parameters)) {
  HONE_ASSERT(copula.dimensions() == dimensions());
  if (copula.pairs().empty()) return;  // independent, as it is when read from a file
  for (const auto& [a, b, correlation] : copula.pairs()) {
    for (const int d : {a, b}) {
      if (!(*this)[d].discrete()) continue;
      fail(ErrorKind::input, "parameters[{}]: '{}' is discrete, and so cannot be correlated", d,
           parameter(d).name);
    }
  }
  copula_ = std::make_shared<const Copula>(std::move(copula));
}

Prior::Prior(std::vector<Parameter> parameters) : parameters_(std::move(parameters)) {
  if (parameters_.empty()) fail_place("parameters", "there must be at least one");
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    Parameter& parameter = parameters_[i];
    check_name("parameters", i, parameter.name);
    for (std::size_t j = 0; j < i; ++j) {
      if (parameters_[j].name != parameter.name) continue;
      fail_value(fmt::format("parameters[{}].name", i), fmt::format("'{}'", parameter.name),
                 fmt::format("already the name of parameters[{}]", j));
    }
    HONE_ASSERT(parameter.distribution != nullptr);
    if (parameter.label.empty()) parameter.label = parameter.name;
  }
}

Prior Prior::with_derived(std::vector<DerivedQuantity> derived) const {
  Prior result = *this;
  for (DerivedQuantity& one : derived) {
    const std::size_t i = result.derived_.size();
    check_name("derived", i, one.name);
    const auto taken = result.quantity_names();
    if (std::ranges::find(taken, one.name) != taken.end()) {
      fail_value(fmt::format("derived[{}].name", i), fmt::format("'{}'", one.name),
                 "is the name of another quantity");
    }
    try {
      result.formulas_.emplace_back(one.value, names());
    } catch (const Error& error) {
      fail_value(fmt::format("derived[{}].value", i), error.place(), error.reason());
    }
    if (one.label.empty()) one.label = one.name;
    result.derived_.push_back(std::move(one));
  }
  return result;
}

std::vector<std::string> Prior::quantity_names() const {
  std::vector<std::string> all = names();
  for (const DerivedQuantity& one : derived_) all.push_back(one.name);
  return all;
}

std::vector<std::string> Prior::quantity_labels() const {
  std::vector<std::string> all;
  for (const Parameter& parameter : parameters_) all.push_back(parameter.label);
  for (const DerivedQuantity& one : derived_) all.push_back(one.label);
  return all;
}

bool Prior::is_derived(std::span<const int> quantities) const {
  return std::ranges::any_of(quantities, [this](int d) { return d >= dimensions(); });
}

bool Prior::is_curve(std::span<const int> quantities) const {
  if (quantities.size() < 2) return false;
  std::vector<int> used;
  for (const int d : quantities) {
    const std::vector<int> own =
        d < dimensions() ? std::vector<int>{d} : formulas_[std::size_t(d - dimensions())].uses();
    used.insert(used.end(), own.begin(), own.end());
  }
  return std::ranges::all_of(used, [&](int d) { return d == used.front(); });
}

const Parameter& Prior::parameter(int d) const {
  HONE_ASSERT(d >= 0 && d < dimensions());
  return parameters_[static_cast<std::size_t>(d)];
}

std::vector<std::string> Prior::names() const {
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters_) names.push_back(parameter.name);
  return names;
}

int Prior::index_of(std::string_view name) const {
  for (int d = 0; d < dimensions(); ++d) {
    if (parameter(d).name == name) return d;
  }
  fail(ErrorKind::input, "no parameter is called '{}'; {}", name.substr(0, 60),
       suggestion(name, names()));
}

double Prior::log_density(std::span<const double> theta) const {
  HONE_ASSERT(std::ssize(theta) == dimensions());
  double sum = 0;
  for (int d = 0; d < dimensions(); ++d) {
    sum += (*this)[d].log_density(theta[static_cast<std::size_t>(d)]);
  }
  if (!copula_ || !std::isfinite(sum)) return sum;
  std::vector<UnitPoint> u;
  u.reserve(theta.size());
  for (int d = 0; d < dimensions(); ++d) {
    u.push_back(hone::to_unit((*this)[d], theta[static_cast<std::size_t>(d)]));
  }
  return sum + copula_->log_density(u);
}

void Prior::to_unit(MatrixView<double> u, MatrixView<const double> theta) const {
  HONE_ASSERT(u.rows() == theta.rows() && u.cols() == dimensions() && theta.cols() == u.cols());
  for (Index i = 0; i < u.rows(); ++i) {
    for (int d = 0; d < dimensions(); ++d) u(i, d) = (*this)[d].cdf(theta(i, d));
  }
}

void Prior::to_theta(MatrixView<double> theta, MatrixView<const double> u) const {
  HONE_ASSERT(u.rows() == theta.rows() && u.cols() == dimensions() && theta.cols() == u.cols());
  for (Index i = 0; i < u.rows(); ++i) {
    for (int d = 0; d < dimensions(); ++d) theta(i, d) = (*this)[d].quantile(u(i, d));
  }
}

bool Prior::operator==(const Prior& other) const {
  const bool same_copula =
      copula_ && other.copula_ ? *copula_ == *other.copula_ : copula_ == other.copula_;
  return same_copula && derived_ == other.derived_ &&
         std::equal(parameters_.begin(), parameters_.end(), other.parameters_.begin(),
                    other.parameters_.end(), [](const Parameter& a, const Parameter& b) {
                      return a.name == b.name && a.label == b.label &&
                             a.distribution->spec() == b.distribution->spec();
                    });
}

nlohmann::json to_json(const Prior& prior) {
  nlohmann::json json = nlohmann::json::array();
  for (const Parameter& parameter : prior.parameters()) {
    json.push_back({{"name", parameter.name},
                    {"label", parameter.label},
                    {"prior", to_json(parameter.distribution->spec())}});
  }
  if (prior.copula() == nullptr) return json;
  for (const auto& [a, b, correlation] : prior.copula()->pairs()) {
    json[static_cast<std::size_t>(b)]["correlations"][prior.parameter(a).name] = correlation;
  }
  return json;
}

Prior prior_from_json(const nlohmann::json& json) {
  if (!json.is_array()) fail_place("parameters", "must be a list of tables");
  std::vector<Parameter> parameters;
  for (std::size_t i = 0; i < json.size(); ++i) {
    parameters.push_back(parameter_from_json(json[i], i));
  }
  const bool correlated = std::ranges::any_of(
      json, [](const nlohmann::json& one) { return one.contains("correlations"); });
  if (!correlated) return Prior(std::move(parameters));
  const Prior independent(parameters);
  std::vector<Copula::Pair> pairs;
  for (int d = 0; d < independent.dimensions(); ++d) {
    const nlohmann::json& one = json[static_cast<std::size_t>(d)];
    if (one.contains("correlations")) add_correlations(pairs, one["correlations"], independent, d);
  }
  return {std::move(parameters), Copula(independent.dimensions(), std::move(pairs))};
}

}  // namespace hone
