#pragma once

#include <filesystem>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "hone/core/matrix.h"

namespace hone {

// A TOML file: its values as JSON, and the line of each. A value is named by its path, such as
// "parameters[0].prior.low". Dates, which hone has no use for, are refused.
struct TomlDocument {
  std::string file;
  nlohmann::json root;
  std::map<std::string, Index> lines;

  Index line_of(std::string path) const;  // of the value, or of the nearest table around it

  // Throws Error{input}: "problem.toml, line 7: <message>".
  [[noreturn]] void refuse(const std::string& path, const std::string& message) const;
};

// Error{input} with the line for everything that is not TOML; nothing in the file can do worse.
TomlDocument read_toml(const std::filesystem::path& path);
TomlDocument parse_toml(const std::string& text, const std::string& file);

// A table of a document, checked while it is read. Messages name file, line, key, value and what
// is allowed: "problem.toml, line 3: simulator.workers = "two": must be a whole number".
class TomlTable {
 public:
  explicit TomlTable(const TomlDocument& document);             // the whole document
  TomlTable table(const std::string& key) const;                // must be there, and a table
  std::vector<TomlTable> tables(const std::string& key) const;  // [[key]], none if it is missing

  const std::string& path() const { return path_; }
  std::string path_of(const std::string& key) const;
  const nlohmann::json& json() const { return *value_; }
  bool has(const std::string& key) const { return value_->contains(key); }
  const nlohmann::json& at(const std::string& key) const { return value_->at(key); }

  // Throws for a key that is not among these, with the nearest.
  void allow_only(const std::vector<std::string>& keys) const;

  // Nothing if the key is missing.
  std::optional<std::string> text(const std::string& key) const;
  std::optional<double> number(const std::string& key) const;
  std::optional<std::int64_t> integer(const std::string& key) const;
  std::optional<bool> truth(const std::string& key) const;
  std::optional<std::vector<std::string>> texts(const std::string& key) const;
  // may_be_nan: NaN is a value that is not there.
  std::optional<std::vector<double>> numbers(const std::string& key, bool may_be_nan = false) const;

  // "<file>, line <n>: <path>.<key> = <value>: <requirement>".
  [[noreturn]] void refuse(const std::string& key, const std::string& requirement) const;
  // "<file>, line <n>: <message>", the line of the key, or of the table if the key is empty.
  [[noreturn]] void refuse_with(const std::string& key, const std::string& message) const;
  // The same with the line of any value of the document, by its path.
  [[noreturn]] void refuse_at(const std::string& path, const std::string& message) const {
    document_->refuse(path, message);
  }

 private:
  TomlTable(const TomlDocument& document, const nlohmann::json& value, std::string path);

  const TomlDocument* document_;
  const nlohmann::json* value_;
  std::string path_;
};

// A value in a message, cut where it gets long.
std::string shown_value(const nlohmann::json& value);

}  // namespace hone
