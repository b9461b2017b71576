#include <algorithm>

#include "hone/core/error.h"
#include "hone/inference/method.h"
#include "hone/inference/option_table.h"

namespace hone {
namespace {

// Of a number, or of each in a list.
void check_limits(const OptionEntry& entry, const nlohmann::json& value) {
  if (!entry.limits) return;
  if (value.is_array()) {
    for (const nlohmann::json& one : value) check_limits(entry, one);
    return;
  }
  const auto number = value.get<double>();
  if (entry.limits->contain(number)) return;
  fail_value(entry.name, number, entry.limits->requirement());
}

// The engine names its own fields, "optimizer.learning_rate", where users know the option
// "learning_rate". Only those of the embedding keep their group, for "hidden" is an option already.
std::string option_of(const std::string& field) {
  const std::size_t dot = field.find('.');
  if (dot == std::string::npos) return field;
  return field.starts_with("embedding.") ? "embedding_" + field.substr(dot + 1)
                                         : field.substr(dot + 1);
}

template <typename Options, typename... Args>
void validate_as_options(const Options& options, const Args&... args) {
  try {
    options.validate(args...);
  } catch (const Error& error) {
    throw error.moved_to(option_of(error.place()));
  }
}

}  // namespace

void validate(const InferenceOptions& options, Index data_size) {
  for (const OptionEntry& entry : option_table()) check_limits(entry, entry.get(options));
  // What depends on more than one option, or on the data.
  validate_as_options(options.embedding, data_size);
  validate_as_options(options.training);
  if (options.density.form == DensityForm::spline && options.density.components < 2) {
    fail_value("components", options.density.components,
               "must be 2 or greater: a spline has two ends");
  }
  const EstimatorKind& kind = find_method(options.method).estimator();
  if (kind.check != nullptr) kind.check(options, data_size);
}

}  // namespace hone
