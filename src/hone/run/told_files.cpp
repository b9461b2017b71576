#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>

#include <nlohmann/json.hpp>

#include "hone/core/error.h"
#include "hone/core/npy.h"
#include "hone/core/suggestion.h"
#include "hone/files/csv_reader.h"
#include "hone/files/files.h"
#include "hone/files/json_text.h"
#include "hone/files/zip_file.h"
#include "hone/run/ask_tell_files.h"

namespace hone {
namespace {

namespace fs = std::filesystem;
using Cells = std::vector<std::string>;
constexpr std::size_t kMostBytes = std::size_t{1} << 38;

bool same(const ToldResult& a, const ToldResult& b) {
  const auto equal = [](double v, double w) { return v == w || (std::isnan(v) && std::isnan(w)); };
  return std::ranges::equal(a.x, b.x, equal) && a.failure == b.failure && a.theta == b.theta;
}

// `where` begins the message: "results.csv, line 3".
void add(ToldResults& results, std::int64_t id, ToldResult result, const std::string& where) {
  if (id < 0) fail(ErrorKind::input, "{}: id {}: must be 0 or greater", where, id);
  const auto [place, fresh] = results.emplace(id, result);
  if (!fresh && !same(place->second, result)) {
    fail(ErrorKind::input, "{}: simulation {} is in the file twice, with different results", where,
         id);
  }
}

// What the columns of a results file are.
struct Layout {
  std::size_t width = 0;
  std::size_t id = 0;
  std::optional<std::size_t> error;
  std::vector<std::size_t> theta;  // all parameters, or none
  std::vector<std::size_t> x;
};

std::optional<std::size_t> find_column(const CsvReader& reader, const Cells& header,
                                       const std::string& name) {
  const auto found = std::ranges::find(header, name);
  if (found == header.end()) return std::nullopt;
  if (std::find(found + 1, header.end(), name) != header.end()) {
    reader.refuse(0, fmt::format("column '{}' is there twice", name));
  }
  return static_cast<std::size_t>(found - header.begin());
}

Layout layout_of(const CsvReader& reader, const Cells& header, const Cells& parameters) {
  Layout layout;
  layout.width = header.size();
  const auto id = find_column(reader, header, "id");
  if (!id) {
    reader.refuse(
        0, "the first row must name the columns, one of them 'id'; " + suggestion("id", header));
  }
  layout.id = *id;
  layout.error = find_column(reader, header, "error");
  std::vector<std::size_t> taken{layout.id};
  if (layout.error) taken.push_back(*layout.error);
  if (const auto seed = find_column(reader, header, "seed")) taken.push_back(*seed);
  for (const std::string& name : parameters) {
    const auto column = find_column(reader, header, name);
    if (!column) continue;
    layout.theta.push_back(*column);
    taken.push_back(*column);
  }
  if (layout.theta.size() != parameters.size()) layout.theta.clear();
  for (std::size_t j = 0; j < header.size(); ++j) {
    if (std::ranges::find(taken, j) == taken.end()) layout.x.push_back(j);
  }
  return layout;
}

double number_in(const CsvReader& reader, const Cells& cells, std::size_t column) {
  if (cells[column].empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto number = cell_number(cells[column]);
  if (!number) {
    reader.refuse(column + 1, fmt::format("'{}' is not a number", cells[column].substr(0, 40)));
  }
  return *number;
}

std::int64_t id_in(const CsvReader& reader, const Cells& cells, std::size_t column) {
  const std::string& cell = cells[column];
  std::int64_t id = 0;
  const auto [end, code] = std::from_chars(cell.data(), cell.data() + cell.size(), id);
  if (code != std::errc() || end != cell.data() + cell.size()) {
    reader.refuse(column + 1,
                  fmt::format("'{}' is not the id of a simulation", cell.substr(0, 40)));
  }
  return id;
}

void fail_if_not_finite(ToldResult& result, std::span<const char> may_be_missing) {
  if (result.failure) return;
  for (std::size_t j = 0; j < result.x.size(); ++j) {
    const bool may_be = j < may_be_missing.size() && may_be_missing[j] != 0;
    if (std::isfinite(result.x[j]) || (may_be && std::isnan(result.x[j]))) continue;
    result.failure = fmt::format("x[{}] is {}", j, result.x[j]);
    result.x.clear();
    return;
  }
}

ToldResults read_csv(const fs::path& file, const Cells& parameters,
                     std::span<const char> may_be_missing) {
  CsvReader reader(file);
  Cells cells;
  if (!reader.next(cells)) fail(ErrorKind::input, "{}: it is empty", file.string());
  const Layout layout = layout_of(reader, cells, parameters);
  ToldResults results;
  while (reader.next(cells)) {
    if (cells.size() != layout.width) {
      reader.refuse(0, fmt::format("{} cells; the first row has {}", cells.size(), layout.width));
    }
    ToldResult result;
    for (const std::size_t j : layout.theta) result.theta.push_back(number_in(reader, cells, j));
    if (layout.error && !cells[*layout.error].empty()) {
      result.failure = cells[*layout.error];
    } else {
      for (const std::size_t j : layout.x) result.x.push_back(number_in(reader, cells, j));
    }
    fail_if_not_finite(result, may_be_missing);
    add(results, id_in(reader, cells, layout.id), std::move(result),
        fmt::format("{}, line {}", file.string(), reader.line()));
  }
  return results;
}

ToldResult result_from_json(const nlohmann::json& json, const std::string& where,
                            std::span<const char> may_be_missing) {
  ToldResult result;
  if (json.contains("error")) {
    if (!json["error"].is_string()) fail(ErrorKind::input, "{}: error must be text", where);
    result.failure = json["error"].get<std::string>();
    return result;
  }
  if (!json.contains("x") || !json["x"].is_array()) {
    fail(ErrorKind::input, "{}: neither a list x nor a text error", where);
  }
  for (const nlohmann::json& value : json["x"]) {
    // JSON has no NaN: null is what many programs write for it.
    if (!value.is_number() && !value.is_null()) {
      fail(ErrorKind::input, "{}: x must be a list of numbers", where);
    }
    result.x.push_back(value.is_null() ? std::numeric_limits<double>::quiet_NaN()
                                       : value.get<double>());
  }
  fail_if_not_finite(result, may_be_missing);
  return result;
}

ToldResults read_jsonl(const fs::path& file, std::span<const char> may_be_missing) {
  const std::string text = read_file(file, kMostBytes);
  ToldResults results;
  std::string_view rest = text;
  for (Index line = 1; !rest.empty(); ++line) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view one = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (one.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const std::string where = fmt::format("{}, line {}", file.string(), line);
    const nlohmann::json json = try_parse_json(one).value_or(nullptr);
    if (!json.is_object() || !json.contains("id") || !json["id"].is_number_integer()) {
      fail(ErrorKind::input, "{}: not a line such as {{\"id\": 7, \"x\": [1, 2]}}", where);
    }
    add(results, json["id"].get<std::int64_t>(), result_from_json(json, where, may_be_missing),
        where);
  }
  return results;
}

Matrix<double> npz_array(const ZipFile& archive, const fs::path& file, const std::string& name) {
  if (!archive.contains(name + ".npy")) {
    fail(ErrorKind::input, "{}: there is no array '{}' in it; id and x are needed", file.string(),
         name);
  }
  const std::string where = fmt::format("{}, array '{}'", file.string(), name);
  const std::string bytes = archive.read(name + ".npy");
  return npy_matrix(parse_npy(bytes, where), where);
}

ToldResults read_npz(const fs::path& file, std::span<const char> may_be_missing) {
  const ZipFile archive(file);
  const Matrix<double> id = npz_array(archive, file, "id"), x = npz_array(archive, file, "x");
  if (id.rows() != x.rows() || (id.rows() > 0 && id.cols() != 1)) {
    fail(ErrorKind::input, "{}: id must have one number for each of the {} rows of x",
         file.string(), x.rows());
  }
  ToldResults results;
  for (Index i = 0; i < x.rows(); ++i) {
    const std::string where = fmt::format("{}, row {}", file.string(), i);
    if (!(id(i, 0) >= 0 && id(i, 0) < 9e15) || id(i, 0) != std::floor(id(i, 0))) {
      fail(ErrorKind::input, "{}: {} is not the id of a simulation", where, id(i, 0));
    }
    ToldResult result;
    result.x.assign(x.row(i).begin(), x.row(i).end());
    fail_if_not_finite(result, may_be_missing);
    add(results, static_cast<std::int64_t>(id(i, 0)), std::move(result), where);
  }
  return results;
}

}  // namespace

ToldResults read_told_results(const fs::path& file, const std::vector<std::string>& parameters,
                              std::span<const char> may_be_missing) {
  const std::string ending = file.extension().string();
  try {
    if (ending == ".csv") return read_csv(file, parameters, may_be_missing);
    if (ending == ".jsonl") return read_jsonl(file, may_be_missing);
    if (ending == ".npz") return read_npz(file, may_be_missing);
  } catch (const Error& error) {  // of whatever kind: the user chose the file
    throw Error(ErrorKind::input, error.what());
  }
  fail(ErrorKind::input, "{}: unknown format '{}'; results are .csv, .jsonl or .npz", file.string(),
       ending);
}

}  // namespace hone
