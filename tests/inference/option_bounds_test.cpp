// The engine can be used alone, and so refuses by itself what it cannot train with. Options that it
// reads have the same bounds in the table of options, which users see.
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "files/test_files.h"
#include "hone/inference/option_table.h"

namespace hone {
namespace {

using Json = nlohmann::json;

const std::set<std::string> kGroupsOfTheEngine = {"Networks", "Shared embedding", "Training"};

// Options of these groups that decide what the engine is asked for, and never reach it.
const std::set<std::string> kBeforeTheEngine = {"ensemble", "ensemble_rows", "minimum_steps",
                                                "validation_fraction"};

// With an embedding and an optimiser that read all options.
InferenceOptions all_in_use() {
  InferenceOptions options;
  options.training.optimizer.kind = OptimizerKind::adamw;
  options.embedding = {.kind = EmbeddingKind::convolution, .hidden = {4}};
  return options;
}

bool engine_refuses(const OptionEntry& entry, double value) {
  InferenceOptions options = all_in_use();
  const bool is_list = entry.get(options).is_array();
  const Json number = entry.limits->whole ? Json(static_cast<std::int64_t>(value)) : Json(value);
  entry.set(options, is_list ? Json::array({number}) : number);
  try {
    options.network.validate();
    options.training.validate();
    options.embedding.validate(100'000);
    return false;
  } catch (const Error&) {
    return true;
  }
}

// At the bounds and as little as possible beyond them.
std::vector<double> doubtful_values(const Limits& limits) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto beyond = [&](double bound, int direction) {
    return limits.whole ? bound + direction : std::nextafter(bound, direction * kInfinity);
  };
  std::vector<double> values;
  for (const auto& [bound, direction] : {std::pair(limits.low, -1), {limits.high, 1}}) {
    if (!std::isfinite(bound)) continue;
    for (const double value : {bound, beyond(bound, direction), beyond(bound, -direction)}) {
      values.push_back(value);
    }
  }
  if (!limits.whole) values.insert(values.end(), {kInfinity, std::nan("")});
  return values;
}

TEST(OptionBounds, AreThoseOfTheEngine) {
  ASSERT_NO_THROW(validate(all_in_use()));
  int compared = 0;
  for (const OptionEntry& entry : option_table()) {
    if (!kGroupsOfTheEngine.contains(entry.group) || !entry.limits) continue;
    if (kBeforeTheEngine.contains(entry.name)) continue;
    for (const double value : doubtful_values(*entry.limits)) {
      EXPECT_EQ(engine_refuses(entry, value), !entry.limits->contain(value))
          << entry.name << " = " << value << " must be " << entry.limits->text()
          << " in inference/option_table.cpp; make the engine's validate() agree";
      ++compared;
    }
  }
  EXPECT_GT(compared, 60);
}

TEST(OptionBounds, NegativeControlTheEngineDoesNotKnowTheOthers) {
  for (const std::string& name : kBeforeTheEngine) {
    const OptionEntry& entry = find_option(name);
    ASSERT_TRUE(kGroupsOfTheEngine.contains(entry.group)) << name;
    EXPECT_FALSE(engine_refuses(entry, entry.limits->low - 1)) << name;
  }
}

}  // namespace
}  // namespace hone
