#include "hone/core/data_description.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "hone/core/data_kinds.h"
#include "hone/core/error.h"
#include "hone/core/suggestion.h"
#include "hone/core/visible_text.h"

namespace hone {
namespace {

// Far above anything useful, far below where products of sizes overflow.
constexpr Index kMostValues = Index{1} << 32;

struct KindFacts {
  DataKind kind;
  const char* name;
  std::size_t least, most;  // indices of a shape
  const char* shapes;
};
// In the order of DataKind. Files of networks keep the numbers, so new kinds come last.
constexpr KindFacts kKinds[] = {
    {DataKind::vector, "vector", 1, 1, "[n]"},
    {DataKind::series, "series", 1, 2, "[n] or [n, channels]"},
    {DataKind::image, "image", 2, 3, "[rows, columns] or [rows, columns, channels]"},
    {DataKind::set, "set", 1, 2, "[n] or [n, values of each]"}};

const KindFacts& facts_of(DataKind kind) {
  return *std::ranges::find(kKinds, kind, &KindFacts::kind);
}

void check_name(const std::string& name) {
  const bool usable = !name.empty() && name.size() <= 100 && visible_text(name) == name &&
                      name.find_first_of("[],\n\t\"") == std::string::npos;
  if (usable) return;
  fail(
      ErrorKind::input,
      "data: '{}' cannot be the name of a block; it must have 1 to 100 characters, and no bracket, "
      "comma, quote or control character",
      name);
}

void check_shape(const DataBlock& block) {
  const KindFacts& facts = facts_of(block.kind);
  if (block.shape.size() < facts.least || block.shape.size() > facts.most) {
    fail(ErrorKind::input, "data '{}': the shape [{}] does not fit the kind '{}'; it must be {}",
         block.name, fmt::join(block.shape, ", "), facts.name, facts.shapes);
  }
  Index size = 1;
  for (const Index length : block.shape) {
    if (length < 1 || length > kMostValues / size) {
      fail(ErrorKind::input,
           "data '{}': the shape [{}] must have positive numbers, at most {} in all", block.name,
           fmt::join(block.shape, ", "), kMostValues);
    }
    size *= length;
  }
}

DataKind kind_from(const std::string& text, const std::string& block) {
  for (const KindFacts& facts : kKinds) {
    if (facts.name == text) return facts.kind;
  }
  fail(ErrorKind::input, "data '{}': there is no kind '{}'; {}", block, text,
       suggestion(text, data_kind_names()));
}

std::string text_in(const nlohmann::json& json, const char* key, const std::string& block) {
  if (!json.contains(key)) return "";
  if (!json[key].is_string()) fail(ErrorKind::input, "data '{}': {} must be a text", block, key);
  return json[key].get<std::string>();
}

Missing missing_in(const nlohmann::json& json, const std::string& block) {
  if (!json.contains("missing") || json["missing"] == false) return Missing::never;
  if (json["missing"] == true) return Missing::simulated;
  if (json["missing"] == "random") return Missing::random;
  fail(ErrorKind::input, "data '{}': missing must be true, false or \"random\"", block);
}

DataBlock block_from_json(const nlohmann::json& json) {
  if (!json.is_object() || !json.contains("name") || !json["name"].is_string()) {
    fail(ErrorKind::input, "data: every block must have a name");
  }
  DataBlock block{.name = json["name"].get<std::string>(), .shape = {}};
  if (!json.contains("kind") || !json["kind"].is_string()) {
    fail(ErrorKind::input, "data '{}': kind is missing; allowed: {}", block.name,
         fmt::join(data_kind_names(), ", "));
  }
  block.kind = kind_from(json["kind"].get<std::string>(), block.name);
  const auto whole = [](const nlohmann::json& value) { return value.is_number_integer(); };
  if (!json.contains("shape") || !json["shape"].is_array() ||
      !std::ranges::all_of(json["shape"], whole)) {
    fail(ErrorKind::input, "data '{}': shape must be a list of whole numbers", block.name);
  }
  block.shape = json["shape"].get<std::vector<Index>>();
  block.label = text_in(json, "label", block.name);
  block.unit = text_in(json, "unit", block.name);
  block.missing = missing_in(json, block.name);
  return block;
}

}  // namespace

std::vector<std::string> data_kind_names() {
  std::vector<std::string> names;
  for (const KindFacts& facts : kKinds) names.emplace_back(facts.name);
  return names;
}

std::string to_string(DataKind kind) {
  return facts_of(kind).name;
}

Index DataBlock::size() const {
  Index product = 1;
  for (const Index length : shape) product *= length;
  return product;
}

DataDescription::DataDescription(std::vector<DataBlock> blocks) : blocks_(std::move(blocks)) {
  std::set<std::string> seen;
  for (const DataBlock& block : blocks_) {
    check_name(block.name);
    if (!seen.insert(block.name).second) {
      fail_place("data", fmt::format("there are two blocks '{}'", block.name));
    }
    check_shape(block);
  }
}

Index DataDescription::size() const {
  Index sum = 0;
  for (const DataBlock& block : blocks_) sum += block.size();
  return sum;
}

bool DataDescription::has_missing() const {
  return std::ranges::any_of(
      blocks_, [](const DataBlock& block) { return block.missing != Missing::never; });
}

std::vector<char> DataDescription::may_be_missing() const {
  std::vector<char> columns;
  if (!has_missing()) return columns;
  for (const DataBlock& block : blocks_) {
    columns.resize(columns.size() + static_cast<std::size_t>(block.size()),
                   block.missing == Missing::never ? 0 : 1);
  }
  return columns;
}

std::string DataDescription::name_of(Index column) const {
  if (!declared()) return fmt::format("column {}", column);
  HONE_ASSERT(column >= 0 && column < size());
  auto block = blocks_.begin();
  for (; column >= block->size(); ++block) column -= block->size();
  if (block->size() == 1) return block->name;
  std::vector<Index> place;  // the last index first
  for (auto length = block->shape.rbegin(); length != block->shape.rend(); ++length) {
    place.push_back(column % *length);
    column /= *length;
  }
  std::ranges::reverse(place);
  return fmt::format("{}[{}]", block->name, fmt::join(place, ","));
}

void DataDescription::check_size(Index values) const {
  if (!declared() || size() == values) return;
  std::string parts;
  for (const DataBlock& block : blocks_) {
    parts += fmt::format("{}'{}' {}", parts.empty() ? "" : ", ", block.name, block.size());
  }
  fail_place("data", fmt::format("the blocks have {} values ({}), the observation has {}", size(),
                                 parts, values));
}

void DataDescription::check_gaps(std::span<const double> values) const {
  const std::vector<char> may_be = may_be_missing();
  for (std::size_t j = 0; j < values.size(); ++j) {
    if (!std::isnan(values[j]) || (j < may_be.size() && may_be[j] != 0)) continue;
    fail(
        ErrorKind::input,
        "observation: {} is NaN; if values may be missing, say missing = true of its block of data",
        name_of(static_cast<Index>(j)));
  }
}

nlohmann::ordered_json to_json(const DataDescription& data) {
  auto list = nlohmann::ordered_json::array();
  for (const DataBlock& block : data.blocks()) {
    nlohmann::ordered_json one{
        {"name", block.name}, {"kind", to_string(block.kind)}, {"shape", block.shape}};
    if (!block.label.empty()) one["label"] = block.label;
    if (!block.unit.empty()) one["unit"] = block.unit;
    if (block.missing == Missing::simulated) one["missing"] = true;
    if (block.missing == Missing::random) one["missing"] = "random";
    list.push_back(std::move(one));
  }
  return list;
}

DataDescription data_description_from_json(const nlohmann::json& json) {
  if (!json.is_array()) fail(ErrorKind::input, "data: must be a list of blocks");
  std::vector<DataBlock> blocks;
  for (const nlohmann::json& block : json) blocks.push_back(block_from_json(block));
  return DataDescription(std::move(blocks));
}

}  // namespace hone
