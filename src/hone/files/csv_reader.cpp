#include "hone/files/csv_reader.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "hone/core/error.h"
#include "hone/files/bz2_file.h"
#include "hone/files/files.h"

namespace hone {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 38;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

char separator_of(std::string_view line) {
  for (const char candidate : {',', ';', '\t'}) {
    if (line.find(candidate) != std::string_view::npos) return candidate;
  }
  return ',';
}

// The length of the cell that begins the text: quotes hide separators.
std::size_t cell_length(std::string_view text, char separator) {
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') quoted = !quoted;
    if (text[i] == separator && !quoted) return i;
  }
  return text.size();
}

std::string unquoted(std::string_view cell) {
  if (cell.size() < 2 || cell.front() != '"' || cell.back() != '"') return std::string(cell);
  std::string text;
  for (std::size_t i = 1; i + 1 < cell.size(); ++i) {
    text += cell[i];
    if (cell[i] == '"' && cell[i + 1] == '"') ++i;  // a doubled quote is one
  }
  return text;
}

}  // namespace

CsvReader::CsvReader(const std::filesystem::path& path)
    : path_(path),
      text_(path.extension() == ".bz2" ? read_bz2_file(path) : read_file(path, kMostBytes)),
      rest_(text_) {
  if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);  // a byte-order mark
}

std::string_view CsvReader::take_line() {
  const std::size_t end = std::min(rest_.find('\n'), rest_.size());
  const std::string_view line = rest_.substr(0, end);
  rest_.remove_prefix(std::min(end + 1, rest_.size()));
  ++line_;
  return line;
}

void CsvReader::split(std::string_view line, std::vector<std::string>& cells) const {
  cells.clear();
  while (true) {
    const std::size_t length = cell_length(line, separator_);
    cells.push_back(unquoted(trimmed(line.substr(0, length))));
    if (length == line.size()) return;
    line.remove_prefix(length + 1);
  }
}

bool CsvReader::next(std::vector<std::string>& cells) {
  while (!rest_.empty()) {
    const std::string_view line = take_line();
    if (trimmed(line).empty() || line.front() == '#') continue;
    if (separator_ == 0) separator_ = separator_of(line);
    split(line, cells);
    return true;
  }
  return false;
}

void CsvReader::refuse(std::size_t column, const std::string& what) const {
  const std::string place = column == 0 ? "" : fmt::format(", column {}", column);
  fail(ErrorKind::input, "{}, line {}{}: {}", path_.string(), line_, place, what);
}

void CsvReader::check_width(const std::vector<std::string>& cells, std::size_t expected) const {
  if (cells.size() == expected) return;
  refuse(0, fmt::format("{} cells; the first row has {}", cells.size(), expected));
}

void CsvReader::take_numbers(std::vector<double>& values, const std::vector<std::string>& cells,
                             const std::vector<std::size_t>& columns) const {
  for (const std::size_t j : columns) {
    const auto number =
        cells[j].empty() ? std::numeric_limits<double>::quiet_NaN() : cell_number(cells[j]);
    if (!number) refuse(j + 1, fmt::format("'{}' is not a number", cells[j].substr(0, 40)));
    values.push_back(*number);
  }
}

Matrix<double> rows_of(const std::vector<double>& values, std::size_t columns) {
  if (columns == 0) return {};
  const auto cols = static_cast<Index>(columns);
  Matrix<double> matrix(static_cast<Index>(values.size()) / cols, cols);
  std::ranges::copy(values, matrix.data());
  return matrix;
}

std::optional<double> cell_number(std::string_view cell) {
  if (cell.starts_with('+')) cell.remove_prefix(1);
  double value = 0;
  const auto [end, code] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (cell.empty() || end != cell.data() + cell.size()) return std::nullopt;
  if (code == std::errc::result_out_of_range) {
    if (cell.find("e-") != std::string_view::npos || cell.find("E-") != std::string_view::npos) {
      return 0.0;
    }
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return cell.front() == '-' ? -infinity : infinity;
  }
  if (code != std::errc()) return std::nullopt;
  return value;
}

bool is_csv_header(const std::vector<std::string>& cells) {
  return std::ranges::none_of(cells,
                              [](const auto& cell) { return cell_number(cell).has_value(); });
}

}  // namespace hone
