#include "hone/store/manifest.h"

#include <nlohmann/json.hpp>

#include "hone/core/error.h"
#include "hone/files/files.h"
#include "hone/files/json_text.h"
#include "hone/files/sealed_json.h"

namespace hone {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostBytes = std::size_t{1} << 24;
constexpr const char* kFormat = "hone simulation store";

Precision precision_from(const std::string& name) {
  for (const Precision precision : {Precision::float32, Precision::float64}) {
    if (to_string(precision) == name) return precision;
  }
  fail(ErrorKind::io, "precision = '{}': must be float32 or float64", name);
}

// A number such as 1e300 or "3" is not an integer.
Index integer(const Json& json, const char* key) {
  const Json& value = json.at(key);
  if (!value.is_number_integer()) fail(ErrorKind::io, "{} must be an integer", key);
  return value.get<Index>();
}

StoreSchema parse(const std::string& text, const FileMark& expected) {
  const Json json = parse_json(text);
  if (json.at("format") != kFormat) fail(ErrorKind::io, "not a '{}'", kFormat);
  // Before anything else, which a newer version may have changed.
  const Index version = integer(json, "version");
  if (version > kStoreVersion) {
    fail(ErrorKind::io,
         "version {} is newer than this hone, which reads up to {}; use a newer hone", version,
         kStoreVersion);
  }
  if (version < 1) fail(ErrorKind::io, "version = {}: must be at least 1", version);
  if (expected.run != 0 || has_seal(text)) {
    const FileMark found = verify_sealed_json(text);
    if (const auto reason = misplaced(found, expected)) fail(ErrorKind::io, "{}", *reason);
  }
  StoreSchema schema{json.at("parameters").get<std::vector<std::string>>(),
                     integer(json, "data_size"),
                     precision_from(json.at("precision").get<std::string>())};
  if (json.contains("data")) schema.data = data_description_from_json(json.at("data"));
  schema.validate();
  return schema;
}

}  // namespace

void write_manifest(const std::filesystem::path& path, const StoreSchema& schema,
                    const FileMark& mark) {
  nlohmann::ordered_json json = {{"format", kFormat},
                                 {"version", kStoreVersion},
                                 {"parameters", schema.parameters},
                                 {"data_size", schema.data_size},
                                 {"precision", to_string(schema.precision)}};
  if (schema.data.declared()) json["data"] = to_json(schema.data);
  std::string text;
  try {
    text = sealed_json_text(json, mark);
  } catch (const Json::exception&) {
    fail(ErrorKind::input, "parameters: the names must be valid UTF-8");
  }
  write_file_atomically(path, text);
}

StoreSchema read_manifest(const std::filesystem::path& path, const FileMark& expected) {
  const std::string text = read_file(path, kMostBytes);
  try {
    return parse(text, expected);
  } catch (const Json::exception& error) {
    fail(ErrorKind::io, "{}: damaged: {}", path.string(), error.what());
  } catch (const Error& error) {
    fail(ErrorKind::io, "{}: {}", path.string(), error.what());
  }
}

}  // namespace hone
