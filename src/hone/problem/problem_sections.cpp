#include "hone/problem/problem_sections.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "hone/core/error.h"
#include "hone/files/number_file.h"
#include "hone/inference/option_table.h"
#include "hone/prior/derived_axes.h"

namespace hone {
namespace {

using Json = nlohmann::json;

std::vector<std::string> allowed_in_inference() {
  std::vector<std::string> keys{"preset", "marginals", "seed"};
  for (const OptionEntry& entry : option_table()) keys.push_back(entry.name);
  return keys;
}

// 1e5 is a float in TOML, and a natural way to write a budget.
Json as_whole_number(const Json& value) {
  if (!value.is_number_float()) return value;
  const auto number = value.get<double>();
  if (number != std::floor(number) || std::abs(number) > 9e15) return value;
  return static_cast<std::int64_t>(number);
}

void set_options(InferenceOptions& options, const TomlTable& section) {
  for (const OptionEntry& entry : option_table()) {
    if (!section.has(entry.name)) continue;
    const Json& value = section.at(entry.name);
    with_line(section, "inference.", [&] {
      try {
        entry.set(options, value);
      } catch (const Error&) {
        const Json whole = as_whole_number(value);
        if (whole.type() == value.type()) throw;
        entry.set(options, whole);
      }
    });
  }
}

// "1d", or a list of words and of lists of names.
std::vector<std::string> marginal_words(const TomlTable& section) {
  const std::string wanted =
      "must be \"1d\", \"2d\", \"joint\" or a list of these and of parameters, such as [\"1d\", "
      "[\"a\", \"b\"]]";
  const Json& value = section.at("marginals");
  if (value.is_string()) return {value.get<std::string>()};
  if (!value.is_array() || value.empty()) section.refuse("marginals", wanted);
  std::vector<std::string> words;
  for (const Json& one : value) {
    if (one.is_string()) {
      words.push_back(one.get<std::string>());
      continue;
    }
    std::string joined;
    const bool names = one.is_array() && !one.empty() &&
                       std::ranges::all_of(one, [](const Json& name) { return name.is_string(); });
    if (!names) section.refuse("marginals", wanted);
    for (const Json& name : one) {
      if (!joined.empty()) joined += ',';
      joined += name.get<std::string>();
    }
    words.push_back(std::move(joined));
  }
  return words;
}

}  // namespace

Prior read_parameter_sections(const TomlTable& root) {
  const std::vector<TomlTable> sections = root.tables("parameters");
  if (sections.empty()) {
    root.refuse_with("", "there are no parameters; give a section [[parameters]] for each");
  }
  for (const TomlTable& section : sections)
    section.allow_only({"name", "label", "prior", "correlations"});
  return with_line(root, "", [&] { return prior_from_json(root.at("parameters")); });
}

Prior read_derived_sections(const TomlTable& root, const Prior& prior) {
  if (!root.has("derived")) return prior;
  for (const TomlTable& section : root.tables("derived")) {
    section.allow_only({"name", "label", "value"});
  }
  return with_line(root, "", [&] {
    Prior result = prior.with_derived(derived_from_json(root.at("derived")));
    check_derived(result);
    return result;
  });
}

namespace {

// Which of its values may be NaN is known when the sections are read.
bool some_may_be_missing(const TomlTable& root) {
  return std::ranges::any_of(root.tables("data"), [](const TomlTable& section) {
    return section.has("missing") && section.at("missing") != false;
  });
}

}  // namespace

std::vector<double> read_observation_section(const TomlTable& root,
                                             const std::filesystem::path& folder) {
  const bool may_be_missing = some_may_be_missing(root);
  const TomlTable section = root.table("observation");
  section.allow_only({"file", "values"});
  if (section.has("file") == section.has("values")) {
    section.refuse_with("", "observation: give either file or values");
  }
  std::vector<double> values;
  if (const auto file = section.text("file")) {
    try {
      values = read_numbers(folder / *file, may_be_missing);
    } catch (const Error& error) {
      section.refuse("file", error.what());
    }
  } else {
    values = *section.numbers("values", may_be_missing);
  }
  const std::string key = section.has("file") ? "file" : "values";
  if (values.empty()) section.refuse(key, "must have at least one number");
  const auto too_large = std::ranges::find_if(
      values, [](double value) { return std::abs(value) > std::numeric_limits<float>::max(); });
  if (too_large != values.end()) {
    section.refuse(key,
                   fmt::format("{} is beyond the range of float; rescale the data", *too_large));
  }
  return values;
}

DataDescription read_data_sections(const TomlTable& root, std::span<const double> observation) {
  for (const TomlTable& section : root.tables("data")) {
    section.allow_only({"name", "kind", "shape", "label", "unit", "missing"});
    try {
      data_description_from_json(Json::array({section.json()}));
    } catch (const Error& error) {
      section.refuse_with("", error.what());
    }
  }
  if (!root.has("data")) return {};
  return with_line(root, "", [&] {
    DataDescription data = data_description_from_json(root.at("data"));
    data.check_size(std::ssize(observation));
    data.check_gaps(observation);
    return data;
  });
}

void read_inference_section(Problem& problem, const TomlTable& root, const std::string& standard,
                            const std::function<void(InferenceOptions&)>& adapt) {
  const bool given = root.has("inference");
  if (given) root.table("inference").allow_only(allowed_in_inference());
  const auto preset_name =
      given ? root.table("inference").text("preset").value_or(standard) : standard;
  const auto method = given ? root.table("inference").text("method") : std::nullopt;
  problem.options =
      with_line(root, "inference.", [&] { return preset(preset_name, method.value_or("")); });
  adapt(problem.options);
  problem.marginals = marginals_from_words({}, problem.prior);

  const TomlTable simulator = root.table("simulator");
  if (const auto fraction = simulator.number("max_failed_fraction")) {
    if (!(*fraction >= 0 && *fraction <= 1)) {
      simulator.refuse("max_failed_fraction", "must lie in [0, 1]");
    }
    problem.options.max_failed_fraction = *fraction;
  }
  if (given) {
    const TomlTable section = root.table("inference");
    if (section.has("max_failed_fraction") && simulator.has("max_failed_fraction")) {
      section.refuse("max_failed_fraction", "is given in [simulator] too; keep one of them");
    }
    set_options(problem.options, section);
    if (const auto seed = section.integer("seed")) {
      if (*seed < 0) section.refuse("seed", "must be 0 or greater");
      problem.seed = static_cast<std::uint64_t>(*seed);
    }
    if (section.has("marginals")) {
      const std::vector<std::string> words = marginal_words(section);
      try {
        problem.marginals = marginals_from_words(words, problem.prior);
      } catch (const Error& error) {
        section.refuse("marginals", error.what());
      }
    }
  }
  with_line(root, "inference.",
            [&] { validate(problem.options, std::ssize(problem.observation)); });
}

}  // namespace hone
